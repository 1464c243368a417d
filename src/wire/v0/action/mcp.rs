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
    /// What was thought beside it.
    pub thought: String,
    /// How dangerous it was judged.
    pub security_risk: ActionSecurityRisk,
    /// What else stands in the arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}
