//! One event: the fields that all events have, and an action or an observation.
//!
//! Each part is read separately, so that one malformed field never costs the event. `timeout` is omitted on
//! purpose: 0.62 sets it at random on live events and never in replays.

use super::{Action, ActionType, EventSource, Observation, ObservationType};
use crate::wire::python::without_words;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::fmt;

/// An event of the stream.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Event {
    /// Its id; ids are ordered and may have gaps. Upstream always has one.
    pub id: Option<EventId>,
    /// ISO time of the server's own clock, usually without a zone.
    pub timestamp: String,
    /// Its source.
    pub source: EventSource,
    /// A sentence from the server ("Running command: ls"), often empty.
    pub message: String,
    /// The event that caused it.
    pub cause: Option<EventId>,
    /// The model's call it belongs to: on actions and on their observations.
    pub tool_call_metadata: Option<ToolCallMetadata>,
    /// Totals so far, on events of the agent.
    pub llm_metrics: Option<LlmMetrics>,
    /// Beside an observation: whether it succeeded. For cells 0.62 always says `true`.
    pub success: Option<bool>,
    /// Its payload.
    pub payload: Payload,
}

/// The payload of an event.
#[derive(Debug, Clone, PartialEq)]
pub enum Payload {
    /// An operation to be carried out, or a message.
    Action {
        /// The tag.
        kind: ActionType,
        /// Its fields.
        action: Action,
    },
    /// The result of an action.
    Observation {
        /// The tag.
        kind: ObservationType,
        /// The text, which every observation has.
        content: String,
        /// Its fields.
        observation: Observation,
    },
    /// Neither: all fields that are not common ones.
    Unknown(Map<String, Value>),
}

impl Default for Payload {
    fn default() -> Self {
        Self::Unknown(Map::new())
    }
}

/// Identity of an event: a number on the wire, a text in OpenHands' documentation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum EventId {
    /// As 0.x sends it.
    Number(i64),
    /// As in OpenHands' documentation.
    Text(String),
}

impl EventId {
    /// Its position in the order of events, if it is a number.
    pub fn number(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => text.trim().parse().ok(),
        }
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => text.trim().fmt(f),
        }
    }
}

/// The model's call that an event belongs to. The model's whole response, which upstream repeats here, is
/// dropped: it doubles every large file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolCallMetadata {
    /// Name of the tool as the model knows it (`execute_bash`).
    pub function_name: String,
    /// The model's id for the call.
    pub tool_call_id: String,
    /// Number of calls in this response of the model.
    pub total_calls_in_response: u64,
}

/// Cost and tokens so far.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LlmMetrics {
    /// US dollars.
    pub accumulated_cost: f64,
    /// Limit in US dollars.
    pub max_budget_per_task: Option<f64>,
    /// Tokens.
    pub accumulated_token_usage: Option<TokenUsage>,
}

/// Tokens so far.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TokenUsage {
    /// Sent to the model.
    pub prompt_tokens: u64,
    /// Written by the model.
    pub completion_tokens: u64,
    /// Read from the provider's cache.
    pub cache_read_tokens: u64,
    /// Written to the provider's cache.
    pub cache_write_tokens: u64,
    /// Context window of the model.
    pub context_window: u64,
    /// In the latest turn.
    pub per_turn_token: u64,
}

impl Event {
    /// Reads an event. Cannot fail: unknown contents stay in [`Payload::Unknown`], in
    /// [`Action::Unknown`] or in [`Observation::Unknown`].
    pub fn read(mut fields: Map<String, Value>) -> Self {
        let mut event = Self {
            id: take(&mut fields, "id"),
            timestamp: take(&mut fields, "timestamp").unwrap_or_default(),
            source: take(&mut fields, "source").unwrap_or_default(),
            message: take(&mut fields, "message").unwrap_or_default(),
            cause: take(&mut fields, "cause"),
            tool_call_metadata: take(&mut fields, "tool_call_metadata"),
            llm_metrics: take(&mut fields, "llm_metrics"),
            success: take(&mut fields, "success"),
            payload: Payload::default(),
        };
        event.payload = if let Some(kind) = take::<String>(&mut fields, "action") {
            let action = payload("action", &kind, "args", fields.remove("args"));
            Payload::Action {
                kind: kind.into(),
                action: action.unwrap_or_else(Action::Unknown),
            }
        } else if let Some(kind) = take::<String>(&mut fields, "observation") {
            let observation = payload("observation", &kind, "extras", fields.remove("extras"));
            Payload::Observation {
                kind: kind.into(),
                content: take_text(&mut fields, "content"),
                observation: observation.unwrap_or_else(Observation::Unknown),
            }
        } else {
            Payload::Unknown(fields)
        };
        event
    }
}

/// Removes a field and returns it, if it has the expected type.
fn take<T: for<'de> Deserialize<'de>>(fields: &mut Map<String, Value>, name: &str) -> Option<T> {
    fields
        .remove(name)
        .and_then(|value| T::deserialize(value).ok())
}

/// Removes a text and returns it; any other value becomes its JSON, so that nothing is lost.
fn take_text(fields: &mut Map<String, Value>, name: &str) -> String {
    match fields.remove(name) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text,
        Some(other) => other.to_string(),
    }
}

/// One of the two unions.
trait Open: for<'de> Deserialize<'de> {
    /// What was not understood, with its tag.
    fn unknown(&self) -> Option<&Value>;
}

impl Open for Action {
    fn unknown(&self) -> Option<&Value> {
        match self {
            Self::Unknown(value) => Some(value),
            _ => None,
        }
    }
}

impl Open for Observation {
    fn unknown(&self) -> Option<&Value> {
        match self {
            Self::Unknown(value) => Some(value),
            _ => None,
        }
    }
}

/// Reads a payload with its tag; returns the fields if they are not one.
///
/// For 0.x `null` means missing, and an empty payload may be missing.
fn payload<T: Open>(tag: &str, word: &str, name: &str, fields: Option<Value>) -> Result<T, Value> {
    let (fields, is_payload) = match fields {
        None | Some(Value::Null) => (json!({}), true),
        Some(Value::Object(fields)) => {
            let present = fields.into_iter().filter(|(_, value)| !value.is_null());
            (present.collect(), true)
        }
        // An array would be taken for the fields in the order of their declaration.
        Some(other) => (other, false),
    };
    let tagged = json!({ tag: word.to_ascii_lowercase(), name: fields });
    if is_payload {
        // Cannot fail: the last variant of both unions takes anything.
        let read = T::deserialize(tagged).map_err(|_| Value::Null)?;
        // A field that should be a number may be none in JSON.
        let again = read.unknown().and_then(without_words);
        let again = again.and_then(|tagged| T::deserialize(tagged).ok());
        Ok(again
            .filter(|again| again.unknown().is_none())
            .unwrap_or(read))
    } else {
        Err(tagged)
    }
}
