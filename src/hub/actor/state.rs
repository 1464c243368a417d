//! The actor's state.

use super::connection::Connection;
use super::drafts::Writing;
use super::followers::Followers;
use super::sandbox::Sandbox;
use crate::backend::ReceivedEvent;
use crate::hub::authorities::Authorities;
use crate::hub::backends::BackendRegistry;
use crate::hub::deadlines::Deadlines;
use crate::hub::limits::Limits;
use crate::hub::list::List;
use crate::hub::message::{ActorMessage, Permit, Reply};
use crate::hub::parts::approval::PendingApproval;
use crate::hub::parts::controls::Controls;
use crate::hub::parts::link::Link;
use crate::hub::parts::log::Log;
use crate::hub::parts::outbox::Outbox;
use crate::hub::renderer::Renderer;
use crate::hub::rules::Rules;
use crate::hub::seen::Seen;
use crate::hub::support::Tasks;
use crate::hub::touches::KnownTouches;
use crate::journal::{ApprovalState, AuditEntry, Journal, Outgoing};
use crate::live::{BudgetView, EscalationView, SessionView};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Weak};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// What the actors of all conversations use.
#[derive(Clone)]
pub(in crate::hub) struct Context {
    pub(in crate::hub) journal: Journal,
    pub(in crate::hub) backends: Arc<BackendRegistry>,
    pub(in crate::hub) list: Arc<List>,
    pub(in crate::hub) renderer: Renderer,
    pub(in crate::hub) seen: Arc<Seen>,
    pub(in crate::hub) rules: Arc<Rules>,
    pub(in crate::hub) authorities: Arc<Authorities>,
    pub(in crate::hub) deadlines: Arc<Deadlines>,
    pub(in crate::hub) touches: Arc<KnownTouches>,
    pub(in crate::hub) limits: Arc<Limits>,
    pub(in crate::hub) tasks: Tasks,
}

/// Events from the connection: a full channel slows it down and loses nothing. A large event is alone in it.
const ARRIVALS: usize = 512;

/// What comes from the backend.
pub(super) struct Upstream {
    pub(super) connection: Option<Connection>,
    /// Ends the reading of the history.
    pub(super) backfilling: CancellationToken,
    pub(super) arrivals: mpsc::Receiver<ReceivedEvent>,
    pub(super) arrive: mpsc::Sender<ReceivedEvent>,
    pub(super) writing: Writing,
}

impl Upstream {
    pub(super) fn new(backfilling: CancellationToken) -> Self {
        let (arrive, arrivals) = mpsc::channel(ARRIVALS);
        Self {
            connection: None,
            backfilling,
            arrivals,
            arrive,
            writing: Writing::default(),
        }
    }

    /// Leaves what has arrived and what is still sent to be read again: it would be stored before what comes before it.
    pub(super) fn forget_arrivals(&mut self) {
        (self.arrive, self.arrivals) = mpsc::channel(ARRIVALS);
    }
}

/// What is under way in tasks, which report to the actor.
pub(super) struct InFlight {
    pub(super) me: mpsc::Sender<ActorMessage>,
    /// Answers by token, with the replies to identical later answers.
    pub(super) answering: HashMap<String, Vec<Reply<()>>>,
    /// Number of commands with an unknown outcome.
    pub(super) orders: usize,
    /// The rule or amendment that is about to answer.
    pub(super) ruling: Option<Ruling>,
    pub(super) unsure: Unsure,
}

/// What the journal has perhaps stored: it was lost before it could say so.
#[derive(Default)]
pub(super) struct Unsure {
    /// Answers, none of which was sent: their tokens, the states of the requests before, and the amendments that gave them.
    pub(super) answers: VecDeque<(String, ApprovalState, Option<i64>)>,
    /// Messages, the oldest first. None of them was sent.
    pub(super) messages: VecDeque<Outgoing>,
}

/// A rule or amendment that covers what is pending, and is to answer once everything before it is stored.
pub(super) struct Ruling {
    /// The token of the approval.
    pub(super) token: String,
    /// Its maker's name, or empty.
    pub(super) by: String,
    pub(super) permit: Permit,
    /// The audit entry of the answer, but for its time.
    pub(super) entry: AuditEntry,
    /// From then on a person is asked.
    pub(super) until: Instant,
}

/// Whether a conversation is watched, and whether something happens in it.
pub(super) struct Activity {
    pub(super) watching: Weak<()>,
    /// When a user last watched, or an event last arrived.
    pub(super) needed_at: Instant,
    /// When an event last arrived.
    pub(super) last_event_at: Instant,
    /// How long there was none, as it was last told; see `silent_for`.
    pub(super) silent: Option<u64>,
    /// Whether a budget is used up.
    pub(super) budget: BudgetWatch,
    /// What happens to an action that nobody answers.
    pub(super) deadline: DeadlineWatch,
}

/// What is known of the budgets of a conversation.
#[derive(Default)]
pub(super) struct BudgetWatch {
    /// The cost when they were compared last.
    pub(super) cost: f64,
    pub(super) compared_at: Option<Instant>,
    pub(super) stopped_at: Option<Instant>,
    /// The one that is used up, and not lifted.
    pub(super) used_up: Option<BudgetView>,
}

impl BudgetWatch {
    /// They may have changed.
    pub(super) fn again(&mut self) {
        self.compared_at = None;
    }
}

/// What an actor knows of the action that waits.
#[derive(Default)]
pub(super) struct DeadlineWatch {
    /// The token of its approval.
    pub(super) token: String,
    /// When to look next; `None` for at once.
    pub(super) next: Option<Instant>,
    /// How often its rejection was tried.
    pub(super) tries: u32,
    /// What pages show.
    pub(super) shown: Option<EscalationView>,
}

impl DeadlineWatch {
    /// The setting may have changed.
    pub(super) fn again(&mut self) {
        self.next = None;
    }

    /// What pages show beside the approval with this token.
    pub(super) fn shown(&self, token: &str) -> Option<&EscalationView> {
        self.shown.as_ref().filter(|_| self.token == token)
    }
}

/// What the handle of a conversation observes.
pub(in crate::hub) struct Observed {
    pub(in crate::hub) session: watch::Sender<Arc<SessionView>>,
    pub(in crate::hub) newest: watch::Sender<i64>,
    pub(in crate::hub) backend_asked: watch::Sender<bool>,
}

pub struct ConversationActor {
    pub(super) context: Context,
    pub(super) log: Log,
    pub(super) link: Link,
    pub(super) approval: PendingApproval,
    pub(super) outbox: Outbox,
    pub(super) controls: Controls,
    pub(super) followers: Followers,
    pub(super) upstream: Upstream,
    pub(super) in_flight: InFlight,
    pub(super) activity: Activity,
    pub(super) sandbox: Sandbox,
    pub(in crate::hub) observed: Observed,
}
