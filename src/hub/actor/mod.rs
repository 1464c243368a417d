//! The actor of a conversation: it alone appends events, talks to followers, and sends messages, answers and controls, in
//! sequence. Connections, checks and backfills run in tasks beside it, and report to it.
//!
//! Its parts (`../parts`) decide what to do. Imports run from this file to the files for each task (`storing.rs`,
//! `answering.rs`, `talking.rs`, `showing.rs`, `linking.rs`), from those to `state.rs`, and from there to the parts.
//!
//! Long because the loop and all that it handles are read together.

mod answering;
mod connection;
mod drafts;
mod escalating;
mod followers;
mod history;
mod linking;
mod sandbox;
mod showing;
mod spending;
mod state;
mod storing;
mod talking;

pub use connection::connection_states;
pub(super) use state::{Context, ConversationActor};

use super::HubError;
use super::message::{ActorMessage, Reply, Sent};
use super::parts::approval::PendingApproval;
use super::parts::controls::Controls;
use super::parts::link::{Link, LinkEvent};
use super::parts::log::Log;
use super::parts::outbox::Outbox;
use super::support::A_MOMENT;
use crate::backend::{Capabilities, Runtime};
use crate::conversation::Tone;
use crate::journal::{Journal, Known, Outgoing};
use crate::live::{IMPORTED, SessionView, Steering};
use crate::request_id::within;
use answering::arrived;
use connection::Connection;
use escalating::watch_deadline;
use followers::Followers;
use linking::lost;
use sandbox::Sandbox;
use spending::watch_budgets;
use state::{Activity, BudgetWatch, DeadlineWatch, InFlight, Observed, Unsure, Upstream};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Weak};
use std::time::Duration;
use storing::BATCH;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

/// Interval of time-dependent work.
const TICK: Duration = Duration::from_secs(1);
/// An actor that nothing needs ends after this long.
const LINGER: Duration = Duration::from_secs(60);

impl ConversationActor {
    pub(super) fn new(
        context: Context,
        known: Known,
        outbox: Vec<Outgoing>,
        me: mpsc::Sender<ActorMessage>,
        watching: Weak<()>,
    ) -> Self {
        let nothing = Arc::new(SessionView::default());
        let now = Instant::now();
        let mut actor = Self {
            observed: Observed {
                session: watch::Sender::new(Arc::clone(&nothing)),
                newest: watch::Sender::new(known.seq),
                backend_asked: watch::Sender::new(false),
            },
            link: match known.meta.backend == IMPORTED {
                true => Link::alone(),
                false => Link::new(Runtime::of(&known.meta.runtime)),
            },
            log: Log::new(known),
            approval: PendingApproval::default(),
            outbox: Outbox::new(outbox),
            controls: Controls::default(),
            followers: Followers::new(nothing),
            upstream: Upstream::new(context.tasks.stopping.child_token()),
            in_flight: InFlight {
                me,
                answering: HashMap::new(),
                orders: 0,
                ruling: None,
                unsure: Unsure::default(),
            },
            activity: Activity {
                watching,
                needed_at: now,
                last_event_at: now,
                silent: None,
                budget: BudgetWatch::default(),
                deadline: DeadlineWatch::default(),
            },
            sandbox: Sandbox::default(),
            context,
        };
        // A page may be quicker than the task.
        let session = actor.session_view();
        actor.observed.session.send_replace(Arc::new(session));
        actor
    }

    pub fn id(&self) -> &str {
        &self.log.meta().id
    }

    pub(super) fn journal(&self) -> &Journal {
        &self.context.journal
    }

    /// The backend's capabilities; none while its protocol is unknown.
    pub(super) fn capabilities(&self) -> Capabilities {
        let backend = self
            .context
            .backends
            .backend_at_hand(&self.log.meta().backend);
        backend.map_or_else(Capabilities::default, |backend| backend.capabilities())
    }

    /// Whether any follower or subscriber exists.
    pub(super) fn is_watched(&self) -> bool {
        // One is the handle's own.
        self.activity.watching.strong_count() > 1
    }

    /// Handles messages until the conversation is closed, or the actor is no longer needed and may retire.
    pub(super) async fn run(
        mut self,
        mut inbox: mpsc::Receiver<ActorMessage>,
        retire: impl Fn(&str) -> bool,
    ) {
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut batch = Vec::with_capacity(BATCH);
        self.take_over().await;
        self.sync_approval(&[]).await;
        self.settle_answers().await;
        loop {
            let awaited = self.awaited_by_rule();
            let mut request = None;
            tokio::select! {
                count = self.upstream.arrivals.recv_many(&mut batch, BATCH) => {
                    debug_assert!(count > 0, "we hold a sender");
                    self.ingest(std::mem::take(&mut batch)).await;
                }
                Some(mut message) = inbox.recv() => {
                    self.followers.is_changed = true;
                    if let ActorMessage::Within(id, inner) = message {
                        (request, message) = (Some(id), *inner);
                    }
                    if within(request.clone(), self.handle(message)).await.is_break() {
                        return;
                    }
                }
                state = Connection::changed(self.upstream.connection.as_mut()) => {
                    self.followers.is_changed = true;
                    self.drive(LinkEvent::ConnectionIs(state));
                }
                () = self.upstream.writing.due() => self.tell_drafts(),
                () = arrived(awaited) => {}
                _ = tick.tick() => {
                    if self.on_tick().await && retire(self.id()) {
                        return;
                    }
                }
            }
            // What a message has asked for is sent here.
            let sending = async {
                self.answer_by_rule().await;
                self.send_next().await;
                self.start_run().await;
            };
            within(request, sending).await;
            self.drive(LinkEvent::Reconcile);
            self.tell();
        }
    }

    async fn handle(&mut self, message: ActorMessage) -> ControlFlow<()> {
        // The client may have disconnected: the page shows the outcome, too.
        match message {
            #[cfg(test)]
            ActorMessage::Panic => panic!("as a test wants it"),
            ActorMessage::Within(..) => debug_assert!(false, "it is opened before"),
            ActorMessage::Follow {
                person,
                after,
                reply,
            } => drop(reply.send(self.follow(person, after).await)),
            ActorMessage::Say {
                message,
                seen,
                alone,
                reply,
            } => drop(reply.send(self.take_message(*message, seen, alone).await)),
            ActorMessage::ResolveFailed {
                client_id,
                again,
                reply,
            } => drop(reply.send(self.resolve_failed(&client_id, again).await)),
            ActorMessage::Answer { answer, reply } => self.answer(answer, reply).await,
            ActorMessage::Amend {
                answer,
                text,
                reply,
            } => self.amend(answer, &text, reply).await,
            ActorMessage::HandedOut { row, by } => self.approval.hand_out(row, &by),
            ActorMessage::Steer { order, reply } => self.steer(order, reply),
            ActorMessage::Delivered { sent, delivery } => {
                self.in_flight.orders = self.in_flight.orders.saturating_sub(1);
                match sent {
                    Sent::Message { client_id } => self.message_sent(&client_id, delivery).await,
                    Sent::Run => self.run_started(delivery).await,
                    Sent::Answer { answer, reply } => self.answered(answer, reply, delivery).await,
                    Sent::Steering { order, reply } => {
                        let now = Instant::now().into_std();
                        let outcome = self.controls.on_delivery(order, delivery, now);
                        match (reply, outcome) {
                            (Some(reply), outcome) => drop(reply.send(outcome)),
                            (None, Ok(())) => {}
                            (None, Err(error)) => {
                                self.controls.say(Tone::Bad, &error.for_people().1);
                            }
                        }
                    }
                }
            }
            ActorMessage::Slow(order) => self.controls.slow(order),
            ActorMessage::Failed(why) => {
                // What was taken for done may not be so.
                self.controls.say(Tone::Bad, &why);
                self.drive(LinkEvent::Recheck);
            }
            // What followers are told next says it.
            ActorMessage::Refresh => {
                self.activity.budget.again();
                self.activity.deadline.again();
                watch_deadline(self).await;
            }
            ActorMessage::Retry => self.drive(LinkEvent::Retry),
            ActorMessage::Hurry => self.drive(LinkEvent::Hurry),
            ActorMessage::Renamed(title) => self.log.meta_mut().title = title,
            ActorMessage::Tagged(tags) => self.log.meta_mut().tags = tags,
            ActorMessage::Started => self.started().await,
            ActorMessage::NotStarted(why) => self.not_started(&why).await,
            ActorMessage::RuntimeIs(runtime) => {
                self.runtime_is(LinkEvent::RuntimeIs(runtime)).await;
            }
            ActorMessage::Listed(info) => self.listed(&info).await,
            ActorMessage::Checked(number, found) => self.checked(number, found).await,
            ActorMessage::Backfilled(number, outcome) => {
                // Everything that was read is in the channel by now; it is stored before it counts as complete.
                self.catch_up().await;
                self.backfilled(number, outcome).await;
            }
            ActorMessage::ConnectionEnded(number) => self.connection_ended(number),
            ActorMessage::End(why) => {
                self.end(why);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Time-dependent work. Answers whether the actor is no longer needed.
    async fn on_tick(&mut self) -> bool {
        let now = Instant::now();
        self.followers.is_changed |= self.controls.on_tick(now.into_std());
        let silent = self.silent_for();
        self.followers.is_changed |= std::mem::replace(&mut self.activity.silent, silent) != silent;
        self.expire_answer().await;
        // What cannot be stored is stored with the next tick, or before the next answer.
        let _ = self.settle_unsure().await;
        self.review_first().await;
        watch_deadline(self).await;
        watch_budgets(self).await;
        self.give_up_waiting().await;
        if let Some(end) = self.sandbox.given_up(self.log.session(), &self.link) {
            self.ingest(vec![end]).await;
        }
        // Forgets followers who have left.
        let _ = self.followers.is_there();
        let demand = self.demand();
        let is_needed = self.is_watched() || self.in_flight.orders > 0 || self.link.is_busy();
        if is_needed || self.link.wants(demand) {
            self.activity.needed_at = now;
        }
        self.activity.needed_at.elapsed() > LINGER
    }

    fn steer(&mut self, order: Steering, reply: Reply<()>) {
        let is_pending = self.log.session().pending.is_some();
        let command = Controls::steer(order, self.link.is_down(), is_pending);
        let ordered = command.and_then(|command| self.order(command).ok_or(HubError::Disconnected));
        let mut outcome = match ordered {
            Ok(outcome) => outcome,
            Err(error) => return drop(reply.send(Err(error))),
        };
        self.controls.ordered(order);
        let me = self.in_flight.me.clone();
        // Some controls wait for the running step, and the person is not kept waiting for it.
        self.tell_later(async move {
            let (delivery, reply) = match timeout(A_MOMENT, &mut outcome).await {
                Ok(delivery) => (delivery, Some(reply)),
                Err(_) => {
                    // The person and the actor may be gone by now.
                    let _ = reply.send(Ok(()));
                    let _ = me.send(ActorMessage::Slow(order)).await;
                    (outcome.await, None)
                }
            };
            let delivery = delivery.unwrap_or_else(|_| lost());
            let sent = Sent::Steering { order, reply };
            ActorMessage::Delivered { sent, delivery }
        });
    }
}
