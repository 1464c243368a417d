//! Something said: by a person, by the agent, or to the agent by the loop around it.

use super::{Content, ReasoningItem, ThinkingBlock};
use serde::Deserialize;
use serde_json::Value;

/// Something said.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct MessageEvent {
    /// The words.
    pub llm_message: LlmMessage,
    /// Names of the skills that a word in it has woken.
    pub activated_skills: Vec<String>,
    /// What was put before the agent beside it: texts of skills, and of hooks.
    pub extended_content: Vec<Content>,
    /// Name of the agent that sent it, where several work together.
    pub sender: Option<String>,
    /// What a critic thinks of it.
    pub critic_result: Option<Value>,
}

/// The words as the model has them.
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
    /// The model's reasoning, third spelling.
    pub responses_reasoning_item: Option<ReasoningItem>,
}
