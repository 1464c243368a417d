//! Drives the link: the actor reports events to it and executes its actions. Commands go over its connection.

use super::connection::Connection;
use super::history;
use super::state::ConversationActor;
use crate::backend::{
    Answer, BackendError, Command, ConversationInfo, Delivery, ResumePoint, Runtime, for_order,
};
use crate::conversation::{Status, Tone};
use crate::hub::message::{ActorMessage, Sent};
use crate::hub::parts::link::{Demand, FIRST_REST, Found, LinkAction, LinkEvent, Report, Unread};
use crate::hub::view;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// Pause before a failed command is retried.
const BEFORE_AGAIN: Duration = Duration::from_millis(500);

impl ConversationActor {
    pub(super) fn demand(&self) -> Demand {
        let (session, runtime) = (self.log.session(), self.runtime());
        Demand {
            watched: self.is_watched(),
            busy: match session.status {
                // An empty log has the status `Loading`, too; then only the list counts.
                Status::Loading => session.newest_pos.is_some(),
                Status::Running
                | Status::AwaitingConfirmation
                | Status::Confirmed
                | Status::UserRejected => true,
                _ => false,
            },
            sending: self.in_flight.orders > 0 || self.outbox.is_sending(runtime == Runtime::Error),
        }
    }

    /// Reports an event to the link and executes its actions.
    pub(super) fn drive(&mut self, event: LinkEvent) {
        let before = self.link.state();
        let demand = self.demand();
        let actions = self.link.on(event, demand, Instant::now().into_std());
        for action in actions {
            self.followers.is_changed = true;
            self.perform(action);
        }
        let after = self.link.state();
        self.followers.is_changed |= before != after;
        if std::mem::discriminant(&before) != std::mem::discriminant(&after) {
            tracing::info!(conversation = self.id(), state = ?after, "connection");
        }
    }

    fn perform(&mut self, action: LinkAction) {
        match action {
            LinkAction::Check { number, urgent } => self.check(number, urgent),
            LinkAction::Backfill { number } => self.backfill(number),
            LinkAction::StopBackfill => self.upstream.backfilling.cancel(),
            LinkAction::Connect { number, urgent } => self.connect(number, urgent),
            LinkAction::Disconnect => {
                self.upstream.connection = None;
                self.upstream.writing.forget();
            }
            LinkAction::Nudge => {
                if let Some(connection) = &self.upstream.connection {
                    connection.retry.notify_one();
                }
            }
            LinkAction::ForgetDrafts => self.upstream.writing.forget(),
            LinkAction::BackendAsked => drop(self.observed.backend_asked.send_replace(true)),
        }
    }

    fn check(&self, number: u64, urgent: bool) {
        let (backends, meta) = (Arc::clone(&self.context.backends), self.log.meta().clone());
        let checking = async move {
            let backend = backends.backend_or_answer(&meta.backend).await?;
            backend.conversation(&meta.id).await
        };
        let checking = in_turn(urgent, or_panicked(checking).boxed());
        self.tell_later(async move { ActorMessage::Checked(number, checking.await) });
    }

    fn backfill(&mut self, number: u64) {
        self.upstream.backfilling = self.context.tasks.stopping.child_token();
        let (me, stop) = (self.in_flight.me.clone(), self.upstream.backfilling.clone());
        let (backends, meta) = (Arc::clone(&self.context.backends), self.log.meta().clone());
        let (resume, arrive) = (self.resume_point(), self.upstream.arrive.clone());
        let reading = async move {
            let backend = backends.backend_or_answer(&meta.backend).await?;
            history::read(&*backend, &meta.id, resume, &arrive).await
        };
        let read = async move {
            if let Some(outcome) = stop.run_until_cancelled(or_panicked(reading)).await {
                // An actor that has ended needs no result.
                let _ = me.send(ActorMessage::Backfilled(number, outcome)).await;
            }
        };
        self.context.tasks.tracker.spawn(read);
    }

    fn resume_point(&self) -> ResumePoint {
        history::resume_point(self.log.known(), self.journal().clone())
    }

    fn connect(&mut self, number: u64, urgent: bool) {
        let meta = self.log.meta();
        let Some(backend) = self.context.backends.backend_at_hand(&meta.backend) else {
            // It was removed between the question and this.
            return self.drive(LinkEvent::NotConnected);
        };
        let cancel = self.context.tasks.stopping.child_token();
        let (arrive, pieces) = (self.upstream.arrive.clone(), self.upstream.writing.sink());
        let (connection, stream) =
            Connection::new(self.resume_point(), arrive, pieces, cancel.clone());
        let run = in_turn(urgent, backend.hold(&meta.id, stream));
        self.tell_later(async move {
            let mut task = tokio::spawn(run);
            tokio::select! {
                outcome = &mut task => if let Err(error) = outcome && error.is_panic() {
                    tracing::error!("a connection to the backend panicked; it is made anew");
                },
                // A connection has a moment to say good-bye.
                () = async { cancel.cancelled().await; tokio::time::sleep(FIRST_REST).await } => task.abort(),
            }
            ActorMessage::ConnectionEnded(number)
        });
        self.upstream.connection = Some(connection);
    }

    pub(super) fn connection_ended(&mut self, number: u64) {
        if let Some(connection) = &self.upstream.connection {
            // Its last state may not have arrived.
            let state = connection.state.borrow().clone();
            if state != self.link.state() && self.link.is_connected(number) {
                self.drive(LinkEvent::ConnectionIs(state));
            }
        }
        self.drive(LinkEvent::ConnectionEnded(number));
    }

    pub(super) async fn checked(&mut self, number: u64, found: Answer<Option<ConversationInfo>>) {
        let found = match found {
            Ok(Some(info)) => Found::Known(self.describe(&info)),
            Ok(None) => Found::Gone,
            Err(error) => {
                let why = error.to_string();
                return self.drive(LinkEvent::Checked(number, Found::Failed(why)));
            }
        };
        let is_gone = matches!(found, Found::Gone);
        self.drive(LinkEvent::Checked(number, found));
        self.keep_meta().await;
        if is_gone {
            let text = "OpenHands no longer has this conversation. You see Handrail's stored copy.";
            self.controls.say(Tone::Warning, text);
        }
    }

    pub(super) async fn listed(&mut self, info: &ConversationInfo) {
        let described = self.describe(info);
        self.drive(LinkEvent::Listed(described));
        self.keep_meta().await;
    }

    fn describe(&mut self, info: &ConversationInfo) -> Report {
        self.sandbox.word.clone_from(&info.runtime_word);
        Report {
            runtime: info.runtime,
            changed: self.log.describe(info),
            busy: view::is_busy(info),
        }
    }

    pub(super) async fn runtime_is(&mut self, event: LinkEvent) {
        self.drive(event);
        self.keep_meta().await;
    }

    async fn keep_meta(&mut self) {
        let word = self.link.runtime().word();
        let before = std::mem::replace(&mut self.log.meta_mut().runtime, word.to_owned());
        if before != word {
            let id = self.id();
            tracing::info!(conversation = id, from = before, to = word, "sandbox");
        }
        let meta = self.log.meta().clone();
        if let Err(error) = self.journal().describe(vec![meta]).await {
            tracing::warn!(conversation = self.id(), %error, "the backend's description could not be stored");
        }
    }

    /// The history was read, and everything that was read is stored.
    pub(super) async fn backfilled(&mut self, number: u64, outcome: Answer<Option<i64>>) {
        // An abandoned read, for instance because events could not be stored, does not show what is complete.
        if !self.link.is_backfilling(number) {
            return;
        }
        let outcome = match outcome {
            Ok(reached) => {
                if let Some(pos) = self.log.backfilled(reached)
                    && let Err(error) = self.journal().complete_to(self.id(), pos).await
                {
                    tracing::warn!(conversation = self.id(), %error, "how far the history is complete could not be stored");
                }
                Ok(())
            }
            Err(error) => {
                tracing::info!(conversation = self.id(), %error, "the history could not be read");
                let lasting = error.is_lasting();
                let why = error.to_string();
                Err(Unread { why, lasting })
            }
        };
        self.drive(LinkEvent::Backfilled(number, outcome));
    }

    /// Sends a command over the connection. `None` without a live one.
    pub(super) fn order(&mut self, command: Command) -> Option<oneshot::Receiver<Delivery>> {
        let outcome = self.upstream.connection.as_ref()?.order(command)?;
        self.in_flight.orders += 1;
        Some(outcome)
    }

    /// Whether a command can be sent.
    pub(super) fn is_live(&self) -> bool {
        self.upstream
            .connection
            .as_ref()
            .is_some_and(Connection::is_live)
    }

    /// Sends the result of background work to the actor. Without an actor it is dropped: the journal says "sent".
    pub(super) fn tell_later(&self, work: impl Future<Output = ActorMessage> + Send + 'static) {
        let me = self.in_flight.me.clone();
        let told = async move { drop(me.send(work.await).await) };
        self.context.tasks.tracker.spawn(told);
    }

    pub(super) fn report(&self, outcome: oneshot::Receiver<Delivery>, sent: Sent) {
        let me = self.in_flight.me.clone();
        self.tell_later(async move {
            let delivery = tokio::select! {
                biased;
                delivery = outcome => delivery.unwrap_or_else(|_| lost()),
                // Whoever waits for it is told at once that the outcome is unknown.
                () = me.closed() => lost(),
            };
            let is_tried_again = match delivery {
                Delivery::NotYet(_) => true,
                Delivery::Unknown(_) => matches!(sent, Sent::Run),
                _ => false,
            };
            if is_tried_again {
                // By then the connection reports it, and the message is not retried in vain.
                tokio::time::sleep(BEFORE_AGAIN).await;
            }
            ActorMessage::Delivered { sent, delivery }
        });
    }
}

/// The outcome of an order whose connection was lost.
pub(super) fn lost() -> Delivery {
    Delivery::Unknown("the connection was lost".to_owned())
}

/// The outcome of a request. A panic is a failure, too: the link waits for an outcome.
async fn or_panicked<T>(request: impl Future<Output = Answer<T>>) -> Answer<T> {
    let outcome = AssertUnwindSafe(request).catch_unwind().await;
    outcome.unwrap_or_else(|_| {
        tracing::error!("reading the response of a backend panicked");
        Err(BackendError::Unexpected(
            "Handrail could not read it".to_owned(),
        ))
    })
}

/// Gives work a higher priority if a user waits for its outcome.
fn in_turn<T: Send + 'static>(urgent: bool, work: BoxFuture<'static, T>) -> BoxFuture<'static, T> {
    match urgent {
        true => for_order(work).boxed(),
        false => work,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_a_failed_request() {
        let outcome: Answer<()> = or_panicked(async { panic!("hostile") }).await;
        assert!(matches!(outcome, Err(BackendError::Unexpected(_))));
    }
}
