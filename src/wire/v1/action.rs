//! A tool call: announced before it runs, or before it waits for approval.

use super::{Action, Content, ReasoningItem, SecurityRisk, ThinkingBlock};
use serde::Deserialize;

/// A tool call.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct ActionEvent {
    /// The agent's text beside the call.
    pub thought: Vec<Content>,
    /// The model's reasoning.
    pub reasoning_content: String,
    /// The model's reasoning in blocks.
    pub thinking_blocks: Vec<ThinkingBlock>,
    /// The model's reasoning, in a third format.
    pub responses_reasoning_item: Option<ReasoningItem>,
    /// The requested operation. Missing for an unknown tool or unreadable arguments.
    pub action: Option<Action>,
    /// Name of the tool as the model knows it.
    pub tool_name: String,
    /// The model's id for the call.
    pub tool_call_id: String,
    /// The call as the model wrote it.
    pub tool_call: ToolCall,
    /// The model response that contains the call: parallel calls share it.
    pub llm_response_id: String,
    /// Risk rating.
    pub security_risk: SecurityRisk,
    /// A one-sentence summary, or the tool and its arguments again.
    pub summary: String,
}

/// A call as the model wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct ToolCall {
    /// Name of the tool.
    pub name: String,
    /// Its arguments: JSON as text, possibly truncated or invalid.
    pub arguments: String,
}
