//! What the pages are made of beside the rows of a timeline.

use crate::backend::{Capabilities, LineState, Runtime};
use crate::conversation::{Goal, Metrics, Notice, Policy, Status, Tags, Task};
use crate::people::{Role, Sharing};
use crate::render::RowView;
use serde::{Deserialize, Serialize};

/// A line of the conversation list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConversationSummary {
    /// Its id.
    pub id: String,
    /// Its title, or empty.
    pub title: String,
    /// What the agent is doing.
    pub status: Status,
    /// Whether the runtime is up.
    pub runtime: Runtime,
    /// How many actions wait for an answer.
    pub waiting: u32,
    /// First line of what waits ("Run rm -rf build"), or of the last message, or empty.
    pub excerpt: String,
    /// US dollars so far.
    pub cost: f64,
    /// Repository it works in.
    pub repository: Option<String>,
    /// Branch it began from.
    pub branch: Option<String>,
    /// Its labels.
    #[serde(default)]
    pub tags: Tags,
    /// Name of its backend.
    pub backend: String,
    /// Made at, milliseconds since the Unix epoch, UTC.
    pub created_at: i64,
    /// Last changed at, milliseconds since the Unix epoch, UTC.
    pub updated_at: i64,
}

impl ConversationSummary {
    /// Repository or folder, if it says anything: a folder that was made for this conversation alone has its id for a
    /// name.
    pub fn place(&self) -> Option<&str> {
        let place = self.repository.as_deref();
        place.filter(|place| !place.ends_with(self.id.as_str()))
    }

    /// Whether a person is needed: something waits for a yes or no, or the agent has stopped on an
    /// error that it does not leave by itself.
    pub fn needs_you(&self) -> bool {
        self.waiting > 0
            || matches!(
                self.status,
                Status::AwaitingConfirmation | Status::Error | Status::RateLimited | Status::Stuck
            )
    }
}

/// The list with what it depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListView {
    /// The conversations: those that need a person first, then the newest.
    pub conversations: Vec<ConversationSummary>,
    /// The backends, each with what is wrong with it: of one that is away the list is what we remember.
    pub backends: Vec<BackendView>,
}

/// The backend as the pages know it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BackendView {
    /// Its name.
    pub label: String,
    /// It is the embedded rehearsal: nothing is executed.
    pub rehearsal: bool,
    /// What it can do.
    pub capabilities: Capabilities,
    /// What is wrong with it, in a whole sentence.
    pub trouble: Option<String>,
}

/// First picture of a conversation: enough to read and act without a script.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConversationView {
    /// Its id.
    pub id: String,
    /// The journal's newest `seq` in this picture: the live line goes on from here.
    pub seq: i64,
    /// The newest rows, oldest first.
    pub rows: Vec<RowView>,
    /// There are older rows.
    pub older: bool,
    /// Everything beside the timeline.
    pub session: SessionView,
    /// The backend.
    pub backend: BackendView,
    /// Repository it works in.
    pub repository: Option<String>,
    /// Branch it began from.
    pub branch: Option<String>,
    /// Who began it, and who sees it.
    pub sharing: Sharing,
    /// What who looks may do here; `None` for visitors.
    pub role: Option<Role>,
    /// Who watches it.
    pub here: HereView,
}

impl ConversationView {
    /// The same for who comes by a link: what happens, and nothing of the house in which it does.
    pub fn for_visitors(self) -> Self {
        Self {
            session: self.session.for_visitors(),
            backend: BackendView::default(),
            repository: None,
            branch: None,
            sharing: Sharing::default(),
            role: None,
            here: HereView::default(),
            ..self
        }
    }
}

/// Who watches a conversation now, each once.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HereView {
    /// Names, in order.
    pub names: Vec<String>,
    /// Visitors by links.
    pub visitors: u32,
}

/// A page of rows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RowsView {
    /// The rows, oldest first.
    pub rows: Vec<RowView>,
    /// There are older ones.
    pub older: bool,
}

/// What is so in a conversation now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionView {
    /// The title, or empty.
    pub title: String,
    /// What the agent is doing.
    pub status: Status,
    /// Why, mostly for errors; else empty.
    pub reason: String,
    /// Whether the runtime is up.
    pub runtime: Runtime,
    /// How our line to the backend is.
    pub line: LineState,
    /// Cost and tokens.
    pub metrics: Metrics,
    /// The task list.
    pub tasks: Vec<Task>,
    /// What waits for an answer.
    pub approval: Option<ApprovalView>,
    /// A word of the backend that stands.
    pub notice: Option<Notice>,
    /// Messages on their way.
    pub outbox: Vec<OutboxView>,
    /// Agent class, version.
    pub about: Vec<String>,
    /// The model that works, or empty.
    pub model: String,
    /// Which actions wait for an answer, where that is told.
    pub policy: Option<Policy>,
    /// Who judges how dangerous they are, or empty.
    pub analyzer: String,
    /// What the agent is sent back to work for until it is reached, if anything.
    pub goal: Option<Goal>,
    /// Labels of the conversation.
    pub tags: Tags,
}

impl SessionView {
    /// The same for who comes by a link: without the backend's address, without labels, and
    /// without what people have not sent yet.
    pub fn for_visitors(mut self) -> Self {
        if let LineState::Reconnecting { why, .. } | LineState::Refused { why, .. } = &mut self.line
        {
            *why = "the backend is away".to_owned();
        }
        self.outbox.clear();
        self.about.clear();
        self.tags = Tags::default();
        self
    }
}

/// What waits for one answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ApprovalView {
    /// Names exactly what is shown: an answer carries it back, and an answer to something else is
    /// refused.
    pub token: String,
    /// The rows it is about. Their steps are shown whole, hidden characters made visible.
    pub rows: Vec<RowView>,
    /// What the backend really does with these actions, in a whole sentence, where it does not hold
    /// them back ("already carried out; approving runs it again").
    pub caution: Option<String>,
    /// An answer is on its way.
    pub answering: bool,
}

/// One thing that waits, with the conversation that it waits in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InboxItem {
    /// The conversation.
    pub conversation: ConversationSummary,
    /// What waits.
    pub approval: ApprovalView,
    /// Who began the conversation, or empty.
    pub starter: String,
    /// Who looks may answer.
    pub answerable: bool,
}

/// Something that the model is writing: of a long text the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftView {
    /// What it thinks.
    pub reasoning: String,
    /// What it says.
    pub text: String,
}

/// A message on its way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutboxView {
    /// The id that the page gave it.
    pub client_id: String,
    /// The text.
    pub text: String,
    /// Who wrote it; empty when there is nobody else.
    pub by: String,
    /// How many images go with it.
    pub images: u32,
    /// How far it is.
    pub state: OutboxState,
    /// Why it failed or what is unsure, or empty.
    pub why: String,
    /// Written at, milliseconds since the Unix epoch, UTC.
    pub at: i64,
}

/// How far a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutboxState {
    /// On its way.
    Sending,
    /// Taken by the backend; it will appear on the timeline.
    Sent,
    /// Not sent.
    Failed,
    /// It may or may not have arrived.
    Indeterminate,
}
