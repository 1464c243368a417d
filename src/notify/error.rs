//! Errors of notifications.

use crate::hub::HubError;
use crate::journal::JournalError;
use thiserror::Error;

/// Why something about notifications failed. Every method can fail with [`Self::Journal`]; the others are documented.
#[derive(Debug, Error)]
pub enum NotifyError {
    /// Bad input, in a whole sentence that says what to do.
    #[error("{0}")]
    Invalid(String),
    /// There is no such thing.
    #[error("the {0} was not found")]
    NotFound(&'static str),
    /// The notifications cannot be set up.
    #[error("notifications cannot be set up: {0}")]
    Setup(String),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The hub.
    #[error(transparent)]
    Hub(#[from] HubError),
}
