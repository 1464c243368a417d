//! Errors of the journal.

use super::engine::{self, Meaning};
use std::error::Error as StdError;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use thiserror::Error;

/// Why a journal operation failed. For developers, not for the page; the error of the database is available only as a source.
/// Every method can fail with [`Self::Broken`] and [`Self::Closing`], and those that store something with [`Self::Full`] and
/// [`Self::Indeterminate`]; the others are documented.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The file cannot be opened or created.
    #[error("the journal {path} cannot be opened")]
    Open {
        /// Path of the file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// A newer version of Handrail wrote the file, or one that is too old to be converted; this one cannot read it.
    #[error(
        "the journal is of version {found} and this Handrail knows versions {} to {}: start the {} Handrail, or give another folder with --data-dir",
        known.start(), known.end(), if found > known.end() { "newer" } else { "older" }
    )]
    OtherVersion {
        /// The schema version of the file.
        found: i64,
        /// The schema versions that this build reads.
        known: RangeInclusive<i64>,
    },
    /// The database is of an earlier version, and was not converted, because the copy before that cannot be written.
    #[error(
        "the journal is as before, and was not converted to version {version}, because the copy of it that is made before cannot be written to {path}; make room for it there, or move the folder to a larger disk"
    )]
    NoCopy {
        /// Path of the copy.
        path: PathBuf,
        /// The schema version that the conversion makes.
        version: i64,
        /// The cause.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Nothing can be stored: the disk is full, or cannot be written. What is stored can be read.
    #[error("the journal cannot be written")]
    Full(#[source] Box<dyn StdError + Send + Sync>),
    /// Reading or writing failed.
    #[error("the journal does not work")]
    Broken(#[source] Box<dyn StdError + Send + Sync>),
    /// The database cannot be reached at present, or has no connection left. Nothing was stored that was not confirmed.
    #[error("the database is away or busy")]
    Away(#[source] Box<dyn StdError + Send + Sync>),
    /// The database was lost while something was being committed, and does not say whether it was: it may be stored.
    #[error("the database was lost, and what was being stored may be stored")]
    Indeterminate(#[source] Box<dyn StdError + Send + Sync>),
    /// The query exceeded its time limit and was interrupted.
    #[error("the query took too long")]
    TooSlow,
    /// The journal has no conversation of this id.
    #[error("the journal has no conversation {0}")]
    Unknown(String),
    /// The operation was abandoned because the program is shutting down.
    #[error("the journal is being closed")]
    Closing,
}

impl JournalError {
    /// The same error for another change of a commit that has failed.
    pub(super) fn again(&self) -> Self {
        match self {
            Self::Full(source) => Self::Full(source.to_string().into()),
            Self::Away(source) => Self::Away(source.to_string().into()),
            Self::Indeterminate(source) => Self::Indeterminate(source.to_string().into()),
            Self::Closing => Self::Closing,
            other => Self::Broken(other.to_string().into()),
        }
    }
}

/// The error of a change.
pub(super) fn of_change(error: engine::Error) -> JournalError {
    match of_engine(error) {
        JournalError::TooSlow => JournalError::Away("the change took too long".into()),
        error => error,
    }
}

/// The error of a query.
pub(super) fn of_engine(error: engine::Error) -> JournalError {
    match error.meaning() {
        Meaning::TooSlow => JournalError::TooSlow,
        Meaning::Full => JournalError::Full(error.into()),
        Meaning::Away => JournalError::Away(error.into()),
        Meaning::Unknown => JournalError::Indeterminate(error.into()),
        Meaning::Broken => JournalError::Broken(error.into()),
    }
}
