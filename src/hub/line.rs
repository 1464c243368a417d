//! Holding and letting go of the line to the backend.
//!
//! Before every line, and whenever a line is lost, the backend is asked whether the runtime is up:
//! joining a conversation that has been stopped meanwhile would start it.

use super::keeper::Keeper;
use super::looking::{FIRST_REST, STARTING};
use super::room::{Input, Sent};
use crate::backend::{Command, Delivery, Line, LineState, Order, Runtime};
use crate::conversation::Status;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long a line is kept that nobody needs: a page that is reloaded should find it.
const GRACE: Duration = Duration::from_secs(30);
/// Orders that wait for the line.
const ORDERS: usize = 16;
/// Pause before what could not be sent is tried again.
const BEFORE_AGAIN: Duration = Duration::from_millis(500);

/// A line that is held.
pub(super) struct Held {
    generation: u64,
    orders: mpsc::Sender<Order>,
    state: watch::Receiver<LineState>,
    solid: watch::Receiver<i64>,
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

    /// Whether it is up and has brought everything that was there when it came up.
    pub(super) fn is_live(&self) -> bool {
        *self.state.borrow() == LineState::Live
    }

    /// Up to which position nothing is missing of what it has handed on.
    pub(super) fn solid(&self) -> i64 {
        *self.solid.borrow()
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

    /// Takes the line.
    fn hold(&mut self) {
        self.looking.generation += 1;
        let generation = self.looking.generation;
        let (orders, ordered) = mpsc::channel(ORDERS);
        let (state, seen) = watch::channel(LineState::Connecting);
        let (say_solid, solid) = watch::channel(-1);
        let (retry, cancel) = (Arc::new(Notify::new()), self.hub.0.stopping.child_token());
        let line = Line {
            past: self.past(),
            events: self.arrive.clone(),
            solid: say_solid,
            pieces: self.writing.sink(),
            state,
            orders: ordered,
            retry: Arc::clone(&retry),
            cancel: cancel.clone(),
        };
        let Ok(backend) = self.hub.backend_at_hand(&self.described.backend) else {
            // It was taken away between the question and this.
            self.looking.wait();
            return;
        };
        let held = backend.hold(&self.described.id, line);
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
            solid,
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
        self.writing.forget();
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
        if state != LineState::Live {
            self.writing.forget();
        }
        self.line_state = state;
    }

    /// A line ended by itself: upstream does not want us, or it failed in a way that it did not foresee.
    pub(super) fn line_ended(&mut self, generation: u64) {
        let Some(held) = self.line.take_if(|held| held.generation == generation) else {
            return;
        };
        let state = held.state.borrow().clone();
        self.writing.forget();
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

    /// Gives an order to the line. `None` when there is none that is up.
    pub(super) fn order(&mut self, command: Command) -> Option<oneshot::Receiver<Delivery>> {
        let held = self.line.as_ref().filter(|held| held.is_live())?;
        let (done, outcome) = oneshot::channel();
        held.orders.try_send(Order { command, done }).ok()?;
        self.orders += 1;
        Some(outcome)
    }

    /// Reports what becomes of an order.
    pub(super) fn report(&self, outcome: oneshot::Receiver<Delivery>, sent: Sent) {
        let me = self.me.clone();
        self.hub.spawn(async move {
            let lost = || Delivery::Unknown("the line was lost".to_owned());
            let delivery = outcome.await.unwrap_or_else(|_| lost());
            if matches!(delivery, Delivery::NotYet(_)) {
                // By then the line says so itself, and the message is not tried in vain again and again.
                tokio::time::sleep(BEFORE_AGAIN).await;
            }
            // If the task has ended, the journal says that it was on its way.
            let _ = me.send(Input::Delivered { sent, delivery }).await;
        });
    }
}
