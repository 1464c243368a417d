//! One event: what all events have in common, and an action or an observation.
//!
//! Each part is read for itself, so that one odd field never costs the event. `timeout` is left out on
//! purpose: 0.62 sets it at random on live events and never in replays.

use super::{Action, ActionType, EventSource, Observation, ObservationType};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::fmt;

/// An event of the stream.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Event {
    /// Its id, dense with gaps in each conversation. Upstream always has one.
    pub id: Option<EventId>,
    /// ISO time of the server's own clock, mostly without a zone.
    pub timestamp: String,
    /// Who it comes from.
    pub source: EventSource,
    /// A sentence made by the server ("Running command: ls"), often empty.
    pub message: String,
    /// The event that it answers.
    pub cause: Option<EventId>,
    /// Which call of the model it belongs to: on actions and on their observations.
    pub tool_call_metadata: Option<ToolCallMetadata>,
    /// Totals so far, on events of the agent.
    pub llm_metrics: Option<LlmMetrics>,
    /// Beside an observation: whether it went well. For cells 0.62 says `true` whatever happened.
    pub success: Option<bool>,
    /// What it says.
    pub payload: Payload,
}

/// What an event says.
#[derive(Debug, Clone, PartialEq)]
pub enum Payload {
    /// Something is to be done, or was said.
    Action {
        /// The tag.
        kind: ActionType,
        /// The rest.
        action: Action,
    },
    /// Something came of it.
    Observation {
        /// The tag.
        kind: ObservationType,
        /// The text that every observation has.
        content: String,
        /// The rest.
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

/// Identity of an event: a number on the wire, a text in the specification.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum EventId {
    /// As 0.x sends it.
    Number(i64),
    /// As the glossary says.
    Text(String),
}

impl EventId {
    /// Its place in the order of events, if it is a number.
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

/// Which call of the model an event belongs to. The model's whole answer, which upstream repeats here, is
/// dropped: it doubles every large file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolCallMetadata {
    /// Name of the tool as the model knows it (`execute_bash`).
    pub function_name: String,
    /// The model's id of the call.
    pub tool_call_id: String,
    /// How many calls came in one answer of the model.
    pub total_calls_in_response: u64,
}

/// Cost and tokens so far.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LlmMetrics {
    /// US dollars.
    pub accumulated_cost: f64,
    /// US dollars at most.
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
    /// How many the model can hold.
    pub context_window: u64,
    /// Of the newest turn.
    pub per_turn_token: u64,
}

impl Event {
    /// Reads an event. Cannot fail: what is not understood stays in [`Payload::Unknown`], in
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

/// Takes a field out, if it reads as what it should be.
fn take<T: for<'de> Deserialize<'de>>(fields: &mut Map<String, Value>, name: &str) -> Option<T> {
    fields
        .remove(name)
        .and_then(|value| T::deserialize(value).ok())
}

/// Takes a text out; anything else that stands there becomes its JSON, so that nothing is lost.
fn take_text(fields: &mut Map<String, Value>, name: &str) -> String {
    match fields.remove(name) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text,
        Some(other) => other.to_string(),
    }
}

/// Reads a payload with its tag; what cannot be one is given back.
///
/// To 0.x `null` and "not there" are the same, and a payload may be left out where it would be empty.
fn payload<T: for<'de> Deserialize<'de>>(
    tag: &str,
    word: &str,
    name: &str,
    fields: Option<Value>,
) -> Result<T, Value> {
    let (fields, is_payload) = match fields {
        None | Some(Value::Null) => (json!({}), true),
        Some(Value::Object(fields)) => {
            let said = fields.into_iter().filter(|(_, value)| !value.is_null());
            (said.collect(), true)
        }
        // A list would be taken for the fields in the order of their declaration.
        Some(other) => (other, false),
    };
    let tagged = json!({ tag: word.to_ascii_lowercase(), name: fields });
    if is_payload {
        // Cannot fail: the last variant of both unions takes anything.
        T::deserialize(tagged).map_err(|_| Value::Null)
    } else {
        Err(tagged)
    }
}
