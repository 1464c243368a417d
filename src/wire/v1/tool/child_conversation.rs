//! Work for a conversation of its own, with a log of its own.

use serde::Deserialize;
use serde_json::{Map, Value};

/// A child conversation is begun.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct StartChildConversationAction {
    /// What it shall do.
    pub task: String,
    /// Its title.
    pub title: Option<String>,
    /// What else stands in the arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// A child conversation was begun.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct StartChildConversationObservation {
    /// Its id.
    pub conversation_id: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Where it works.
    pub workspace: Option<String>,
}
