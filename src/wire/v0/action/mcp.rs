//! Tools of MCP servers.

use crate::wire::v0::ActionSecurityRisk;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Calls a tool of an MCP server.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MCPAction {
    /// Its name.
    pub name: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// The agent's thought.
    pub thought: String,
    /// Risk rating.
    pub security_risk: ActionSecurityRisk,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}
