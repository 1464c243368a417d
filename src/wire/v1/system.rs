//! The agent's instructions and tools.

use super::Content;
use serde::Deserialize;

/// The agent's instructions and tools: mostly the first event.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct SystemPromptEvent {
    /// The instructions.
    pub system_prompt: Option<Content>,
    /// What is added to them for this conversation.
    pub dynamic_context: Option<Content>,
    /// The tools.
    pub tools: Vec<ToolDefinition>,
}

/// A tool as the model is told of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct ToolDefinition {
    /// Its class.
    pub kind: String,
    /// Its name.
    pub title: String,
    /// How to use it.
    pub description: String,
}
