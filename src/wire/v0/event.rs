//! One event: the fields that all events have, and an action or an observation.
//!
//! Each part is read separately, so that one malformed field never costs the event. `timeout` is omitted on
//! purpose: 0.62 sets it at random on live events and never in replays.

use super::{Action, ActionType, EventSource, Observation, ObservationType};
use crate::wire::lenient::without_named_numbers;
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
            timestamp: take_text(&mut fields, "timestamp"),
            source: take(&mut fields, "source").unwrap_or_default(),
            message: take(&mut fields, "message").unwrap_or_default(),
            cause: take(&mut fields, "cause"),
            tool_call_metadata: take(&mut fields, "tool_call_metadata"),
            llm_metrics: take(&mut fields, "llm_metrics"),
            success: take(&mut fields, "success"),
            payload: Payload::default(),
        };
        event.payload = if let Some(kind) = take::<String>(&mut fields, "action") {
            let args = fields.remove("args");
            let action = payload("action", &kind, "args", args.or_else(|| flat(fields)));
            let action = action.map(|action| match action {
                Action::Unknown(fields) => without_names(fields, "args", |action| {
                    !matches!(action, Action::Unknown(_))
                })
                .unwrap_or_else(Action::Unknown),
                action => action,
            });
            Payload::Action {
                kind: kind.into(),
                action: action.unwrap_or_else(Action::Unknown),
            }
        } else if let Some(kind) = take::<String>(&mut fields, "observation") {
            let content = take_text(&mut fields, "content");
            let extras = fields.remove("extras");
            let extras = extras.or_else(|| flat(fields));
            let observation = payload("observation", &kind, "extras", extras);
            let observation = observation.map(|observation| match observation {
                Observation::Unknown(fields) => without_names(fields, "extras", |observation| {
                    !matches!(observation, Observation::Unknown(_))
                })
                .unwrap_or_else(Observation::Unknown),
                observation => observation,
            });
            Payload::Observation {
                kind: kind.into(),
                content,
                observation: observation.unwrap_or_else(Observation::Unknown),
            }
        } else {
            Payload::Unknown(fields)
        };
        event
    }
}

/// The payload of an event of old files (0.9, and the resolver's), which have its fields beside the tag.
fn flat(mut fields: Map<String, Value>) -> Option<Value> {
    // Set at random on live events.
    fields.remove("timeout");
    for (old, name) in [
        ("is_confirmed", "confirmation_state"),
        ("images_urls", "image_urls"),
    ] {
        if let Some(value) = fields.remove(old) {
            fields.entry(name).or_insert(value);
        }
    }
    if let Some(code) = fields.remove("exit_code") {
        fields
            .entry("metadata")
            .or_insert(json!({ "exit_code": code }));
    }
    (!fields.is_empty()).then_some(Value::Object(fields))
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

/// Reads a payload with its tag; returns the fields if they are not one.
///
/// For 0.x `null` means missing, and an empty payload may be missing.
fn payload<T: for<'de> Deserialize<'de>>(
    tag: &str,
    word: &str,
    name: &str,
    fields: Option<Value>,
) -> Result<T, Value> {
    let (fields, is_payload) = match fields {
        None | Some(Value::Null) => (json!({}), true),
        Some(Value::Object(mut fields)) => {
            fields.retain(|_, value| !value.is_null());
            (Value::Object(fields), true)
        }
        // An array would be taken for the fields in the order of their declaration.
        Some(other) => (other, false),
    };
    let mut tagged = Map::new();
    tagged.insert(tag.to_owned(), word.to_ascii_lowercase().into());
    tagged.insert(name.to_owned(), fields);
    let tagged = Value::Object(tagged);
    if is_payload {
        // Cannot fail: the last variant of both unions takes anything.
        T::deserialize(tagged).map_err(|_| Value::Null)
    } else {
        Err(tagged)
    }
}

/// A payload that was unknown only because a number in it has no value, without this number; else the fields.
fn without_names<T: for<'de> Deserialize<'de>>(
    tagged: Value,
    name: &str,
    is_known: fn(&T) -> bool,
) -> Result<T, Value> {
    let mut plain = tagged.clone();
    if !without_named_numbers(&mut plain) {
        return Err(tagged);
    }
    if let Some(Value::Object(fields)) = plain.get_mut(name) {
        fields.retain(|_, value| !value.is_null());
    }
    T::deserialize(plain).ok().filter(is_known).ok_or(tagged)
}
