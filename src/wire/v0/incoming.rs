//! The payloads of `oh_event`: an event, a status update of the server, or a fatal error.

use super::Event;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One payload of `oh_event`.
#[derive(Debug, Clone, PartialEq)]
pub enum Incoming {
    /// An event of the stream.
    Event(Box<Event>),
    /// A status update of the server: no id, not stored, never replayed.
    StatusUpdate(StatusUpdate),
    /// The conversation could not be started: no id, not stored.
    ErrorFrame(ErrorFrame),
    /// None of these, as it arrived.
    Unknown(Value),
}

/// A status update of the server.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StatusUpdate {
    /// `info` or `error`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its code (`STATUS$READY`). A text, never an event id; missing in an update of the title.
    pub id: Option<String>,
    /// Its text: empty, a sentence, or the code again.
    pub message: Option<String>,
    /// The new title.
    pub conversation_title: Option<String>,
}

/// A fatal error.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ErrorFrame {
    /// Error message.
    pub message: Option<String>,
}

impl Incoming {
    /// Reads a payload. Cannot fail.
    pub fn read(value: Value) -> Self {
        let Value::Object(fields) = value else {
            return Self::Unknown(value);
        };
        let is_set = |name| {
            fields
                .get(name)
                .is_some_and(|value| *value != Value::Bool(false) && !value.is_null())
        };
        if fields.contains_key("action") || fields.contains_key("observation") {
            return Self::Event(Box::new(Event::read(fields)));
        }
        let (status, error) = (is_set("status_update"), is_set("error"));
        let value = Value::Object(fields);
        if status && let Ok(update) = StatusUpdate::deserialize(&value) {
            Self::StatusUpdate(update)
        } else if error && let Ok(frame) = ErrorFrame::deserialize(&value) {
            Self::ErrorFrame(frame)
        } else {
            match value {
                // With an id it has a position in the stream, whatever its contents.
                Value::Object(fields) if fields.contains_key("id") && !status => {
                    Self::Event(Box::new(Event::read(fields)))
                }
                other => Self::Unknown(other),
            }
        }
    }
}
