//! The state of a conversation, as opposed to the content of its timeline.
//!
//! `apply.rs` changes it. Everything in it is small and bounded, since it is stored with each batch of events.

use super::{
    Goal, Metrics, Policy, PositionOffset, Remedy, Risk, RowContext, Status, Stuck, Task,
    state::Reported, stuck::Watch,
};
use serde::{Deserialize, Serialize};

/// The state of a conversation, folded from its log.
///
/// Small and serializable: the journal keeps the newest one beside the log.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Session {
    /// Status of the agent.
    pub status: Status,
    /// Reason of the status, mostly for errors; else empty.
    pub reason: String,
    /// Position of the event that set the status: a late status never overrides a newer one (`docs/protocol/v0.md`
    /// section 5).
    pub status_pos: i64,
    /// Whether a delegate is working: ends of runs are then the delegate's, not the agent's (`docs/protocol/v0.md`
    /// section 6).
    pub delegating: bool,
    /// The title, or empty.
    pub title: String,
    /// Cost and tokens.
    pub metrics: Metrics,
    /// The current task list.
    pub tasks: Vec<Task>,
    /// The pending confirmation.
    pub pending: Option<PendingConfirmation>,
    /// The current failure (error frame, error status), or a transient message of the server (starting the sandbox).
    pub notice: Option<Notice>,
    /// Highest upstream position so far: the resume point.
    pub newest_pos: Option<i64>,
    /// Offset between those positions and upstream's ids.
    #[serde(rename = "shift")]
    pub offset: PositionOffset,
    /// Latest upstream timestamp, milliseconds since the Unix epoch.
    pub last_at: i64,
    /// Agent class and version, from the system event.
    pub about: Vec<String>,
    /// The model in use, or empty (1.x).
    pub model: Reported<String>,
    /// Which calls need approval, if known (1.x).
    pub policy: Reported<Option<Policy>>,
    /// The analyzer that rates the risk of calls, or empty (1.x).
    pub analyzer: Reported<String>,
    /// Whether the agent asks nobody before it acts, whatever the policy says: a program of ACP (1.x).
    pub asks_nobody: Reported<bool>,
    /// The goal loop (1.x).
    pub goal: Reported<Option<Goal>>,
    /// The row of the newest report that an idle agent was stopped to make room for another one: no news for a reader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub let_go: Option<i64>,
    /// Position of the newest decision: after it, 0.x may send the decided call again.
    pub(super) decided_pos: i64,
    /// Position of the newest status that asked for a confirmation.
    pub(super) asked_pos: i64,
    /// Position of the newest item that shows that what was asked before it is over: a decision, a message instead of one, or
    /// work.
    pub(super) over_pos: i64,
    /// Position of the newest answer to an approval request: a decision, or a message instead of one.
    #[serde(rename = "settled_pos")]
    pub(super) resolved_pos: i64,
    /// Position of the newest status that ended a run: calls open before it get no answer any more.
    pub(super) rest_pos: i64,
    /// Position of the event with the task list.
    pub(super) tasks_pos: i64,
    /// The newest call: the subject of the next status, and compared with a repetition.
    pub(super) last_call: Option<SeenCall>,
    /// The row and the tool of the newest event, if it is a call without a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<(i64, String)>,
    /// Calls that may still get an answer, oldest first.
    pub(super) open: Vec<SeenCall>,
    /// What tells whether the agent is stuck.
    pub(super) watch: Watch,
    /// The row of the current failure.
    pub(super) trouble: Option<Trouble>,
}

/// The actions that one answer decides on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PendingConfirmation {
    /// The calls; empty while only the status has arrived (0.x sends it first).
    pub calls: Vec<PendingCall>,
}

/// A call that needs approval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PendingCall {
    /// Upstream's key of the call.
    pub key: String,
    /// Id of its row.
    pub row: i64,
    /// Fingerprint of tool and arguments. After the answer 0.x sends the call again with another key; only the
    /// fingerprint shows that it is the same.
    pub fingerprint: String,
    /// Risk rating.
    pub risk: Risk,
    /// Whether the server really holds it back; otherwise it is carried out before the answer.
    pub held: bool,
}

/// A notice above the timeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Notice {
    /// Severity.
    pub tone: Tone,
    /// Upstream's code, for example `STATUS$ERROR_LLM_AUTHENTICATION`, or empty.
    pub code: String,
    /// Its text.
    pub text: String,
    /// What a person can do about it, if upstream says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Remedy>,
}

/// Severity of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// For information.
    Info,
    /// Success.
    Good,
    /// Needs attention.
    Warning,
    /// Failure.
    Bad,
}

impl Tone {
    /// Its word in the classes of the style sheet.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Good => "good",
            Self::Warning => "warning",
            Self::Bad => "bad",
        }
    }
}

/// The data about a call that later events need.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct SeenCall {
    pub key: Option<String>,
    pub pos: i64,
    pub row: i64,
    pub fingerprint: String,
    pub risk: Risk,
    pub held: bool,
    /// Whether it stays pending after a message (1.x).
    #[serde(default)]
    pub kept: bool,
    /// Whether the call itself said that it needs approval.
    pub asked: bool,
    /// Fingerprint of the task, if the call is a delegation.
    pub task: Option<String>,
}

impl SeenCall {
    pub fn pending(&self) -> PendingCall {
        PendingCall {
            key: self.key.clone().unwrap_or_default(),
            row: self.row,
            fingerprint: self.fingerprint.clone(),
            risk: self.risk,
            held: self.held,
        }
    }
}

/// The current failure: its row, its code and the beginning of its text, and fingerprints of the reports in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Trouble {
    pub row: i64,
    pub said: Vec<String>,
    #[serde(default)]
    pub code: String,
    #[serde(default)]
    pub text: String,
}

impl Session {
    /// The position of an item; one without an upstream position goes after all known ones.
    pub fn pos_of(&self, item: &super::LogItem) -> i64 {
        item.pos.or(self.newest_pos).unwrap_or(0)
    }

    /// State of a row that does not follow from its own items.
    pub fn context(&self, row: i64) -> RowContext {
        RowContext {
            waiting: self
                .pending
                .iter()
                .flat_map(|pending| &pending.calls)
                .any(|call| call.row == row),
            open: self.open.iter().any(|call| call.row == row),
            seq: 0,
        }
    }

    /// Says that no event follows: open calls get no result any more.
    pub fn end_calls(&mut self) {
        self.open.clear();
        self.delegating = false;
    }

    /// Whether the last confirmation has ended without an answer, and nothing has happened since.
    pub fn lapsed(&self) -> bool {
        self.pending.is_none() && self.asked_pos > self.over_pos
    }

    /// Whether calls have no result yet.
    pub fn has_open_calls(&self) -> bool {
        !self.open.is_empty()
    }

    /// What the newest call is applied to while it has no result: a command, a file. Not sanitised.
    pub fn works_on(&self) -> Option<&str> {
        let (row, subject) = self.watch.newest();
        let is_open = self.open.iter().any(|call| call.row == row);
        (is_open && self.pending.is_none() && !subject.is_empty()).then_some(subject)
    }

    /// Whether the agent may be stuck, whatever its status. Silence is not in the log, and not seen here.
    pub fn stuck(&self) -> Option<Stuck> {
        self.watch.stuck(self.metrics.cost)
    }

    /// The latest delegation without a result.
    pub(super) fn delegate(&self) -> Option<&SeenCall> {
        self.open.iter().rev().find(|call| call.task.is_some())
    }
}
