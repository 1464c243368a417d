//! Kinds of trouble: a page chooses picture and buttons by them.

use serde::{Deserialize, Serialize};

/// Kinds of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApiErrorKind {
    /// What was asked makes no sense; nothing was done.
    Invalid,
    /// There is no such thing.
    NotFound,
    /// Somebody else was faster, or it has changed meanwhile; nothing was done.
    Conflict,
    /// The backend cannot be reached or does not answer.
    BackendAway,
    /// The backend refuses.
    BackendRefuses,
    /// It may or may not have been done.
    Indeterminate,
    /// Nobody is logged in (any more).
    SignedOut,
    /// The role of who asks does not allow it.
    Forbidden,
    /// The line between page and server failed.
    Connection,
    /// Our own fault.
    Internal,
}
