//! Work delegated to a child conversation, with a log of its own.

use serde::Deserialize;
use serde_json::{Map, Value};

/// A child conversation is started.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct StartChildConversationAction {
    /// Its task.
    pub task: String,
    /// Its title.
    pub title: Option<String>,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// A child conversation was started.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct StartChildConversationObservation {
    /// Its id.
    pub conversation_id: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Its working directory.
    pub workspace: Option<String>,
}
