//! Data of the pages, except the rows of a timeline.
//!
//! Long because a conversation is shown in many parts.

use super::{BudgetView, IMPORTED, OutboxView};
use crate::backend::{Capabilities, ConnectionState, Runtime};
use crate::conversation::{Goal, Metrics, Notice, Policy, Risk, Status, Tags, Task};
use crate::people::{Role, Sharing};
use crate::render::{CardView, Html, RowView};
use serde::{Deserialize, Serialize};

/// An entry of the conversation list.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ConversationSummary {
    /// Its id.
    pub id: String,
    /// Its title, or empty.
    pub title: String,
    /// Status of the agent.
    pub status: Status,
    /// State of the sandbox.
    pub runtime: Runtime,
    /// Number of actions that need approval.
    pub waiting: u32,
    /// First line of the pending action ("Run rm -rf build"), of what the running step is applied to, or of the latest message;
    /// or empty.
    pub excerpt: String,
    /// Cost so far, in US dollars.
    pub cost: f64,
    /// Repository of the workspace.
    pub repository: Option<String>,
    /// Branch that the conversation started from.
    pub branch: Option<String>,
    /// Its labels.
    #[serde(default)]
    pub tags: Tags,
    /// Label of its backend.
    pub backend: String,
    /// Name of its creator, or empty.
    #[serde(default)]
    pub creator: String,
    /// Time of creation, milliseconds since the Unix epoch.
    pub created_at: i64,
    /// Time of the last change, milliseconds since the Unix epoch.
    pub updated_at: i64,
    /// The newest `seq` of what is on the timeline; 0 if nothing is, or if that is not known.
    #[serde(default)]
    pub newest: i64,
    /// The newest `seq` that the reader was shown; `None` if they have never opened it, if they have no such state, or where
    /// an entry is for everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<i64>,
    /// Whether an approval has ended without an answer.
    #[serde(default, skip_serializing_if = "is_not")]
    pub lapsed: bool,
    /// Whether it is archived.
    #[serde(default, skip_serializing_if = "is_not")]
    pub archived: bool,
    /// Who has approved what is pending, where a second person has to; else empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub approved_by: String,
    /// What happens to what is pending if nobody answers, if owners have set that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalation: Option<EscalationView>,
    /// Whether the reader cannot answer in it, or has approved already, so that it does not call for their attention.
    #[serde(default, skip_serializing_if = "is_not")]
    pub quiet: bool,
}

fn is_not(what: &bool) -> bool {
    !what
}

impl ConversationSummary {
    /// Whether the reader has opened it before, and there is something new.
    pub fn is_unread(&self) -> bool {
        self.seen.is_some_and(|seen| seen < self.newest)
    }

    /// Whether it was imported: it can be read, and no agent works in it.
    pub fn is_imported(&self) -> bool {
        self.backend == IMPORTED
    }

    /// Whether this person has approved what is pending, and a second one has to.
    pub fn is_approved_by(&self, name: &str) -> bool {
        !self.approved_by.is_empty() && self.approved_by.eq_ignore_ascii_case(name)
    }

    /// Whether its reader has an approval to answer.
    pub fn calls(&self) -> bool {
        self.waiting > 0 && !self.quiet
    }

    /// Whether a person is needed: an action needs approval, or the agent has stopped with an error from which it does
    /// not recover by itself.
    pub fn needs_you(&self) -> bool {
        let has_stopped = matches!(
            self.status,
            Status::AwaitingConfirmation | Status::Error | Status::RateLimited | Status::Stuck
        );
        let needs = self.waiting > 0 || (has_stopped && !self.is_imported());
        needs && !self.quiet && !self.archived
    }
}

/// Code of the notice that the stored events of a conversation cannot be read.
pub const UNREAD: &str = "HANDRAIL$UNREAD";

/// A backend.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BackendView {
    /// Its label.
    pub label: String,
    /// Whether it is the embedded rehearsal, which executes nothing.
    pub rehearsal: bool,
    /// Its capabilities.
    pub capabilities: Capabilities,
    /// The current problem, in a whole sentence.
    pub trouble: Option<String>,
    /// Number of conversations missing from its list, because their ids cannot be used in URLs.
    #[serde(default)]
    pub left_out: usize,
    /// Number of conversations that were read from its list, while the rest was not yet.
    #[serde(default)]
    pub read_so_far: Option<usize>,
    /// Number of its conversations that run or are being started, up to 1,000; 0 outside the list.
    #[serde(default)]
    pub running: usize,
    /// Whether only a part of what runs there is recorded: what is opened here, and some of the rest.
    #[serde(default)]
    pub in_part: bool,
    /// Number of its conversations that wait to be recorded, because too many are already.
    #[serde(default)]
    pub unfollowed: usize,
    /// Whether this is no backend: the conversation was imported.
    #[serde(default)]
    pub imported: bool,
}

/// Initial snapshot of a conversation, sufficient to read and act without JavaScript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConversationView {
    /// Its id.
    pub id: String,
    /// The journal's newest `seq` in this snapshot: the cursor for the live connection.
    pub seq: i64,
    /// The newest rows, oldest first.
    pub rows: Vec<RowView>,
    /// Whether there are older rows.
    pub older: bool,
    /// The session state.
    pub session: SessionView,
    /// The backend.
    pub backend: BackendView,
    /// Repository of the workspace.
    pub repository: Option<String>,
    /// Branch that the conversation started from.
    pub branch: Option<String>,
    /// The creator, and who may see the conversation.
    pub sharing: Sharing,
    /// The viewer's role here; `None` for visitors.
    pub role: Option<Role>,
    /// Whether it is archived.
    #[serde(default)]
    pub archived: bool,
    /// The current viewers.
    pub here: HereView,
    /// What is new since the reader left; `None` if that is little, or not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<SinceView>,
}

/// What is new in a conversation since its reader left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SinceView {
    /// Position of the first new row.
    pub pos: i64,
    /// Id of the first new row.
    pub row: i64,
    /// How much is new, in words.
    pub count: String,
    /// Whether it does not fit on a screen.
    pub is_far: bool,
    /// What happened, as HTML.
    pub html: Html,
}

impl ConversationView {
    /// The view for visitors: the activity, without internal details such as backend, repository, people and roles.
    pub fn for_visitors(self) -> Self {
        Self {
            session: self.session.for_visitors(),
            rows: for_visitors(self.rows),
            backend: BackendView {
                imported: self.backend.imported,
                ..BackendView::default()
            },
            repository: None,
            branch: None,
            sharing: Sharing::default(),
            role: None,
            here: HereView::default(),
            since: None,
            ..self
        }
    }
}

/// The current viewers of a conversation, each counted once.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HereView {
    /// Names, sorted.
    pub names: Vec<String>,
    /// Number of visitors by share links.
    pub visitors: u32,
}

/// A page of rows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RowsView {
    /// The rows, oldest first.
    pub rows: Vec<RowView>,
    /// Whether there are older rows.
    pub older: bool,
    /// Whether there are later rows, where that was asked for.
    #[serde(default)]
    pub later: bool,
}

/// What people wrote in a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OutlineView {
    /// The messages, oldest first.
    pub entries: Vec<OutlineEntry>,
    /// Position and id of the row before which earlier ones may be.
    pub older: Option<(i64, i64)>,
}

/// A message of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineEntry {
    /// Position of its row.
    pub pos: i64,
    /// Id of its row.
    pub row: i64,
    /// Upstream timestamp, milliseconds since the Unix epoch, or 0.
    pub at: i64,
    /// Its author, if known.
    pub by: Option<String>,
    /// Its first line; empty if it has no text.
    pub text: String,
}

/// Current state of a conversation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SessionView {
    /// The title, or empty.
    pub title: String,
    /// Status of the agent.
    pub status: Status,
    /// Reason of the status, mostly for errors; else empty.
    pub reason: String,
    /// State of the sandbox.
    pub runtime: Runtime,
    /// State of the connection to the backend.
    pub connection: ConnectionState,
    /// Cost and tokens.
    pub metrics: Metrics,
    /// The task list.
    pub tasks: Vec<Task>,
    /// The pending approval.
    pub approval: Option<ApprovalView>,
    /// The budget that is used up, and not lifted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<BudgetView>,
    /// The notice shown above the timeline.
    pub notice: Option<Notice>,
    /// Whether a pause was requested and the agent is still running: it pauses after the current step.
    pub pausing: bool,
    /// Messages being sent.
    pub outbox: Vec<OutboxView>,
    /// Agent class and version.
    pub about: Vec<String>,
    /// The model in use, or empty.
    pub model: String,
    /// Which actions need approval, if known.
    pub policy: Option<Policy>,
    /// Whether the agent asks nobody before it acts, whatever the policy says.
    #[serde(default)]
    pub asks_nobody: bool,
    /// The analyzer that rates the risk of actions, or empty.
    pub analyzer: String,
    /// The goal that the agent is sent back to work for until it is reached, if any.
    pub goal: Option<Goal>,
    /// Tags of the conversation.
    pub tags: Tags,
}

/// Rows for visitors: without people's names.
pub fn for_visitors(mut rows: Vec<RowView>) -> Vec<RowView> {
    rows.iter_mut().for_each(|row| row.by = None);
    rows
}

impl SessionView {
    /// The state for visitors: without the backend's address, tags and unsent messages.
    pub fn for_visitors(mut self) -> Self {
        if let ConnectionState::Reconnecting { why, .. } | ConnectionState::Refused { why, .. } =
            &mut self.connection
        {
            *why = "OpenHands is unavailable.".to_owned();
        }
        if let Some(approval) = &mut self.approval {
            approval.rows = for_visitors(std::mem::take(&mut approval.rows));
            approval.care = None;
            approval.escalation = None;
            approval.touch = false;
        }
        self.budget = None;
        self.outbox.clear();
        self.about.clear();
        self.tags = Tags::default();
        self
    }
}

/// A pending approval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ApprovalView {
    /// Identifies exactly what is shown: an answer must carry it, and an answer with another token is refused.
    pub token: String,
    /// The rows of the pending actions, with their steps in full and hidden characters made visible.
    pub rows: Vec<RowView>,
    /// How the backend really treats these actions if it does not hold them back, in a whole sentence ("already carried
    /// out; approving runs it again").
    pub caution: Option<String>,
    /// Whether an answer is being sent.
    pub answering: bool,
    /// Whether a rule could answer such actions.
    #[serde(default)]
    pub ruled: bool,
    /// The command or code, if people can ask for another one instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amend: Option<String>,
    /// Who may approve it, if not everybody who may answer, or not alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub care: Option<CareView>,
    /// What happens if nobody answers, if owners have set that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalation: Option<EscalationView>,
    /// Whether approving it needs a touch of a passkey.
    #[serde(default, skip_serializing_if = "is_not")]
    pub touch: bool,
}

impl ApprovalView {
    /// The highest risk rating of its actions.
    pub fn risk(&self) -> Risk {
        let rated = self.rows.iter().filter_map(|row| match &row.card {
            CardView::Step(step) => Some(step.risk),
            _ => None,
        });
        rated.max().unwrap_or_default()
    }

    /// Whether a person with this name and role may approve it now. Everybody who may answer may reject it.
    pub fn takes_approval_of(&self, name: &str, role: Option<Role>) -> bool {
        self.care.as_ref().is_none_or(|care| {
            role.is_some_and(|role| role >= care.least)
                && (care.first.is_empty() || !care.first.eq_ignore_ascii_case(name))
        })
    }
}

/// What happens to an approval that nobody answers. Times are in milliseconds since the Unix epoch.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EscalationView {
    /// When deputies are told, at the latest if somebody looks; `None` if they were told, or there are none.
    pub tells_at: Option<i64>,
    /// Whether deputies are told later because somebody who may answer looks at the conversation.
    pub watched: bool,
    /// When deputies were told.
    pub told_at: Option<i64>,
    /// Their names; empty if none of them can answer.
    pub told: Vec<String>,
    /// When it is rejected; `None` if it keeps waiting.
    pub rejects_at: Option<i64>,
    /// Whether that time has come, and the rejection could not be sent yet.
    pub overdue: bool,
    /// Whether one person has approved it, and a second one has to.
    pub second: bool,
}

impl EscalationView {
    /// Whether the person with this name was told, as a deputy.
    pub fn is_passed_to(&self, name: &str) -> bool {
        self.told.iter().any(|one| one.eq_ignore_ascii_case(name))
    }
}

/// Who may approve what is rated high.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CareView {
    /// The role with the fewest rights that may.
    pub least: Role,
    /// Whether a second person has to.
    pub two: bool,
    /// Who has approved already, where a second person has to; else empty.
    pub first: String,
}

/// A pending approval with its conversation, for the inbox.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InboxItem {
    /// The conversation.
    pub conversation: ConversationSummary,
    /// The pending approval.
    pub approval: ApprovalView,
    /// Creator of the conversation, or empty.
    #[serde(rename = "starter")]
    pub creator: String,
    /// Whether the viewer may answer.
    pub answerable: bool,
    /// The viewer's role in the conversation.
    pub role: Role,
}

impl InboxItem {
    /// Since when it waits, milliseconds since the Unix epoch.
    pub fn since(&self) -> i64 {
        let begun = self.approval.rows.iter().map(|row| row.at);
        let begun = begun.filter(|at| *at > 0).min();
        begun.unwrap_or(self.conversation.updated_at)
    }

    /// Whether it calls for the attention of its viewer.
    pub fn calls(&self) -> bool {
        self.answerable && !self.conversation.quiet
    }
}

/// Text that the model is currently writing; of a long text only the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftView {
    /// Reasoning.
    pub reasoning: String,
    /// Text.
    pub text: String,
}
