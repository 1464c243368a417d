//! Status of the agent, risk of a call, and state of its approval.

use serde::{Deserialize, Serialize};

/// Risk rating of a call (0.x: -1..2; 1.x: words).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Not rated.
    #[default]
    Unknown,
    /// Harmless.
    Low,
    /// Changes something.
    Medium,
    /// Could do damage.
    High,
}

/// State of a call's approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Confirmation {
    /// No approval requested, or the protocol does not say.
    #[default]
    NotAsked,
    /// Needs approval.
    Awaiting,
    /// Approved.
    Confirmed,
    /// Rejected.
    Rejected,
}

/// What a person can do about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Remedy {
    /// Nothing: the agent caused it, or has reached its limits.
    Nothing,
    /// Run the agent again.
    Retry,
    /// Change the settings.
    Settings,
    /// Start the sandbox again: it failed to start. The page shows it as failed.
    StartAgain,
}

/// Status of the agent.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Starting up.
    #[default]
    Loading,
    /// Ready, without a task (1.x `idle`).
    Idle,
    /// Running.
    Running,
    /// Waits for a message.
    AwaitingInput,
    /// Needs approval.
    AwaitingConfirmation,
    /// Approved, and carrying out the action (0.x `user_confirmed`).
    Confirmed,
    /// Rejected by a person (0.x `user_rejected`).
    UserRejected,
    /// Paused by a person.
    Paused,
    /// Stopped.
    Stopped,
    /// The agent reports that it has finished.
    Finished,
    /// The agent declines the task (0.x `rejected`).
    Declined,
    /// Failed.
    Error,
    /// The agent is in a loop (1.x `stuck`).
    Stuck,
    /// Rate-limited by the model's provider.
    RateLimited,
    /// Being deleted (1.x).
    Deleting,
    /// An unknown status.
    Other(String),
}

impl Status {
    /// Whether a step is in progress after which the agent can pause.
    pub fn can_pause(&self) -> bool {
        matches!(
            self,
            Self::Running | Self::Confirmed | Self::UserRejected | Self::RateLimited
        )
    }

    /// Whether the run has ended for now: a call without an answer will not get one.
    pub fn is_at_rest(&self) -> bool {
        match self {
            Self::Loading
            | Self::Idle
            | Self::AwaitingInput
            | Self::Stopped
            | Self::Finished
            | Self::Declined
            | Self::Error
            | Self::Stuck
            | Self::RateLimited
            | Self::Deleting => true,
            Self::Running
            | Self::AwaitingConfirmation
            | Self::Confirmed
            | Self::UserRejected
            | Self::Paused
            | Self::Other(_) => false,
        }
    }
}
