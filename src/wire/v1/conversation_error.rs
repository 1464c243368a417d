//! What goes wrong, and what a person can do about it.

use super::{FailureKind, UserAction};
use serde::Deserialize;

/// A call could not be made, or was cut off. The run goes on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct AgentErrorEvent {
    /// Name of the tool as the model knows it.
    pub tool_name: String,
    /// The model's id of the call: the only link to it.
    pub tool_call_id: String,
    /// What went wrong.
    pub error: String,
    /// What kind of failure it is.
    pub classification: Option<ErrorClassification>,
}

/// The run has failed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct ConversationErrorEvent {
    /// The class of the error (`LLMAuthenticationError`).
    pub code: String,
    /// What went wrong.
    pub detail: String,
    /// What kind of failure it is.
    pub classification: Option<ErrorClassification>,
}

/// A socket refused what it was sent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct ServerErrorEvent {
    /// The class of the error.
    pub code: String,
    /// What went wrong.
    pub detail: String,
}

/// What kind of failure it is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct ErrorClassification {
    /// Its family.
    pub kind: FailureKind,
    /// Whether the same may succeed later.
    pub retryable: bool,
    /// What a person can do.
    pub user_action: UserAction,
}
