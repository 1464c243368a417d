//! Messages being sent.

use serde::{Deserialize, Serialize};

/// A message being sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutboxView {
    /// The id that the page assigned.
    pub client_id: String,
    /// The text of the message.
    pub text: String,
    /// Name of the author; empty if there are no other people.
    pub by: String,
    /// Number of attached images.
    pub images: u32,
    /// Its delivery state.
    pub state: OutboxState,
    /// Reason of failure or unknown outcome, or empty.
    pub why: String,
    /// Time of writing, milliseconds since the Unix epoch.
    pub at: i64,
}

/// Delivery state of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutboxState {
    /// Being sent.
    Sending,
    /// Accepted by the backend; it will appear on the timeline.
    Sent,
    /// Not sent.
    Failed,
    /// Sent, but its delivery is not confirmed.
    Indeterminate,
}
