//! Work for sub-agents, in older servers.

use serde::Deserialize;
use serde_json::{Map, Value};

/// Sub-agents are made, or given work.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct DelegateAction {
    /// `spawn` or `delegate`.
    pub command: String,
    /// Their names.
    pub ids: Vec<String>,
    /// Name and task.
    pub tasks: Map<String, Value>,
    /// What else stands in the arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}
