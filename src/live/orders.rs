//! What a person can tell an agent beside words.

use serde::{Deserialize, Serialize};

/// A yes or a no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Yes.
    Approve,
    /// No.
    Reject,
}

/// The three controls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Steering {
    /// After this step.
    Pause,
    /// Go on.
    Resume,
    /// Stop.
    Stop,
}
