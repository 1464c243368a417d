//! What we keep: every event as it arrived, what people have answered and said, and who they are.
//!
//! The log of each conversation is dense and durable under a `seq` of our own; upstream's key makes
//! arriving twice harmless. Each event knows the row it is read in, so any window of a log of any
//! length is read by index and folded alone. All SQL is in this layer and no type of SQLite leaves it.
//!
//! Invariant: what [`Journal::append`] answers is stored. Invariant: an approval and a message are on
//! the disk before they are sent.

mod append;
mod approvals;
mod audit;
mod authors;
mod conversations;
mod database;
mod digest;
mod drafts;
mod error;
mod events;
mod guesses;
mod identities;
mod images;
mod index;
mod links;
mod logins;
mod outbox;
mod people;
mod rows;
#[cfg(test)]
pub(crate) mod sample;
mod search;
mod sharing;
#[cfg(test)]
mod tests;
mod words;

pub use append::{Appended, Entry, Stored};
pub use approvals::{Approval, ApprovalState, Claim, Question};
pub use audit::{AuditEntry, AuditFilter, AuditRecord, AuditState};
pub use conversations::{Described, Known};
pub use digest::digest;
pub use error::JournalError;
pub use events::LogEvent;
pub use guesses::Guess;
pub use identities::IdentityRecord;
pub use links::LinkRecord;
pub use logins::{LoginRecord, SecretHash, TokenRecord};
pub use outbox::{Outgoing, OutgoingState};
pub use people::{PersonChange, PersonChanged, PersonRecord};
pub use rows::{Changed, Page, Window};
pub use sharing::SharingRecord;

use crate::conversation::LogItem;
use database::Database;
use std::path::Path;

/// How an event's JSON is read again. It must answer what the backend answered when it arrived.
pub type Reader = fn(&str) -> LogItem;

/// The journal. Cheap to clone: all clones are one.
#[derive(Debug, Clone)]
pub struct Journal {
    database: Database,
    reader: Reader,
}

impl Journal {
    /// Opens the journal in `folder`; makes folder (0700) and file (0600) on the first start.
    ///
    /// What was on its way when the program ended the last time is marked as what it is: answers and
    /// messages that were being sent become indeterminate, messages that waited have failed. Nothing is
    /// sent again by itself.
    pub async fn open(folder: &Path, reader: Reader) -> Result<Self, JournalError> {
        let journal = Self::open_beside(folder, reader).await?;
        journal.mark_what_was_interrupted().await?;
        Ok(journal)
    }

    /// Opens the journal for something small while another process may be serving from it: what is on its
    /// way there is left alone.
    pub async fn open_beside(folder: &Path, reader: Reader) -> Result<Self, JournalError> {
        Ok(Self {
            database: Database::open(folder).await?,
            reader,
        })
    }
}
