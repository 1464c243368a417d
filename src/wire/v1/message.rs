//! A message: from a person, from the agent, or to the agent from the loop around it.

use super::{Content, ReasoningItem, ThinkingBlock};
use serde::Deserialize;
use serde_json::Value;

/// A message.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct MessageEvent {
    /// Its contents.
    pub llm_message: LlmMessage,
    /// Names of the skills that were triggered by a keyword in it.
    pub activated_skills: Vec<String>,
    /// Context added for the agent: texts of skills and hooks.
    pub extended_content: Vec<Content>,
    /// Name of the agent that sent it, in a conversation of several agents.
    pub sender: Option<String>,
    /// A critic's assessment.
    pub critic_result: Option<Value>,
}

/// A message in the model's format.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct LlmMessage {
    /// `user`, `assistant`.
    pub role: String,
    /// Its parts.
    pub content: Vec<Content>,
    /// The model's reasoning.
    pub reasoning_content: String,
    /// The model's reasoning in blocks.
    pub thinking_blocks: Vec<ThinkingBlock>,
    /// The model's reasoning, in a third format.
    pub responses_reasoning_item: Option<ReasoningItem>,
}
