//! The tools that every agent has: think, finish, read a skill.

use serde::Deserialize;
use serde_json::{Map, Value};

/// A thought.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct ThinkAction {
    /// The thought.
    pub thought: String,
}

/// The agent finishes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct FinishAction {
    /// The final message.
    pub message: String,
}

/// A skill is loaded.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct InvokeSkillAction {
    /// Its name.
    pub name: String,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// A skill's text is in the content.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct InvokeSkillObservation {
    /// Its name.
    pub skill_name: String,
}
