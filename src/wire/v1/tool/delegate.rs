//! Work delegated to sub-agents, in older servers.

use serde::Deserialize;
use serde_json::{Map, Value};

/// Sub-agents are created, or given tasks.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct DelegateAction {
    /// `spawn` or `delegate`.
    pub command: String,
    /// Their names.
    pub ids: Vec<String>,
    /// Tasks by name.
    pub tasks: Map<String, Value>,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}
