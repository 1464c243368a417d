//! What can go wrong with the journal.

use std::error::Error as StdError;
use std::path::PathBuf;
use thiserror::Error;

/// Why the journal could not do something. For us, not for people; the engine below is only a source.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum JournalError {
    /// It cannot be opened or made.
    #[error("the journal {path} cannot be opened")]
    Open {
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// It was written by a newer version, which alone knows how to read it.
    #[error(
        "the journal is of version {found} and this Handrail knows versions up to {known}: start the newer Handrail, or give another folder with --data-dir"
    )]
    Newer {
        /// The version it has.
        found: i64,
        /// The newest version we know.
        known: i64,
    },
    /// Reading or writing failed (disk full, read-only, damaged).
    #[error("the journal does not work")]
    Broken(#[source] Box<dyn StdError + Send + Sync>),
    /// It holds no such conversation.
    #[error("the journal has no conversation {0}")]
    Unknown(String),
    /// The work was given up half-way because the program ends.
    #[error("the journal is being closed")]
    Closing,
}
