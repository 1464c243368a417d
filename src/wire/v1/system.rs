//! The agent's instructions and tools.

use super::Content;
use serde::Deserialize;

/// The agent's instructions and tools: usually the first event.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct SystemPromptEvent {
    /// The instructions.
    pub system_prompt: Option<Content>,
    /// Additional instructions for this conversation.
    pub dynamic_context: Option<Content>,
    /// The tools.
    pub tools: Vec<ToolDefinition>,
}

/// A tool as described to the model.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct ToolDefinition {
    /// Its class.
    pub kind: String,
    /// Its name.
    pub title: String,
    /// Its description.
    pub description: String,
}
