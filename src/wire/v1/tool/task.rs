//! Work for a sub-agent: a black box, of which the log holds the task and the answer alone.

use serde::Deserialize;
use serde_json::{Map, Value};

/// Work is handed on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct TaskAction {
    /// What it is, in a few words.
    pub description: Option<String>,
    /// What the sub-agent is told.
    pub prompt: String,
    /// Which sub-agent.
    pub subagent_type: String,
    /// What else stands in the arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// The answer is in the content.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct TaskObservation {
    /// Its usage in the statistics is `task:` and this.
    pub task_id: String,
    /// Which sub-agent.
    pub subagent: String,
    /// `completed`, ...
    pub status: String,
}
