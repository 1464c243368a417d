//! Chunks of the model's output, as the older socket sends them.

use serde::Deserialize;

/// A chunk. It does not identify the event it will be part of.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct StreamingDeltaEvent {
    /// Part of the text.
    pub content: Option<String>,
    /// Part of the reasoning.
    pub reasoning_content: Option<String>,
}
