//! Tools of MCP servers.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Result of a tool: `content` is the MCP result as JSON text, and only `isError` in it indicates a failure.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MCPObservation {
    /// Name of the tool.
    pub name: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
}
