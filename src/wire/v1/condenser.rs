//! Condensation: older events are replaced by a summary, for the model. Nothing is deleted.

use serde::Deserialize;

/// Events were condensed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Condensation {
    /// Ids of the events that the model no longer sees.
    pub forgotten_event_ids: Vec<String>,
    /// The summary that replaces them.
    pub summary: Option<String>,
}

/// The summary as the model sees it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct CondensationSummaryEvent {
    /// The summary.
    pub summary: String,
}
