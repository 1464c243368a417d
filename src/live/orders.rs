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
