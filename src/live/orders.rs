//! Commands of a person to an agent, other than messages.

use serde::{Deserialize, Serialize};

/// The decision on an approval request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Approve.
    Approve,
    /// Reject.
    Reject,
}

/// Control of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Steering {
    /// Pause after the current step.
    Pause,
    /// Resume.
    Resume,
    /// Stop the run.
    Stop,
}

/// The last message of a person in a conversation, which can be changed and sent again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastMessage {
    /// The id of its row.
    pub row: i64,
    /// Its text.
    pub text: String,
    /// Whether it has images or files, which are not sent again.
    pub attached: bool,
}
