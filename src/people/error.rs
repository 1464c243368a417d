//! Why something about people was not done.

use crate::journal::JournalError;
use thiserror::Error;

/// Why something about people was not done.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PeopleError {
    /// What was asked makes no sense; the text is a sentence for people.
    #[error("{0}")]
    Invalid(String),
    /// There is no such person, device or token.
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// Name or password are wrong, or the account is disabled. It is not said which.
    #[error("the name or the password is wrong")]
    Wrong,
    /// Too many wrong guesses.
    #[error("too many wrong guesses; wait {0} seconds")]
    Wait(u64),
    /// Nobody would be owner any more.
    #[error("there must be an owner")]
    LastOwner,
    /// The set-up code is wrong or too old, or there is an owner already.
    #[error("there is nothing to set up")]
    NoSetUp,
    /// Somebody for whom another party vouches has no account here, and gets none.
    #[error("they have no account and are not invited")]
    NotInvited,
    /// The link has ended, or never was.
    #[error("the link leads nowhere")]
    NoLink,
    /// The set-up code could not be left in its file.
    #[error("the set-up code cannot be written")]
    Code(#[source] std::io::Error),
    /// The journal did not do it.
    #[error("the journal failed")]
    Journal(#[from] JournalError),
    /// A password could not be hashed.
    #[error("hashing failed")]
    Hashing,
}
