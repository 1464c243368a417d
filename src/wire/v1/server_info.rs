//! Public information about a server (`GET /server_info`, needs no key).

use serde::Deserialize;
use serde_json::Value;

/// A server.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct ServerInfo {
    /// `OpenHands Agent Server`: identifies 1.x.
    pub title: String,
    /// Its version.
    pub version: String,
    /// Names of the tools that an agent can have there.
    pub usable_tools: Vec<String>,
    /// Names of optional features (`conversation_runtime_routes_v1`), in any format.
    pub capabilities: Value,
}
