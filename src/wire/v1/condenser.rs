//! Older events are folded into a summary, for the model. Nothing is deleted.

use serde::Deserialize;

/// Events were folded.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Condensation {
    /// Ids of the events that the model does not see any more.
    pub forgotten_event_ids: Vec<String>,
    /// What replaces them.
    pub summary: Option<String>,
}

/// The summary as the model sees it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct CondensationSummaryEvent {
    /// It.
    pub summary: String,
}
