//! Frames of the session socket (`/sockets/session/{id}`, since 1.45).
//!
//! Events stay as they came: whoever keeps them needs their JSON, and reads them with [`super::Event::read`].

use super::DeltaKind;
use serde::Deserialize;
use serde_json::Value;

/// One frame.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Frame {
    /// The first: from where to where history follows.
    Sync {
        /// The cursor that was asked for; missing: live only.
        from_seq: Option<i64>,
        /// The newest event; missing: there is none.
        through_seq: Option<i64>,
    },
    /// A stored event.
    Durable {
        /// Its place in the log, without gaps: the cursor.
        seq: i64,
        /// It.
        event: Value,
    },
    /// An event that is not stored, and has no place.
    Transient {
        /// It.
        event: Value,
    },
    /// The model begins to write.
    ItemStarted {
        /// Id of the event that it will be.
        item_id: String,
        /// Counts from 1; a higher one replaces what was written.
        #[serde(default)]
        attempt: u64,
        /// The newest event when it began.
        #[serde(default)]
        anchor_seq: Option<i64>,
    },
    /// A piece of what the model writes.
    Delta(Delta),
    /// What was written is void.
    ItemAborted {
        /// Id of the event that will not be.
        item_id: String,
        /// Which attempt.
        #[serde(default)]
        attempt: u64,
        /// Why (`cancelled`).
        #[serde(default)]
        reason: String,
    },
    /// The server refused what this socket sent.
    Error {
        /// The class of the error.
        #[serde(default)]
        code: String,
        /// What went wrong.
        #[serde(default)]
        detail: String,
    },
    /// A frame that we do not know: to be passed over.
    #[serde(untagged)]
    Unknown(Value),
}

/// A piece of what the model writes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Delta {
    /// Id of the event that it will be part of.
    pub item_id: String,
    /// Which attempt.
    #[serde(default)]
    pub attempt: u64,
    /// Counts from 0; a gap means that pieces were lost.
    #[serde(default)]
    pub order: u64,
    /// Of the text or of the reasoning.
    #[serde(default)]
    pub kind: DeltaKind,
    /// It.
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
