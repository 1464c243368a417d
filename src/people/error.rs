//! Errors of this layer.

use crate::journal::JournalError;
use thiserror::Error;

/// Why an operation on accounts was not performed. Every method can fail with [`Self::Journal`]; the others are documented.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PeopleError {
    /// The input is invalid; the text is a sentence for people.
    #[error("{0}")]
    Invalid(String),
    /// There is no such person, device, token or link.
    #[error("the {0} was not found")]
    NotFound(&'static str),
    /// Name or password is wrong, or the account is disabled; the error does not tell which.
    #[error("wrong name or password")]
    Wrong,
    /// The operation needs a login; the caller has another credential.
    #[error("login required")]
    NeedsLogin,
    /// The operation changes how the caller logs in, and the login is too old for that.
    #[error("recent login required")]
    NeedsRecentLogin,
    /// Too many failed attempts; seconds to wait.
    #[error("too many failed attempts; wait {0} s")]
    Wait(u64),
    /// There would be no enabled owner left.
    #[error("there must be at least one owner")]
    LastOwner,
    /// The set-up code is wrong or expired, or there is an owner already.
    #[error("the set-up code is not valid")]
    NoSetUp,
    /// The external identity has no account and is not invited.
    #[error("no account and no invitation")]
    NotInvited,
    /// The password was right, and a passkey is still to come: half a login, for the browser's cookie.
    #[error("the password was right; a passkey must follow")]
    SecondFactor(String),
    /// The passkey was not accepted, for this reason.
    #[error("the passkey was not accepted: {0}")]
    Passkey(String),
    /// The recovery code is wrong or was used.
    #[error("wrong recovery code")]
    WrongCode,
    /// The login took too long, was completed already, or began in another browser.
    #[error("the login has expired")]
    Expired,
    /// The invitation does not exist, was used or revoked, or has expired.
    #[error("the invitation is not valid")]
    NoInvitation,
    /// The share link does not exist, or was revoked or expired.
    #[error("the link is not valid")]
    NoLink,
    /// The set-up code could not be written to its file.
    #[error("the set-up code cannot be written")]
    Code(#[source] std::io::Error),
    /// The journal failed.
    #[error("the journal failed")]
    Journal(#[from] JournalError),
    /// A password could not be hashed.
    #[error("hashing failed")]
    Hashing,
}
