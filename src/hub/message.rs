//! The messages that the actor of a conversation handles.

use super::{Follower, HubResult};
use crate::backend::{BackendError, ConversationInfo, Delivery, Runtime};
use crate::conversation::Tags;
use crate::journal::{AmendmentRecord, AuditEntry, NewAmendment, NewTouch, Outgoing};
use crate::live::{Decision, Steering};
use crate::people::Caller;
use crate::request_id::RequestId;
use tokio::sync::oneshot;

/// Scripts make no rules: one of them would outlive its token.
pub(super) const NO_TOKENS: &str = "Rules are made on the page: log in with a browser.";

/// Where an outcome is sent.
pub(super) type Reply<T> = oneshot::Sender<HubResult<T>>;

/// Messages to the actor of a conversation, beside the events of its connection.
pub(super) enum ActorMessage {
    /// Ends the actor as a fault in it does.
    #[cfg(test)]
    Panic,
    /// Another message, which a request has sent.
    Within(RequestId, Box<Self>),
    /// A person, by their number, follows from a cursor on.
    Follow {
        person: i64,
        after: i64,
        reply: Reply<Follower>,
    },
    Say {
        message: Box<Outgoing>,
        /// The token of the approval that they have had before them for long enough, and which the message rejects.
        seen: Option<String>,
        /// Whether it is refused while an approval is pending.
        alone: bool,
        /// Receives whether the sandbox must be started for it.
        reply: Reply<bool>,
    },
    /// A person tries a message again, or gives it up.
    ResolveFailed {
        client_id: String,
        again: bool,
        /// Receives whether the sandbox must be started for it.
        reply: Reply<bool>,
    },
    Answer {
        answer: Answer,
        reply: Reply<()>,
    },
    /// A person asks for another action instead of the pending one, which the answer rejects.
    Amend {
        answer: Answer,
        text: String,
        reply: Reply<()>,
    },
    /// A person was handed a row with all that it holds.
    HandedOut {
        row: i64,
        by: String,
    },
    Steer {
        order: Steering,
        reply: Reply<()>,
    },
    /// What is shown of approvals or budgets, or happens without an answer, may have changed, by a setting.
    Refresh,
    /// A person wants the connection tried now.
    Retry,
    /// A user sent a command and waits for the connection.
    Hurry,
    /// A control waits for the running step.
    Slow(Steering),
    /// Something that was under way has failed, and why.
    Failed(String),
    Renamed(String),
    Tagged(Tags),
    /// A person has started its sandbox.
    Started,
    /// It could not be started for the messages that wait for it, and why.
    NotStarted(String),
    /// The sandbox was asked to change to this state, or the list reports it.
    RuntimeIs(Runtime),
    /// The backend's list contains this.
    Listed(Box<ConversationInfo>),
    /// The answer to the question of this number how the conversation is.
    Checked(u64, Result<Option<ConversationInfo>, BackendError>),
    /// The history of this number was read, up to this position.
    Backfilled(u64, Result<Option<i64>, BackendError>),
    /// The connection of this number ended by itself.
    ConnectionEnded(u64),
    /// What became of an order.
    Delivered {
        sent: Sent,
        delivery: Delivery,
    },
    End(CloseReason),
}

/// A person's answer to an approval.
pub(super) struct Answer {
    pub(super) token: String,
    pub(super) decision: Decision,
    pub(super) reason: String,
    /// Their name, or empty.
    pub(super) by: String,
    /// Who answers; `None` for a rule, for a message that rejects, and for nobody.
    pub(super) caller: Option<Box<Caller>>,
    /// They had the approval before them for long enough when they answered.
    pub(super) seen: bool,
    /// The rule or amendment that answers for them.
    pub(super) rule: Option<Box<ByRule>>,
    /// What they ask for instead of what they reject.
    pub(super) amendment: Option<NewAmendment>,
    /// What their passkey has signed for it.
    pub(super) touch: Option<Box<NewTouch>>,
}

/// What answers without asking a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Permit {
    /// A rule, found as one of an owner or not.
    Rule {
        number: i64,
        of_owner: bool,
    },
    Amendment(AmendmentRecord),
    /// Nobody has answered in time. It only rejects.
    Unanswered,
}

/// A rule or amendment that answers.
pub(super) struct ByRule {
    pub(super) permit: Permit,
    /// The audit entry that is stored with the answer; then it has its own number as `about`.
    pub(super) entry: AuditEntry,
}

/// A command whose outcome is reported.
pub(super) enum Sent {
    Message {
        client_id: String,
    },
    /// A run that reads the messages on the timeline.
    Run,
    Answer {
        answer: Answer,
        reply: Reply<()>,
    },
    /// One of the three controls.
    Steering {
        order: Steering,
        /// Set while the person waits for the outcome.
        reply: Option<Reply<()>>,
    },
}

/// Why a conversation is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CloseReason {
    Deleted,
    /// Another backend is used from now on, or the server ends.
    Closed,
}
