//! The door to the task of one conversation: what it can be told, and what can be seen of it.

use super::{Follower, Hub, HubError, approval::Answered, keeper::Keeper};
use crate::backend::{BackendError, ConversationInfo, Delivery, Runtime};
use crate::conversation::Tags;
use crate::journal::{Known, Outgoing};
use crate::live::{SessionView, Steering};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot, watch};

/// Enough that nobody waits for it in practice; a flood of clicks is slowed down.
const INPUTS: usize = 64;

/// Where an outcome is told.
pub(super) type Reply<T> = oneshot::Sender<Result<T, HubError>>;

/// Everything that the task of a conversation can be told, beside the events of its line.
pub(super) enum Input {
    /// Somebody follows from a cursor on.
    Follow { after: i64, reply: Reply<Follower> },
    /// A person says something.
    Say {
        message: Box<Outgoing>,
        reply: Reply<()>,
    },
    /// A person tries a message again, or gives it up.
    Settle {
        client_id: String,
        again: bool,
        reply: Reply<()>,
    },
    /// A person answers what waits.
    Answer { answer: Answered, reply: Reply<()> },
    /// A person pauses, resumes or stops the agent.
    Steer { order: Steering, reply: Reply<()> },
    /// A person wants the line tried now.
    Retry,
    /// A control waits for the running step.
    Slow(Steering),
    /// Something that was under way has failed, and why.
    Failed(String),
    /// The conversation has another title.
    Renamed(String),
    /// It has other labels.
    Tagged(Tags),
    /// A person has started its runtime.
    Started,
    /// We have just asked for this, or the list says so.
    RuntimeIs(Runtime),
    /// The backend's list says this.
    Listed(Box<ConversationInfo>),
    /// The answer to our question how the conversation is.
    Checked(Result<Option<ConversationInfo>, BackendError>),
    /// The history was read without a line, up to this position.
    Filled(Result<Option<i64>, BackendError>),
    /// The line of this generation ended by itself.
    LineEnded(u64),
    /// What became of an order.
    Delivered { sent: Sent, delivery: Delivery },
    /// The conversation is closed.
    End(Ending),
}

/// What was ordered.
pub(super) enum Sent {
    /// A message.
    Message { client_id: String },
    /// An answer.
    Answer { answer: Answered, reply: Reply<()> },
    /// One of the three controls.
    Steering {
        order: Steering,
        /// Who asked, if they still wait.
        reply: Option<Reply<()>>,
    },
}

/// Why a conversation is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// It was deleted.
    Deleted,
    /// Another backend is used from now on, or the server ends.
    Closed,
}

/// The door.
#[derive(Debug)]
pub(super) struct Room {
    pub(super) inputs: mpsc::Sender<Input>,
    /// The state beside the timeline, as pages see it.
    pub(super) session: watch::Receiver<Arc<SessionView>>,
    /// The newest `seq`.
    pub(super) newest: watch::Receiver<i64>,
    /// The backend was asked what it has, whatever came of it.
    pub(super) looked: watch::Receiver<bool>,
    /// Each watcher has a clone.
    pub(super) watching: Arc<()>,
}

impl Room {
    /// Starts the task of a conversation. If it ever panics, the panic is logged, those who watch see
    /// their stream end, and whoever comes next starts it anew from the journal.
    pub(super) fn start(hub: &Hub, known: Known, outbox: Vec<Outgoing>) -> Arc<Self> {
        let (inputs, heard) = mpsc::channel(INPUTS);
        let watching = Arc::new(());
        let (keeper, session, newest, looked) = Keeper::new(
            hub.clone(),
            known,
            outbox,
            inputs.clone(),
            Arc::downgrade(&watching),
        );
        let id = keeper.id().to_owned();
        hub.spawn(async move {
            if let Err(error) = tokio::spawn(keeper.run(heard)).await
                && error.is_panic()
            {
                tracing::error!(
                    conversation = id,
                    "the task of a conversation panicked; the next visitor starts it anew"
                );
            }
        });
        Arc::new(Self {
            inputs,
            session,
            newest,
            looked,
            watching,
        })
    }

    /// Tells the task something and waits for its answer.
    pub(super) async fn ask<T>(
        &self,
        input: impl FnOnce(Reply<T>) -> Input,
    ) -> Result<T, HubError> {
        let (reply, answer) = oneshot::channel();
        self.tell(input(reply)).await?;
        answer.await.map_err(|_| HubError::Closed)?
    }

    /// Tells the task something.
    pub(super) async fn tell(&self, input: Input) -> Result<(), HubError> {
        self.inputs.send(input).await.map_err(|_| HubError::Closed)
    }
}
