//! What a server says of itself, without a key (`GET /server_info`).

use serde::Deserialize;
use serde_json::Value;

/// A server.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct ServerInfo {
    /// `OpenHands Agent Server`: what tells 1.x from anything else.
    pub title: String,
    /// Its version.
    pub version: String,
    /// Names of what it can do besides (`conversation_runtime_routes_v1`), in whichever shape.
    pub capabilities: Value,
}
