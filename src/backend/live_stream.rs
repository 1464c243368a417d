//! The live connection of a conversation: its resume point, received events, and commands.

use super::ConnectionState;
use crate::conversation::{LogItem, Piece, PositionOffset};
use crate::request_id::RequestId;
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

/// An event as received.
#[derive(Debug, Clone, PartialEq)]
pub struct ReceivedEvent {
    /// The parsed event.
    pub item: LogItem,
    /// The JSON to store (0.x: without what only repeats other fields).
    pub raw: String,
}

/// An event that is in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The backend's key of this event.
    pub key: String,
    /// The backend's timestamp, milliseconds since the Unix epoch.
    pub at: i64,
}

/// Looks up the event at a position in the journal; `None` if there is none.
pub type LookUp = Arc<dyn Fn(i64) -> BoxFuture<'static, Option<Recorded>> + Send + Sync>;

/// Where to resume a conversation, by what the journal has of it.
#[derive(Clone)]
pub struct ResumePoint {
    /// All events up to this position are in the journal; `None` to read the whole history.
    pub after: Option<i64>,
    /// The newest stored position, to detect data loss on the backend; `None` skips this check.
    pub newest: Option<i64>,
    /// The offset between positions and the backend's ids.
    pub offset: PositionOffset,
    /// Looks up stored events.
    pub recorded: LookUp,
}

/// The backend's ends of a live connection's channels.
pub struct LiveStream {
    /// Where to resume.
    pub resume: ResumePoint,
    /// Received events. The channel is bounded: a full one slows the backend down and loses nothing.
    pub events: mpsc::Sender<ReceivedEvent>,
    /// All events up to this position were sent on `events`; -1 for none. Updated after the events, never before.
    pub contiguous_through: watch::Sender<i64>,
    /// Why stored events cannot be read; `None` if they can. The live connection then continues without them.
    pub unread: watch::Sender<Option<String>>,
    /// Streamed text of the model. Best effort: a full channel drops pieces.
    pub pieces: mpsc::Sender<Piece>,
    /// State of the connection.
    pub state: watch::Sender<ConnectionState>,
    /// Commands to send.
    pub orders: mpsc::Receiver<Order>,
    /// Notified when a user retries: ends the backoff, or an attempt that is not connected yet.
    pub retry: Arc<Notify>,
    /// Ends the connection.
    pub cancel: CancellationToken,
}

/// A larger value gets a channel to itself, which bounds the memory of a channel whatever a backend sends.
const LARGE: usize = 16 << 10;

/// Reserves room for a value of this size, a large one in an empty channel; `None` if the receiver is gone.
pub async fn room<T>(channel: &mpsc::Sender<T>, bytes: usize) -> Option<mpsc::Permit<'_, T>> {
    let places = match bytes > LARGE {
        true => channel.max_capacity(),
        false => 1,
    };
    channel.reserve_many(places).await.ok()?.next()
}

/// Approximate size of a value in memory, in bytes.
pub(super) fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(parts) => parts.iter().map(|part| 32 + weight(part)).sum(),
        Value::Object(fields) => {
            let field = |(name, part): (&String, &Value)| 64 + name.len() + weight(part);
            let fields: usize = fields.iter().map(field).sum();
            // A node of the tree has room for several fields.
            fields.max(640)
        }
        _ => 8,
    }
}

/// A command and the channel for its outcome.
pub struct Order {
    /// The command.
    pub command: Command,
    /// Receives the outcome.
    pub done: oneshot::Sender<Delivery>,
    /// The request that it is for.
    pub(crate) request: Option<RequestId>,
}

impl Order {
    /// A command for the current request, and the channel for its outcome.
    pub fn new(command: Command, done: oneshot::Sender<Delivery>) -> Self {
        Self {
            command,
            done,
            request: RequestId::current(),
        }
    }
}

/// A command to a running conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Sends a message to the agent.
    Say {
        /// The text.
        text: String,
        /// Images as `data:` URLs.
        images: Vec<String>,
        /// Names of files that were uploaded with the message.
        files: Vec<String>,
    },
    /// Approves exactly the calls with these keys: all pending ones, as the user saw them.
    Approve {
        /// The backend's keys of the calls.
        keys: Vec<String>,
    },
    /// Rejects the pending calls.
    Reject {
        /// The reason, where the backend accepts one.
        reason: Option<String>,
    },
    /// Pauses the agent after its current step.
    Pause,
    /// Resumes the agent.
    Resume,
    /// Stops the agent.
    Stop,
}

/// The outcome of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// The backend confirmed the command.
    Confirmed,
    /// The command was not sent, for this reason.
    NotSent(String),
    /// The command was not sent because the backend is not connected or not ready; a retry may succeed soon.
    NotYet(String),
    /// The command was sent and not confirmed: it may or may not have arrived.
    Unknown(String),
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn what_is_large_waits_until_the_channel_is_empty() {
        let (sender, mut receiver) = mpsc::channel(8);
        let place = room(&sender, 1).await;
        place.expect("somebody listens").send(1);
        assert!(room(&sender, LARGE + 1).now_or_never().is_none());
        assert!(room(&sender, LARGE).now_or_never().flatten().is_some());
        assert_eq!(receiver.recv().await, Some(1));
        let place = room(&sender, LARGE + 1).now_or_never().flatten();
        place.expect("it is empty").send(2);
        drop(receiver);
        assert!(room(&sender, 1).await.is_none());
    }
}
