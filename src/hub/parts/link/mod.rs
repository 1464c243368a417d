//! How a conversation is linked to its backend: one state machine, without input or output.
//!
//! Before and after every connection the backend is asked whether the sandbox is up: joining a conversation that was
//! stopped meanwhile would start it. Without a connection the history is read instead, which wakes nothing.

mod event;
mod steps;

pub use event::{Demand, Found, LinkAction, LinkEvent, Report, Unread};

use crate::backend::{ConnectionState, Runtime};
use crate::hub::view::is_up;
use std::time::{Duration, Instant};

/// How long an unneeded connection is kept: a page that is reloaded should find it.
const GRACE: Duration = Duration::from_secs(30);
/// Pause after a failure, doubled with each up to [`LONGEST_REST`].
pub const FIRST_REST: Duration = Duration::from_secs(1);
const LONGEST_REST: Duration = Duration::from_secs(30);
/// How often a starting sandbox is asked about (0.62 needs 20 to 140 s), and how long an answer lets us connect.
const STARTING: Duration = Duration::from_secs(2);
pub const ORDER_WAITS: Duration = Duration::from_secs(10);

/// The phase of the link. Results carry the number of their request; those of abandoned requests are ignored.
#[derive(Debug, Clone, PartialEq, Default)]
enum Phase {
    #[default]
    Unknown,
    /// The backend is asked how the conversation is.
    Checking(u64),
    /// The history is read without a connection.
    Backfilling(u64),
    /// An attempt has failed: the next one waits.
    Resting(Instant),
    Connected(Connected),
    /// There is no backend: nothing is asked and nothing is connected, whatever happens.
    Alone,
    /// The backend refuses the connection: only a person's wish, or another state of the sandbox, changes that.
    Refused(ConnectionState),
}

#[derive(Debug, Clone, PartialEq)]
struct Connected {
    number: u64,
    state: ConnectionState,
    /// Since when the connection is not needed.
    unneeded_since: Option<Instant>,
    /// The question to the backend that is under way beside it.
    checking: Option<u64>,
    /// A starting sandbox is not asked about before.
    next_check: Option<Instant>,
}

/// What is known of the backend's side of the conversation.
#[derive(Debug, Default)]
struct Knowledge {
    /// The backend has answered at least once.
    has_answered: bool,
    /// When it did so for the last time, while that still lets a connection be made.
    checked_at: Option<Instant>,
    /// The history was read since the last reported change.
    is_current: bool,
    /// The list reports activity in the conversation.
    is_active: bool,
    /// Why stored events cannot be read, if they cannot.
    unread: Option<String>,
}

#[derive(Debug, Default)]
pub struct Link {
    runtime: Runtime,
    phase: Phase,
    /// Number of the newest question, history or connection.
    number: u64,
    /// Answers to questions before this one are older than what a person did since.
    valid_from: u64,
    known: Knowledge,
    failures: u32,
    /// The failure that a user sees during the pause before the next attempt.
    failure: Option<ConnectionState>,
    is_wanted: bool,
    hurried_at: Option<Instant>,
    retried_at: Option<Instant>,
    /// The actions for the current event.
    actions: Vec<LinkAction>,
}

impl Link {
    pub fn new(runtime: Runtime) -> Self {
        Self {
            runtime,
            ..Self::default()
        }
    }

    /// A link of a conversation without a backend.
    pub fn alone() -> Self {
        Self {
            runtime: Runtime::Stopped,
            phase: Phase::Alone,
            ..Self::default()
        }
    }

    pub fn runtime(&self) -> Runtime {
        self.runtime
    }

    /// The sandbox is stopped or has failed.
    pub fn is_down(&self) -> bool {
        !is_up(self.runtime)
    }

    /// The state that a page shows.
    pub fn state(&self) -> ConnectionState {
        match (&self.phase, &self.failure) {
            (Phase::Connected(connected), _) => connected.state.clone(),
            (Phase::Refused(state), _) => state.clone(),
            (_, Some(failure)) => failure.clone(),
            (Phase::Checking(_), None) if self.is_wanted => ConnectionState::Connecting,
            _ => ConnectionState::Idle,
        }
    }

    /// Why stored events could not be read without a connection, if they could not.
    pub fn unread(&self) -> Option<&String> {
        self.known.unread.as_ref()
    }

    /// Whether there is a connection, or an answer is awaited.
    pub fn is_busy(&self) -> bool {
        use Phase::{Backfilling, Checking, Connected};
        matches!(self.phase, Checking(_) | Backfilling(_) | Connected(_))
    }

    /// Whether the history of this number is the one that is being read.
    pub fn is_backfilling(&self, number: u64) -> bool {
        self.phase == Phase::Backfilling(number)
    }

    /// Whether the connection of this number is the one that there is.
    pub fn is_connected(&self, number: u64) -> bool {
        matches!(&self.phase, Phase::Connected(connected) if connected.number == number)
    }

    /// Whether a connection is of use.
    pub fn wants(&self, demand: Demand) -> bool {
        let is_needed = demand.watched || demand.busy || demand.sending;
        is_up(self.runtime) && (is_needed || self.known.is_active)
    }

    /// Handles an event, and returns the resulting actions.
    pub fn on(&mut self, event: LinkEvent, demand: Demand, now: Instant) -> Vec<LinkAction> {
        if self.phase == Phase::Alone {
            return Vec::new();
        }
        self.apply(event, now);
        self.is_wanted = self.wants(demand);
        self.reconcile(now);
        std::mem::take(&mut self.actions)
    }

    fn apply(&mut self, event: LinkEvent, now: Instant) {
        match event {
            LinkEvent::Reconcile => {}
            LinkEvent::Checked(number, found) => self.checked(number, found, now),
            LinkEvent::Listed(report) => self.describe(report),
            LinkEvent::Backfilled(number, outcome) => {
                if self.phase == Phase::Backfilling(number) {
                    self.backfilled(outcome, now);
                    self.actions.push(LinkAction::BackendAsked);
                }
            }
            LinkEvent::ConnectionIs(state) => self.connection_is(state, now),
            LinkEvent::ConnectionEnded(number) => self.connection_ended(number, now),
            LinkEvent::NotConnected => {
                self.phase = Phase::Unknown;
                self.rest(now);
                self.actions.push(LinkAction::BackendAsked);
            }
            LinkEvent::NotStored => {
                // Nothing is lost: the backend is asked again from the position that is surely complete.
                self.known.is_current = false;
                self.let_go();
                self.rest(now);
                self.actions.push(LinkAction::BackendAsked);
            }
            LinkEvent::AgentSpoke => self.hasten(),
            LinkEvent::RuntimeIs(runtime) => self.runtime_is(runtime),
            LinkEvent::Started => {
                self.valid_from = self.number + 1;
                self.runtime_is(Runtime::Starting);
            }
            LinkEvent::Retry => {
                // Every reader may ask for this, as often as they like.
                let since = |at| now.saturating_duration_since(at);
                if self.retried_at.is_none_or(|at| since(at) >= STARTING) {
                    self.retried_at = Some(now);
                    self.failures = 0;
                    if let Phase::Refused(_) = self.phase {
                        self.phase = Phase::Unknown;
                    }
                    self.hasten();
                    if let Phase::Connected(_) = self.phase {
                        self.actions.push(LinkAction::Nudge);
                    }
                }
            }
            LinkEvent::Recheck => {
                if let Phase::Backfilling(_) = self.phase {
                    self.let_go();
                }
                let is_checking = match &self.phase {
                    Phase::Connected(connected) => connected.checking.is_some(),
                    phase => matches!(phase, Phase::Checking(_)),
                };
                if !is_checking {
                    self.check(now);
                }
            }
            LinkEvent::Hurry => self.hurried_at = Some(now),
        }
    }

    /// Moves the link towards what is needed.
    fn reconcile(&mut self, now: Instant) {
        let is_wanted = self.is_wanted;
        match &mut self.phase {
            Phase::Refused(_) | Phase::Checking(_) | Phase::Alone => {}
            Phase::Connected(connected) if is_wanted => {
                connected.unneeded_since = None;
                let is_due = connected.next_check.is_none_or(|at| at <= now);
                if self.runtime.is_coming_up() && connected.checking.is_none() && is_due {
                    self.check(now);
                }
            }
            Phase::Connected(connected) => {
                let since = *connected.unneeded_since.get_or_insert(now);
                if now.saturating_duration_since(since) >= GRACE {
                    self.let_go();
                }
            }
            Phase::Backfilling(_) if is_wanted => {
                // A connection reads the history itself.
                self.let_go();
                self.start(now);
            }
            Phase::Backfilling(_) => {}
            Phase::Resting(until) if *until > now => {}
            Phase::Resting(_) | Phase::Unknown => self.start(now),
        }
    }

    /// Starts what is needed if nothing is in progress.
    fn start(&mut self, now: Instant) {
        let is_fresh = |at| now.saturating_duration_since(at) < STARTING;
        if self.is_wanted && self.known.checked_at.is_some_and(is_fresh) {
            let number = self.next();
            self.failure = None;
            self.phase = Phase::Connected(Connected {
                number,
                state: ConnectionState::Connecting,
                unneeded_since: None,
                checking: None,
                next_check: Some(now + STARTING),
            });
            let urgent = self.is_urgent(now);
            self.actions.push(LinkAction::Connect { number, urgent });
        } else if self.is_wanted || !self.known.has_answered {
            self.check(now);
        } else if !self.known.is_current {
            let number = self.next();
            self.phase = Phase::Backfilling(number);
            self.actions.push(LinkAction::Backfill { number });
        } else {
            self.phase = Phase::Unknown;
        }
    }
}
