//! The words for where things stand: what the agent does, how dangerous a call is, whether it was approved.

use serde::{Deserialize, Serialize};

/// How dangerous a call was judged (0.x: -1..2; 1.x: words).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Nobody judged.
    #[default]
    Unknown,
    /// Harmless.
    Low,
    /// Changes something.
    Medium,
    /// Could do damage.
    High,
}

/// Whether and how a person decided about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Confirmation {
    /// Nobody was asked, or the protocol does not say.
    #[default]
    NotAsked,
    /// It waits.
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
    /// Nothing: the agent did it, or has met its limits.
    Nothing,
    /// Run again.
    Retry,
    /// Change the settings.
    Settings,
    /// Start the runtime once more: it did not come up. The page shows it as one that has failed.
    StartAgain,
}

/// What the agent is doing.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Starting up.
    #[default]
    Loading,
    /// Ready, nothing asked yet (1.x `idle`).
    Idle,
    /// At work.
    Running,
    /// Waits for a message.
    AwaitingInput,
    /// Waits for a yes or a no.
    AwaitingConfirmation,
    /// A yes was given and is being carried out (0.x `user_confirmed`).
    Confirmed,
    /// A no was given (0.x `user_rejected`).
    UserRejected,
    /// Paused by a person.
    Paused,
    /// Stopped.
    Stopped,
    /// Says that it is done.
    Finished,
    /// Says that it will not do it (0.x `rejected`).
    Declined,
    /// Failed.
    Error,
    /// Goes in circles (1.x `stuck`).
    Stuck,
    /// The model refused for now.
    RateLimited,
    /// Being deleted (1.x).
    Deleting,
    /// A word that we do not know.
    Other(String),
}

impl Status {
    /// Whether the run is over for now: a call that has no answer by then never gets one.
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
