//! Pieces of what the model writes, as the older socket sends them.

use serde::Deserialize;

/// A piece. Nothing says which event it will be part of.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct StreamingDeltaEvent {
    /// Of the text.
    pub content: Option<String>,
    /// Of the reasoning.
    pub reasoning_content: Option<String>,
}
