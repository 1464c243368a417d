//! The result of a call.

use super::{Content, Observation, RejectionSource};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct ObservationEvent {
    /// The observation.
    pub observation: Observed,
    /// The event of the call.
    pub action_id: Option<String>,
    /// Name of the tool as the model knows it.
    pub tool_name: String,
    /// The model's id for the call.
    pub tool_call_id: String,
}

/// An observation with the fields that all observations have.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(from = "Map<String, Value>")]
pub struct Observed {
    /// Its class.
    pub kind: String,
    /// The content for the model.
    pub content: Vec<Content>,
    /// The tool reports a failure. A command with a non-zero exit code does not count as one.
    pub is_error: bool,
    /// The fields of its class.
    pub observation: Observation,
}

impl From<Map<String, Value>> for Observed {
    fn from(mut fields: Map<String, Value>) -> Self {
        let content = fields.remove("content").unwrap_or_default();
        let is_error = fields.get("is_error") == Some(&Value::Bool(true));
        let kind = fields.get("kind").and_then(Value::as_str);
        Self {
            kind: kind.unwrap_or_default().to_owned(),
            content: match content {
                // Before content had parts it was a string.
                Value::String(text) => vec![Content::Text { text }],
                Value::Null => Vec::new(),
                Value::Array(_) => Vec::deserialize(content).unwrap_or_default(),
                other => vec![Content::Unknown(other)],
            },
            is_error,
            // Cannot fail: the last variant takes anything.
            observation: Observation::deserialize(Value::Object(fields)).unwrap_or_default(),
        }
    }
}

/// A call was rejected.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct UserRejectObservation {
    /// The event of the call.
    pub action_id: Option<String>,
    /// The model's id for the call.
    pub tool_call_id: String,
    /// The reason; upstream inserts a sentence of its own if none was given.
    pub rejection_reason: String,
    /// Who rejected it.
    pub rejection_source: RejectionSource,
}
