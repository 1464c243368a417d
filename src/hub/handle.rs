//! The handle of a conversation's actor: its inbox, and its observable state.

use super::actor::{Context, ConversationActor};
use super::message::{ActorMessage, Reply};
use super::parts::link::ORDER_WAITS;
use super::{HubError, HubResult};
use crate::backend::{ConnectionState, Runtime};
use crate::conversation::Status;
use crate::journal::{Known, Outgoing};
use crate::live::{SessionView, Steering};
use crate::request_id::RequestId;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;

/// Large enough that senders do not wait in practice; it slows down a flood of clicks.
const INPUTS: usize = 64;
/// How long the very first picture of a conversation waits for its history.
const FIRST_LOAD_TIMEOUT: Duration = Duration::from_secs(3);

#[derive(Debug)]
pub(super) struct ConversationHandle {
    /// The label of its backend.
    pub(super) backend: String,
    pub(super) inputs: mpsc::Sender<ActorMessage>,
    /// The state beside the timeline, as pages see it.
    pub(super) session: watch::Receiver<Arc<SessionView>>,
    /// The newest `seq`.
    pub(super) newest: watch::Receiver<i64>,
    /// Set once the backend was asked about the conversation, whatever the outcome.
    pub(super) backend_asked: watch::Receiver<bool>,
    /// Each watcher has a clone.
    pub(super) watching: Arc<()>,
    /// Held while seen values are compared with the current ones and changed.
    pub(super) changing: tokio::sync::Mutex<()>,
}

impl ConversationHandle {
    /// Starts an actor, which ends when nothing needs it if it may `retire`. A panic is logged and ends the followers'
    /// streams; the next request starts a new actor.
    pub(super) fn start(
        context: &Context,
        known: Known,
        outbox: Vec<Outgoing>,
        retire: impl Fn(&str) -> bool + Send + 'static,
    ) -> Arc<Self> {
        let (inputs, inbox) = mpsc::channel(INPUTS);
        let watching = Arc::new(());
        let watched = Arc::downgrade(&watching);
        let backend = known.meta.backend.clone();
        let actor = ConversationActor::new(context.clone(), known, outbox, inputs.clone(), watched);
        let id = actor.id().to_owned();
        let handle = Self {
            backend,
            inputs,
            session: actor.observed.session.subscribe(),
            newest: actor.observed.newest.subscribe(),
            backend_asked: actor.observed.backend_asked.subscribe(),
            watching,
            changing: tokio::sync::Mutex::default(),
        };
        let running = async move {
            if let Err(error) = tokio::spawn(actor.run(inbox, retire)).await
                && error.is_panic()
            {
                let what = "the actor of a conversation panicked; the next visitor starts it anew";
                tracing::error!(conversation = id, "{what}");
            }
        };
        context.tasks.tracker.spawn(running);
        Arc::new(handle)
    }

    /// Whether the current session fulfils a condition; without a connection it is outdated and never does.
    pub(super) fn is_now(&self, is_so: impl FnOnce(&SessionView) -> bool) -> bool {
        let session = self.session.borrow();
        session.connection == ConnectionState::Live && is_so(&session)
    }

    /// Whether a control would have no effect. Stop always has one.
    pub(super) fn is_already(&self, order: Steering) -> bool {
        self.is_now(|session| {
            // A pending approval has to be answered first.
            session.approval.is_none()
                && match order {
                    Steering::Pause => session.status == Status::Paused,
                    Steering::Resume => session.status == Status::Running && !session.pausing,
                    Steering::Stop => false,
                }
        })
    }

    /// Waits until the state of the connection is known. A user without scripts follows nothing, and the connection may
    /// have been closed: it is opened again, and kept while the returned value lives.
    pub(super) async fn linked(&self) -> HubResult<Arc<()>> {
        let watching = Arc::clone(&self.watching);
        let mut session = self.session.clone();
        let is_clear = |session: &Arc<SessionView>| {
            !matches!(
                session.connection,
                ConnectionState::Idle | ConnectionState::Connecting
            ) || matches!(
                session.runtime,
                Runtime::Stopped | Runtime::Paused | Runtime::Error | Runtime::Gone
            )
        };
        if !is_clear(&session.borrow()) {
            self.tell(ActorMessage::Hurry).await?;
        }
        // If it takes longer than this, the command itself reports the missing connection.
        let _ = timeout(ORDER_WAITS, session.wait_for(is_clear)).await;
        Ok(watching)
    }

    /// Waits until the first events of a conversation are there that has none yet: its backend was asked, or takes too long.
    pub(super) async fn first_loaded(&self) {
        if *self.newest.borrow() == 0 {
            let mut asked = self.backend_asked.clone();
            let _ = timeout(FIRST_LOAD_TIMEOUT, asked.wait_for(|asked| *asked)).await;
        }
    }

    /// Sends a request to the actor and waits for its response.
    pub(super) async fn ask<T>(&self, make: impl FnOnce(Reply<T>) -> ActorMessage) -> HubResult<T> {
        let (reply, answer) = oneshot::channel();
        self.tell(make(reply)).await?;
        answer.await.map_err(|_| HubError::Closed)?
    }

    pub(super) async fn tell(&self, mut input: ActorMessage) -> HubResult {
        if let Some(request) = RequestId::current() {
            input = ActorMessage::Within(request, Box::new(input));
        }
        self.inputs.send(input).await.map_err(|_| HubError::Closed)
    }
}
