//! A live line: what it begins with, what arrives on it, and what is sent.

use super::LineState;
use crate::conversation::{LogItem, Piece, Shift};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

/// One event as it arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrived {
    /// What it means.
    pub item: LogItem,
    /// Its JSON, as it will be kept (0.x: without `tool_call_metadata.model_response`).
    pub raw: String,
}

/// An event that is held already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// Upstream's identity of it.
    pub key: String,
    /// When it happened, as it was told (milliseconds).
    pub at: i64,
}

/// Looks up the event at a position; `None` if it is not held.
pub type LookUp = Arc<dyn Fn(i64) -> BoxFuture<'static, Option<Recorded>> + Send + Sync>;

/// What is held of a conversation already, for a backend that goes on from there.
#[derive(Clone)]
pub struct Past {
    /// Position up to which nothing is missing; `None` for the whole history.
    pub after: Option<i64>,
    /// The newest position, for a comparison with what the backend has; `None` for none.
    pub newest: Option<i64>,
    /// How positions and upstream's ids differ.
    pub shift: Shift,
    /// Looks an event up.
    pub recorded: LookUp,
}

/// The ends of a live line.
pub struct Line {
    /// What is held already.
    pub past: Past,
    /// What arrives. Bounded: a full channel slows upstream down, it loses nothing.
    pub events: mpsc::Sender<Arrived>,
    /// Up to which position nothing is missing of what was handed on; -1 for nothing. Said behind it, never before.
    pub solid: watch::Sender<i64>,
    /// What the model is writing, as far as there is room: pieces may be lost.
    pub pieces: mpsc::Sender<Piece>,
    /// How the line is.
    pub state: watch::Sender<LineState>,
    /// What is to be sent.
    pub orders: mpsc::Receiver<Order>,
    /// A person asks for a new attempt: ends a wait for it, and one that is not up yet.
    pub retry: Arc<Notify>,
    /// Ends the line.
    pub cancel: CancellationToken,
}

/// Waits until a person asks for a new attempt before this one is up; the next one begins at once then.
pub(super) async fn is_asked_for(retry: &Notify, line: watch::Receiver<LineState>) {
    loop {
        retry.notified().await;
        if *line.borrow() != LineState::Live {
            return retry.notify_one();
        }
    }
}

/// Something to be sent, and where to say what became of it.
pub struct Order {
    /// What.
    pub command: Command,
    /// Its outcome.
    pub done: oneshot::Sender<Delivery>,
}

/// What can be asked of a running conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Says something to the agent.
    Say {
        /// The text.
        text: String,
        /// `data:` URLs of images.
        images: Vec<String>,
        /// Names of files that were uploaded for it.
        files: Vec<String>,
    },
    /// Approves exactly these calls, by their keys: all that waits, as it was shown.
    Approve {
        /// Upstream's keys of the calls.
        keys: Vec<String>,
    },
    /// Rejects what waits.
    Reject {
        /// Why, where the backend can carry it.
        reason: Option<String>,
    },
    /// Pauses after the step.
    Pause,
    /// Goes on.
    Resume,
    /// Stops the agent.
    Stop,
}

/// What became of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// Upstream confirmed it.
    Confirmed,
    /// It was not sent, and this is why.
    NotSent(String),
    /// It was not sent because nobody is there, or not ready yet, which may be otherwise in a moment.
    NotYet(String),
    /// It was sent and nothing came back: it may or may not have arrived.
    Unknown(String),
}
