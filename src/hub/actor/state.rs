//! The actor's state, and output that several files share: commands, and the states of messages.

use super::connection::Connection;
use super::drafts::Writing;
use super::followers::Followers;
use crate::backend::{Capabilities, Command, Delivery, ReceivedEvent};
use crate::hub::Hub;
use crate::hub::message::{ActorMessage, Reply, Sent};
use crate::hub::parts::approval::PendingApproval;
use crate::hub::parts::controls::Controls;
use crate::hub::parts::link::Link;
use crate::hub::parts::log::Log;
use crate::hub::parts::outbox::Outbox;
use crate::journal::{Journal, OutgoingState};
use crate::live::SessionView;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Pause before a failed command is retried.
const BEFORE_AGAIN: Duration = Duration::from_millis(500);

/// What is known of a sandbox beside its state.
#[derive(Default)]
pub(super) struct Sandbox {
    /// The backend's newest word for its state.
    pub(super) word: String,
    /// Since when it has been coming up.
    pub(super) since: Option<Instant>,
    /// A person has started it again after it did not come up.
    pub(super) is_retried: bool,
}

pub struct ConversationActor {
    pub(super) hub: Hub,
    pub(super) me: mpsc::Sender<ActorMessage>,
    pub(super) log: Log,
    pub(super) link: Link,
    pub(super) approval: PendingApproval,
    pub(super) outbox: Outbox,
    pub(super) controls: Controls,
    pub(super) followers: Followers,
    pub(super) connection: Option<Connection>,
    /// Ends the reading of the history.
    pub(super) backfilling: CancellationToken,
    pub(super) arrivals: mpsc::Receiver<ReceivedEvent>,
    pub(super) arrive: mpsc::Sender<ReceivedEvent>,
    pub(super) writing: Writing,
    pub(super) watching: Weak<()>,
    /// When a user last watched, or an event last arrived.
    pub(super) needed_at: Instant,
    /// When an event last arrived.
    pub(super) last_event_at: Instant,
    /// How long there was none, as it was last told; see `silent_for`.
    pub(super) silent: Option<u64>,
    /// Answers in flight by token, with the replies to identical later answers.
    pub(super) answering: HashMap<String, Vec<Reply<()>>>,
    /// Number of commands with an unknown outcome.
    pub(super) orders: usize,
    pub(super) sandbox: Sandbox,
    /// Whether a start of the sandbox is under way, for messages that wait for it.
    pub(super) waking: bool,
    /// Whether followers may have to be updated.
    pub(super) is_changed: bool,
    pub(in crate::hub) shown: watch::Sender<Arc<SessionView>>,
    pub(in crate::hub) newest: watch::Sender<i64>,
    pub(in crate::hub) backend_asked: watch::Sender<bool>,
}

impl ConversationActor {
    pub fn id(&self) -> &str {
        &self.log.meta().id
    }

    pub(super) fn journal(&self) -> &Journal {
        self.hub.journal()
    }

    /// The backend's capabilities; none while its protocol is unknown.
    pub(super) fn capabilities(&self) -> Capabilities {
        let backend = self.hub.backend_at_hand(&self.log.meta().backend);
        backend.map_or_else(Capabilities::default, |backend| backend.capabilities())
    }

    /// Whether any follower or subscriber exists.
    pub(super) fn is_watched(&self) -> bool {
        // One is the handle's own.
        self.watching.strong_count() > 1
    }

    /// Sends a command over the connection. `None` without a live one.
    pub(super) fn order(&mut self, command: Command) -> Option<oneshot::Receiver<Delivery>> {
        let outcome = self.connection.as_ref()?.order(command)?;
        self.orders += 1;
        Some(outcome)
    }

    /// Whether a command can be sent.
    pub(super) fn is_live(&self) -> bool {
        self.connection.as_ref().is_some_and(Connection::is_live)
    }

    /// Sends the result of background work to the actor. Without an actor it is dropped: the journal says "sent".
    pub(super) fn tell_later(&self, work: impl Future<Output = ActorMessage> + Send + 'static) {
        let me = self.me.clone();
        let told = async move { drop(me.send(work.await).await) };
        self.hub.spawn(told);
    }

    pub(super) fn report(&self, outcome: oneshot::Receiver<Delivery>, sent: Sent) {
        let me = self.me.clone();
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

    /// Notes how far a message is. `false` when it could not be stored.
    pub(super) async fn mark(&mut self, client_id: &str, state: OutgoingState, why: &str) -> bool {
        let seq = self.log.seq();
        let journal = self.journal();
        let marked = journal.mark_message(self.id(), client_id, state, why, seq);
        let stored = marked.await;
        if let Err(error) = &stored {
            tracing::error!(conversation = self.id(), %error, "the delivery state of a message could not be stored");
            if state == OutgoingState::Sending {
                return false;
            }
        }
        self.outbox.mark(client_id, state, why, seq);
        self.is_changed = true;
        stored.is_ok()
    }

    /// Stores the author of rows, if the name is known.
    pub(super) async fn sign(&self, rows: Vec<i64>, by: &str) {
        if by.is_empty() || rows.is_empty() {
            return;
        }
        let signed = self.journal().sign_rows(self.id(), rows, by).await;
        if let Err(error) = signed {
            tracing::warn!(conversation = self.id(), %error, "the author of a row could not be stored");
        }
    }
}

/// The outcome of an order whose connection was lost.
pub(super) fn lost() -> Delivery {
    Delivery::Unknown("the connection was lost".to_owned())
}
