//! Holding and letting go of the line to the backend, and reading history where no line may be held.
//!
//! Before every line, and whenever a line is lost, the backend is asked whether the runtime is up:
//! joining a conversation that has been stopped meanwhile would start it.

use super::keeper::{Keeper, notice};
use super::room::Input;
use super::view;
use crate::backend::{
    Arrived, Backend, BackendError, Command, ConversationInfo, Delivery, Line, LineState, Order,
    Runtime,
};
use crate::conversation::{Status, Tone};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long a line is kept that nobody needs: a page that is reloaded should find it.
const GRACE: Duration = Duration::from_secs(30);
/// How often a starting runtime is asked whether it is up. 0.62 needs 20 to 140 s.
const STARTING: Duration = Duration::from_secs(2);
/// Rest after a failure, doubled up to [`LONGEST_REST`].
const FIRST_REST: Duration = Duration::from_secs(1);
/// The longest rest between two attempts.
const LONGEST_REST: Duration = Duration::from_secs(30);
/// Orders that wait for the line.
const ORDERS: usize = 16;

/// A line that is held.
pub(super) struct Held {
    generation: u64,
    orders: mpsc::Sender<Order>,
    state: watch::Receiver<LineState>,
    retry: Arc<Notify>,
    cancel: CancellationToken,
    /// Since when nobody needs it.
    idle_since: Option<Instant>,
}

impl Held {
    /// Waits for a change of the line's state; for ever when there is no line.
    pub(super) async fn changed(line: Option<&mut Self>) {
        let changed = match line {
            Some(held) => held.state.changed().await.is_ok(),
            None => false,
        };
        // A line that has ended is heard of by `Input::LineEnded`.
        if !changed {
            std::future::pending::<()>().await;
        }
    }

    /// Whether it is up and has brought everything.
    pub(super) fn is_live(&self) -> bool {
        *self.state.borrow() == LineState::Live
    }
}

/// What the task knows about its questions to the backend.
#[derive(Default)]
pub(super) struct Looking {
    /// A question is under way.
    asking: bool,
    /// A question was answered.
    asked: bool,
    /// History is being read.
    filling: bool,
    /// History was read since the backend said that something changed.
    filled: bool,
    /// The backend does not want us: only a person's wish changes that.
    refused: bool,
    /// The runtime was seen up a moment ago: a line may be taken.
    fresh: Option<Instant>,
    /// Asked by nobody, but the list says that something happens there.
    pub(super) curious: bool,
    /// Nothing is asked before.
    rest_until: Option<Instant>,
    failures: u32,
    generation: u64,
}

impl Looking {
    pub(super) fn is_under_way(&self) -> bool {
        self.asking || self.filling
    }

    /// Rests after a failure, each time longer. Answers for how long.
    pub(super) fn wait(&mut self) -> Duration {
        let rest = FIRST_REST
            .saturating_mul(1 << self.failures.min(5))
            .min(LONGEST_REST);
        self.failures += 1;
        self.fresh = None;
        self.rest_until = Some(Instant::now() + rest);
        rest
    }
}

impl Keeper {
    /// Whether a line is of use: somebody watches, the agent is at work, or something is to be sent.
    pub(super) fn wants_line(&self) -> bool {
        let up = matches!(self.runtime, Runtime::Running | Runtime::Starting);
        let busy = match self.session.status {
            // An empty log says `Loading`, too; then only the list's word counts.
            Status::Loading => self.session.newest_pos.is_some(),
            Status::Running
            | Status::AwaitingConfirmation
            | Status::Confirmed
            | Status::UserRejected => true,
            _ => false,
        };
        up && (self.is_watched() || busy || self.looking.curious || self.is_sending())
    }

    /// Brings the line to what is wanted. Called after everything that happens.
    pub(super) fn tend_line(&mut self) {
        let wanted = self.wants_line();
        let now = Instant::now();
        let starting = self.runtime == Runtime::Starting;
        let may_ask =
            !self.looking.asking && self.looking.rest_until.is_none_or(|until| until <= now);
        match &mut self.line {
            Some(held) if wanted => {
                held.idle_since = None;
                if starting && may_ask {
                    self.look();
                }
            }
            Some(held) => {
                if held.idle_since.get_or_insert(now).elapsed() >= GRACE {
                    self.drop_line();
                }
            }
            None if self.looking.refused => {}
            None if wanted && self.looking.fresh.is_some_and(|at| at.elapsed() < STARTING) => {
                self.hold()
            }
            None if !may_ask => {}
            None if wanted || !self.looking.asked => self.look(),
            None => self.fill(),
        }
    }

    /// Asks the backend how the conversation is.
    fn look(&mut self) {
        self.looking.asking = true;
        self.looking.rest_until = Some(Instant::now() + STARTING);
        if self.line.is_none() && self.wants_line() && self.line_state == LineState::Idle {
            self.line_state = LineState::Connecting;
        }
        let (backend, id, me) = (
            Arc::clone(&self.backend),
            self.described.id.clone(),
            self.me.clone(),
        );
        self.hub.spawn(async move {
            let found = backend.conversation(&id).await;
            // If the task has ended, nobody is interested.
            let _ = me.send(Input::Checked(found)).await;
        });
    }

    /// The answer to [`Keeper::look`].
    pub(super) async fn checked(&mut self, found: Result<Option<ConversationInfo>, BackendError>) {
        self.looking.asking = false;
        match found {
            Ok(Some(info)) => {
                self.looking.asked = true;
                self.looking.failures = 0;
                if self.line.is_none() {
                    self.line_state = LineState::Idle;
                }
                self.looking.fresh = Some(Instant::now());
                if info.runtime != Runtime::Starting {
                    self.looking.rest_until = None;
                }
                self.listed(info).await;
            }
            Ok(None) => {
                self.hint = Some(notice(
                    Tone::Warning,
                    "The backend no longer knows this conversation. What you see is what Handrail remembers.",
                ));
                self.runtime_is(Runtime::Stopped).await;
                self.looking.asked = true;
                self.looking.filled = true;
                self.looked.send_replace(true);
            }
            Err(error) => {
                self.looked.send_replace(true);
                let rest = self.looking.wait();
                if self.line.is_none() {
                    self.line_state = LineState::Reconnecting {
                        attempt: self.looking.failures,
                        why: error.to_string(),
                        retry_in: u32::try_from(rest.as_secs()).unwrap_or(u32::MAX),
                    };
                }
            }
        }
    }

    /// What the backend says of the conversation.
    pub(super) async fn listed(&mut self, info: ConversationInfo) {
        if info.updated_at > self.described.updated_at {
            self.looking.filled = false;
            self.looking.curious |= info.runtime == Runtime::Running;
        }
        let updated_at = self.described.updated_at.max(info.updated_at);
        let backend = self.described.backend.clone();
        let runtime = info.runtime;
        let described = view::described(&info, &backend);
        self.described = crate::journal::Described {
            updated_at,
            ..described
        };
        self.runtime_is(runtime).await;
    }

    pub(super) async fn runtime_is(&mut self, runtime: Runtime) {
        if self.runtime != runtime {
            tracing::info!(conversation = self.id(), from = ?self.runtime, to = ?runtime, "runtime");
            self.looking.filled = false;
            self.looking.refused = false;
        }
        self.runtime = runtime;
        self.described.runtime = view::word_of(runtime).to_owned();
        if let Err(error) = self
            .hub
            .journal()
            .describe(vec![self.described.clone()])
            .await
        {
            tracing::warn!(conversation = self.id(), %error, "what the backend says could not be stored");
        }
        if matches!(runtime, Runtime::Stopped | Runtime::Error) {
            self.looking.curious = false;
            self.drop_line();
            self.line_state = LineState::Idle;
        }
    }

    /// Takes the line.
    fn hold(&mut self) {
        self.looking.generation += 1;
        let generation = self.looking.generation;
        let (orders, ordered) = mpsc::channel(ORDERS);
        let (state, seen) = watch::channel(LineState::Connecting);
        let (retry, cancel) = (Arc::new(Notify::new()), self.hub.0.stopping.child_token());
        let line = Line {
            after: self.complete_to,
            events: self.arrive.clone(),
            state,
            orders: ordered,
            retry: Arc::clone(&retry),
            cancel: cancel.clone(),
        };
        let held = self.backend.hold(&self.described.id, line);
        let (me, dropped) = (self.me.clone(), cancel.clone());
        self.hub.spawn(async move {
            let mut task = tokio::spawn(held);
            tokio::select! {
                outcome = &mut task => if let Err(error) = outcome && error.is_panic() {
                    tracing::error!("a line to the backend panicked; it is taken anew");
                },
                // A line has a moment to say good-bye.
                () = async { dropped.cancelled().await; tokio::time::sleep(FIRST_REST).await } => task.abort(),
            }
            // If the task has ended, nobody is interested.
            let _ = me.send(Input::LineEnded(generation)).await;
        });
        self.line_state = LineState::Connecting;
        self.line = Some(Held {
            generation,
            orders,
            state: seen,
            retry,
            cancel,
            idle_since: None,
        });
    }

    /// Lets go of the line.
    pub(super) fn drop_line(&mut self) {
        if let Some(held) = self.line.take() {
            held.cancel.cancel();
        }
        self.looking.fresh = None;
        self.line_state = LineState::Idle;
    }

    /// The line says how it is.
    pub(super) fn line_changed(&mut self) {
        let Some(held) = &mut self.line else { return };
        let state = held.state.borrow_and_update().clone();
        match &state {
            LineState::Live => {
                self.looked.send_replace(true);
                self.looking.filled = true;
                self.looking.failures = 0;
                self.looking.curious = false;
            }
            // Was it stopped? Then the line must not come back by itself.
            LineState::Reconnecting { .. } if !self.looking.asking => self.look(),
            _ => {}
        }
        if std::mem::discriminant(&self.line_state) != std::mem::discriminant(&state) {
            tracing::info!(conversation = self.id(), line = ?state, "line");
        }
        self.line_state = state;
    }

    /// A line ended by itself: upstream does not want us, or it failed in a way that it did not foresee.
    pub(super) fn line_ended(&mut self, generation: u64) {
        let Some(held) = self.line.take_if(|held| held.generation == generation) else {
            return;
        };
        let state = held.state.borrow().clone();
        self.looked.send_replace(true);
        if let LineState::Refused { .. } = state {
            self.looking.refused = true;
            self.line_state = state;
        } else {
            self.looking.wait();
            self.line_state = LineState::Idle;
        }
    }

    /// A person wants the line tried now.
    pub(super) fn retry(&mut self) {
        self.looking.refused = false;
        self.looking.rest_until = None;
        self.looking.failures = 0;
        if let Some(held) = &self.line {
            held.retry.notify_one();
        }
    }

    /// Reads what is missing of the history of a conversation that has no line, without waking it.
    fn fill(&mut self) {
        if self.looking.filled || self.looking.filling {
            return;
        }
        self.looking.filling = true;
        let (backend, id, me) = (
            Arc::clone(&self.backend),
            self.described.id.clone(),
            self.me.clone(),
        );
        let (after, arrive) = (self.complete_to, self.arrive.clone());
        self.hub.spawn(async move {
            let outcome = read_history(&*backend, &id, after, &arrive).await;
            // If the task has ended, nobody is interested.
            let _ = me.send(Input::Filled(outcome)).await;
        });
    }

    /// The history was read.
    pub(super) async fn filled(&mut self, outcome: Result<Option<i64>, BackendError>) {
        // Everything that was read is in the channel by now; it is stored before it counts as complete.
        while let Ok(first) = self.arrivals.try_recv() {
            let mut batch = vec![first];
            while batch.len() < 256
                && let Ok(next) = self.arrivals.try_recv()
            {
                batch.push(next);
            }
            self.take_in(batch).await;
        }
        self.looking.filling = false;
        match outcome {
            Ok(reached) => {
                self.looking.filled = true;
                self.looking.failures = 0;
                self.complete_to = reached.max(self.complete_to);
                if let Some(pos) = self.complete_to
                    && let Err(error) = self
                        .hub
                        .journal()
                        .complete_to(&self.described.id, pos)
                        .await
                {
                    tracing::warn!(conversation = self.id(), %error, "it could not be stored how far the history is read");
                }
            }
            Err(error) => {
                tracing::info!(conversation = self.id(), %error, "the history could not be read");
                self.looking.wait();
            }
        }
        self.looked.send_replace(true);
    }

    /// Gives an order to the line. `None` when there is none that is up.
    pub(super) fn order(&mut self, command: Command) -> Option<oneshot::Receiver<Delivery>> {
        let held = self.line.as_ref().filter(|held| held.is_live())?;
        let (done, outcome) = oneshot::channel();
        held.orders.try_send(Order { command, done }).ok()?;
        self.orders += 1;
        Some(outcome)
    }

    /// Reports what becomes of an order.
    pub(super) fn report(&self, outcome: oneshot::Receiver<Delivery>, sent: super::room::Sent) {
        let me = self.me.clone();
        self.hub.spawn(async move {
            let lost = || Delivery::Unknown("the line was lost".to_owned());
            let delivery = outcome.await.unwrap_or_else(|_| lost());
            // If the task has ended, the journal says that it was on its way.
            let _ = me.send(Input::Delivered { sent, delivery }).await;
        });
    }
}

/// Reads pages until there are no more; answers the position that was reached.
async fn read_history(
    backend: &dyn Backend,
    id: &str,
    mut after: Option<i64>,
    arrive: &mpsc::Sender<Arrived>,
) -> Result<Option<i64>, BackendError> {
    loop {
        let page = backend.history(id, after).await?;
        let newest = page.events.iter().filter_map(|event| event.item.pos).max();
        for event in page.events {
            // The task holds the other end; without it nobody reads on.
            if arrive.send(event).await.is_err() {
                return Ok(after);
            }
        }
        let goes_on = newest > after;
        after = newest.max(after);
        // A page that leads nowhere would be asked for again and again.
        if !page.more || !goes_on {
            return Ok(after);
        }
    }
}
