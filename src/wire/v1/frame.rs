//! Frames of the session socket (`/sockets/session/{id}`, since 1.45).
//!
//! Events stay raw: they are stored as JSON, and read with [`super::Event::read`].

use super::DeltaKind;
use serde::Deserialize;
use serde_json::Value;

/// One frame.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Frame {
    /// The first frame: the range of the history that follows.
    Sync {
        /// The requested cursor; missing: live only.
        from_seq: Option<i64>,
        /// The latest event; missing: there is none.
        through_seq: Option<i64>,
    },
    /// A stored event.
    Durable {
        /// Its position in the log, without gaps: the cursor.
        seq: i64,
        /// The event.
        event: Value,
    },
    /// An event that is not stored and has no position.
    Transient {
        /// The event.
        event: Value,
    },
    /// The model starts writing.
    ItemStarted {
        /// Id of the future event.
        item_id: String,
        /// Attempt, from 1; a higher one replaces all earlier output.
        #[serde(default)]
        attempt: u64,
        /// The latest event at that time.
        #[serde(default)]
        anchor_seq: Option<i64>,
    },
    /// A chunk of the model's output.
    Delta(Delta),
    /// The output was discarded.
    ItemAborted {
        /// Id of the event that will not follow.
        item_id: String,
        /// The attempt.
        #[serde(default)]
        attempt: u64,
        /// Reason (`cancelled`).
        #[serde(default)]
        reason: String,
    },
    /// The server refused a message from this socket.
    Error {
        /// The class of the error.
        #[serde(default)]
        code: String,
        /// Error message.
        #[serde(default)]
        detail: String,
    },
    /// An unknown frame, to be ignored.
    #[serde(untagged)]
    Unknown(Value),
}

/// A chunk of the model's output.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Delta {
    /// Id of the future event.
    pub item_id: String,
    /// The attempt.
    #[serde(default)]
    pub attempt: u64,
    /// Counts from 0; a gap means that chunks were lost.
    #[serde(default)]
    pub order: u64,
    /// Whether it is text or reasoning.
    #[serde(default)]
    pub kind: DeltaKind,
    /// The text.
    #[serde(default)]
    pub content: String,
}

impl Frame {
    /// Reads a frame. Cannot fail.
    pub fn read(value: Value) -> Self {
        match value.get("type") {
            // Cannot fail: the last variant takes anything.
            Some(Value::String(_)) => {
                Self::deserialize(value).unwrap_or(Self::Unknown(Value::Null))
            }
            _ => Self::Unknown(value),
        }
    }
}
