//! A call of a tool: said before it runs, or before it waits for an answer.

use super::{Action, Content, ReasoningItem, SecurityRisk, ThinkingBlock};
use serde::Deserialize;

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct ActionEvent {
    /// What was said beside it.
    pub thought: Vec<Content>,
    /// The model's reasoning.
    pub reasoning_content: String,
    /// The model's reasoning in blocks.
    pub thinking_blocks: Vec<ThinkingBlock>,
    /// The model's reasoning, third spelling.
    pub responses_reasoning_item: Option<ReasoningItem>,
    /// What is to be done. Missing when it cannot be: unknown tool, unreadable arguments.
    pub action: Option<Action>,
    /// Name of the tool as the model knows it.
    pub tool_name: String,
    /// The model's id of the call.
    pub tool_call_id: String,
    /// The call as the model wrote it.
    pub tool_call: ToolCall,
    /// The answer of the model that it came in: calls with the same one stand side by side.
    pub llm_response_id: String,
    /// How dangerous it was judged.
    pub security_risk: SecurityRisk,
    /// What it does, in a sentence; or tool and arguments once more.
    pub summary: String,
}

/// A call as the model wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct ToolCall {
    /// Name of the tool.
    pub name: String,
    /// Its arguments: JSON as text, as far as the model could write it.
    pub arguments: String,
}
