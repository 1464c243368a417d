//! Work for a conversation of its own, with a log of its own.

use serde::Deserialize;

/// A child conversation is begun.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct StartChildConversationAction {
    /// What it shall do.
    pub task: String,
    /// Its title.
    pub title: Option<String>,
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
