//! Tools of MCP servers: their name is the `tool_name` of the event.

use serde::Deserialize;
use serde_json::{Map, Value};

/// A tool is called.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct MCPToolAction {
    /// Its arguments.
    pub data: Map<String, Value>,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}
