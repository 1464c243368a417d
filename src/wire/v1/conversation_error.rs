//! Errors, and how a person can resolve them.

use super::{FailureKind, UserAction};
use serde::Deserialize;

/// A call could not be made, or was interrupted. The run continues.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct AgentErrorEvent {
    /// Name of the tool as the model knows it.
    pub tool_name: String,
    /// The model's id for the call: the only link to it.
    pub tool_call_id: String,
    /// Error message.
    pub error: String,
    /// Kind of failure.
    pub classification: Option<ErrorClassification>,
}

/// The run has failed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct ConversationErrorEvent {
    /// The class of the error (`LLMAuthenticationError`).
    pub code: String,
    /// Error message.
    pub detail: String,
    /// Kind of failure.
    pub classification: Option<ErrorClassification>,
}

/// A socket refused a message.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct ServerErrorEvent {
    /// The class of the error.
    pub code: String,
    /// Error message.
    pub detail: String,
}

/// Kind of failure.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct ErrorClassification {
    /// Its category.
    pub kind: FailureKind,
    /// Whether a retry may succeed.
    pub retryable: bool,
    /// The suggested remedy.
    pub user_action: UserAction,
}
