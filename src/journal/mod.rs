//! The journal: every event (without redundant fields and the key of a 1.x server, and truncated if too large),
//! approvals, messages, drafts, and the accounts of people.
//!
//! Each conversation has a durable log, numbered without gaps by our own `seq`; upstream's key deduplicates redelivered
//! events. Each event stores the id of its row, so any window of a log of any length is read by index and folded alone.
//! All SQL is in this layer, and no type of a database leaves it: only `engine` knows their drivers.
//!
//! Invariant: the events that [`Journal::append`] returns are stored. Invariant: an approval and a message are on disk
//! before they are sent.
//!
//! # Errors
//! All methods fail with [`JournalError::Broken`] if the database cannot be read or written, those that store something with
//! [`JournalError::Full`] if the disk is full and [`JournalError::Indeterminate`] if a server was lost meanwhile, and all with [`JournalError::Closing`] at the end of the program. Those with
//! further errors say so.

mod amendments;
mod append;
mod approvals;
mod audit;
mod authors;
mod blocking;
mod budgets;
mod channels;
mod checkpoints;
mod comments;
mod conversations;
mod copies;
mod database;
mod devices;
mod digest;
mod drafts;
mod engine;
mod error;
mod events;
mod figures;
mod folding;
mod forgetting;
mod guesses;
mod idempotency;
mod identities;
mod images;
mod inspection;
mod invitations;
mod lease;
mod lines;
mod links;
mod logins;
mod moving;
mod notices;
mod outbox;
mod outline;
mod passkeys;
mod people;
mod pins;
mod plan;
mod readers;
mod recovery;
mod replay;
mod room;
mod rows;
mod rules;
mod search;
mod sharing;
mod shown;
mod site_files;
mod spending;
mod standing;
#[cfg(test)]
pub(crate) mod tests;
mod touches;
mod unanswered;
mod unlined;
mod unread;
mod unused;
mod usage;
mod volatile;
mod words;
mod writer;
mod zone;

pub use amendments::{AmendmentRecord, NewAmendment};
pub use append::{Appended, AppendedRows};
pub use approvals::{Approval, ApprovalState, Claim, NewAnswer, Question};
pub use audit::{
    AuditEntry, AuditFilter, AuditOutcome, AuditRecord, AuditState, AuditedAction, hash_of,
};
pub use authors::Author;
pub use blocking::work_here;
pub(crate) use budgets::BUDGETS;
pub use budgets::{BudgetRecord, OpenBudget, SpentAround, SpentIn};
pub use channels::{ChannelRecord, ChannelState, NewChannel};
pub use comments::Comment;
pub use conversations::{ConversationMeta, Held, IMPORTING, Known};
pub use copies::{DATABASE_FILE, copy_database};
pub use digest::{SecretHash, digest};
pub use engine::{AddressError, Location, Server};
pub use error::JournalError;
pub use events::{LogEvent, RawEvent};
pub use figures::Figures;
pub use guesses::Guess;
pub use idempotency::{LONGEST_ANSWER, Repeated};
pub use identities::IdentityRecord;
pub use inspection::{Glance, Inspection, end_access, glance, inspect};
pub use invitations::{Accepted, InvitationRecord, NewAccount};
pub use lease::{Lease, ListedNode, Node, Turn, serving as serving_node, wait_for_turn};
pub use lines::{Archived, Line, LineFilter, LineOrder, Place, Sight};
pub use links::LinkRecord;
pub use logins::{LoginRecord, TokenRecord};
pub use moving::{Moved, move_to_server};
pub use notices::{DueNotice, NewNotice, NoticeEnd, Notified, SentNotice};
pub use outbox::{Outgoing, OutgoingState};
pub use outline::Asked;
pub use passkeys::{Factors, PasskeyAdded, PasskeyEnded, PasskeyRecord};
pub use people::{ListedPerson, PersonChange, PersonChanged, PersonRecord};
pub use plan::{Entry, Stored};
pub use replay::{Moment, Track};
pub use room::{Room, RoomLimits, RoomState, Threshold};
pub use rows::{Changed, Page, Window};
pub use rules::{NewReading, NewRule, ReadRecord, RuleRecord, Unread};
pub use search::{
    Cursor, Found, Hit, MOST_BYTES as MOST_SEARCHED, MOST_WORDS, Neighbour, Search, SearchFilter,
    Walk, Words,
};
pub use sharing::SharingRecord;
pub use shown::{LinkedEntry, PastAmendment, PastApproval, ShownRecord};
pub(crate) use standing::AUTHORITY;
pub use standing::{Account, FirstApproval, Standing, Verdict};
pub(crate) use touches::TOUCHES;
pub use touches::{NewTouch, TOUCHED, TOUCHED_AMENDMENT, hash_of_shown};
pub use unanswered::{Around, Escalated, Unanswered};
pub(crate) use unanswered::{ESCALATIONS, NEVER};
pub use unread::{NewRows, Seen, SeenBy};
pub use unused::{Unused, UnusedFilter};

pub(crate) use audit::DONE as AUDIT_DONE;
pub(crate) use blocking::off_thread;

use crate::conversation::LogItem;
use database::{Database, Durability};
use std::sync::Arc;
use tokio::sync::Notify;
use volatile::Volatile;

/// Parses an event's stored JSON. It must return what the backend returned when the event arrived.
pub type Reader = fn(&str) -> LogItem;

/// Replaces the JSON of an event before it is parsed; `None` keeps it.
pub type Edit = dyn Fn(&str) -> Option<String> + Send + Sync;

/// The journal. Cheap to clone: all clones share one database.
#[derive(Debug, Clone)]
pub struct Journal {
    database: Database,
    reader: Reader,
    volatile: Arc<Volatile>,
    /// Notified of each append.
    appended: Arc<Notify>,
}

impl Journal {
    /// Opens the journal in a folder or on a server; creates the folder (mode 0700) and the file (0600), or the tables, on the
    /// first start.
    ///
    /// Marks operations that the previous process left unfinished: approvals and messages in flight become
    /// indeterminate, queued messages become failed. Nothing is resent automatically. If the disk is full, they are marked
    /// with the first change that can be stored, and read as marked until then.
    ///
    /// Errors: [`JournalError::Open`] if the file cannot be opened or created, [`JournalError::OtherVersion`] if a
    /// newer version wrote it, or one that is too old, [`JournalError::NoCopy`] if it cannot be copied before a conversion.
    pub async fn open(location: impl Into<Location>, reader: Reader) -> Result<Self, JournalError> {
        let journal = Self::open_beside(location, reader).await?;
        journal.database.serve().await?;
        journal
            .database
            .begin_with(outbox::mark_what_was_interrupted);
        let marked = journal.database.write(Durability::OnDisk, |_| Ok(()));
        if Self::unless_full(marked.await)?.is_none() {
            tracing::error!(
                "the disk is full or cannot be written: everything can be read, and nothing changed"
            );
        }
        Ok(journal)
    }

    /// Opens the journal for a short command while another process may be serving from it: unfinished operations of
    /// that process stay unmarked.
    ///
    /// Errors: as [`Self::open`].
    pub async fn open_beside(
        location: impl Into<Location>,
        reader: Reader,
    ) -> Result<Self, JournalError> {
        Ok(Self {
            database: Database::open(location).await?,
            reader,
            volatile: Arc::default(),
            appended: Arc::default(),
        })
    }

    /// An event to append: its JSON, and what it says.
    pub fn entry(&self, raw: String) -> Entry {
        let item = (self.reader)(&raw);
        Entry { item, raw }
    }

    /// One of an open database, in which nothing is read.
    #[cfg(test)]
    fn of_database(database: Database) -> Self {
        Self {
            database,
            reader: |_| unreachable!("nothing is read"),
            volatile: Default::default(),
            appended: Default::default(),
        }
    }
}
