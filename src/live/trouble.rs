//! Kinds of errors, by which a page chooses icon and buttons.

use serde::{Deserialize, Serialize};

/// Kind of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApiErrorKind {
    /// The request is invalid; nothing was done.
    Invalid,
    /// The requested object does not exist.
    NotFound,
    /// A conflict with a concurrent change; nothing was done.
    Conflict,
    /// The backend is unreachable or does not respond.
    BackendAway,
    /// The backend rejected the request.
    BackendRefuses,
    /// The outcome is unknown: it may or may not have been done.
    Indeterminate,
    /// Nobody is logged in, or the login has ended.
    SignedOut,
    /// The caller's role does not permit it.
    Forbidden,
    /// The connection between page and server failed.
    Connection,
    /// Handrail cannot store anything; what is stored can be read.
    Full,
    /// The database cannot be reached at present.
    Away,
    /// Internal error of Handrail.
    Internal,
}
