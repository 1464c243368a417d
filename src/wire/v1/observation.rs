//! What came of a call.

use super::{Content, Observation, RejectionSource};
use serde::Deserialize;
use serde_json::{Map, Value};

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct ObservationEvent {
    /// It.
    pub observation: Observed,
    /// The event of the call.
    pub action_id: Option<String>,
    /// Name of the tool as the model knows it.
    pub tool_name: String,
    /// The model's id of the call.
    pub tool_call_id: String,
}

/// An observation with what all observations have.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(from = "Map<String, Value>")]
pub struct Observed {
    /// Its class.
    pub kind: String,
    /// What the model reads.
    pub content: Vec<Content>,
    /// The tool says that it failed. A command with an exit code other than 0 has not.
    pub is_error: bool,
    /// The rest.
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
                // Before content had parts it was a text.
                Value::String(text) => vec![Content::Text { text }],
                parts => Vec::deserialize(parts).unwrap_or_default(),
            },
            is_error,
            // Cannot fail: the last variant takes anything.
            observation: Observation::deserialize(Value::Object(fields)).unwrap_or_default(),
        }
    }
}

/// A call was turned down.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct UserRejectObservation {
    /// The event of the call.
    pub action_id: Option<String>,
    /// The model's id of the call.
    pub tool_call_id: String,
    /// Why; upstream has a sentence of its own where nobody gave one.
    pub rejection_reason: String,
    /// Who.
    pub rejection_source: RejectionSource,
}
