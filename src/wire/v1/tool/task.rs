//! Work delegated to a sub-agent: a black box, of which the log contains only the task and the answer.

use serde::Deserialize;
use serde_json::{Map, Value};

/// Work is delegated.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct TaskAction {
    /// A short description.
    pub description: Option<String>,
    /// The prompt of the sub-agent.
    pub prompt: String,
    /// Which sub-agent.
    pub subagent_type: String,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// The answer is in the content.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct TaskObservation {
    /// Its usage in the statistics is `task:` followed by this id.
    pub task_id: String,
    /// Which sub-agent.
    pub subagent: String,
    /// `completed`, ...
    pub status: String,
}
