//! Full-text search over the events of all conversations, newest first.
//!
//! A query is one FTS expression: its words, its filters, and the conversations that the person may see. It is run over
//! windows of ids ([`windows`]) and stops after [`TIME`]; the answer then says how far back it has looked. For somebody who
//! does not see all conversations it stops after so many of their own events, or is given up.
//!
//! Invariant: an answer says nothing about conversations that the person does not see. Words are completed from the index
//! only for those who see all conversations, times are those of events that the person sees, and cursors are sealed. How
//! long an answer takes is hidden by the hub.

mod candidates;
mod cursor;
mod exact;
mod index;
mod running;
mod scope;
mod unspaced;
mod walk;
mod windows;
mod words;

pub use cursor::Cursor;
pub(super) use index::put_row_again;
pub use scope::SearchFilter;
pub use walk::{Neighbour, Walk};
pub use words::{MOST_BYTES, MOST_WORDS, Words};

use super::readers::Purpose;
use super::{Journal, JournalError};
use crate::conversation::{Actor, Family};
use crate::render::Marked;
use running::Searching;
use std::time::{Duration, Instant};

/// After this time a query stops. Reading its hits takes another few milliseconds.
const TIME: Duration = match cfg!(debug_assertions) {
    true => Duration::from_millis(320),
    false => Duration::from_millis(80),
};

/// A search query.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// Its words. Without any, all events that fit the filter are found.
    pub words: Words,
    /// Which events are looked for.
    pub filter: SearchFilter,
    /// Where to continue, from [`Found::next`].
    pub after: Option<Cursor>,
    /// Most hits.
    pub limit: usize,
}

/// The answer to a query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The hits: those with the words themselves first, each group newest first.
    pub hits: Vec<Hit>,
    /// Where to continue; `None` if there is no more.
    pub next: Option<Cursor>,
    /// If the search stopped early: everything received since this time was looked at, in milliseconds since the Unix epoch.
    pub back_to: Option<i64>,
    /// Whether only some of the words that begin with the last word of the query were looked for: there are too many.
    pub cut: bool,
    /// If older events are still being indexed: the share that is, in percent.
    pub indexed: Option<u8>,
    /// If the newest events are still being indexed: when the first of them was received that the person sees, in
    /// milliseconds since the Unix epoch.
    pub behind_from: Option<i64>,
}

/// A row with an event that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Id of its conversation.
    pub conversation: String,
    /// Title of its conversation.
    pub title: String,
    /// Whether its conversation is archived.
    pub archived: bool,
    /// `seq` of the event.
    pub seq: i64,
    /// The id of its row.
    pub row: i64,
    /// The position of its row.
    pub pos: i64,
    /// Upstream timestamp, milliseconds since the Unix epoch.
    pub at: i64,
    /// Family of the event.
    pub family: Family,
    /// Source of the event.
    pub from: Actor,
    /// Name of the author of its row, or empty.
    pub by: String,
    /// The text around the first word that was found.
    pub text: Vec<Marked>,
    /// Whether only a longer word was found.
    pub longer: bool,
}

impl Journal {
    /// The rows that a query finds in the conversations that the person `sees`.
    ///
    /// # Errors
    /// [`JournalError::TooSlow`] if not even a part of the query ends within the limit for searches.
    pub async fn search(
        &self,
        search: Search,
        sees: impl Fn(&str) -> bool + Send + 'static,
    ) -> Result<Found, JournalError> {
        self.catch_up().await;
        let until = Instant::now() + TIME;
        self.search_until(search, until, sees).await
    }

    /// The same, until a given time.
    pub(super) async fn search_until(
        &self,
        search: Search,
        until: Instant,
        sees: impl Fn(&str) -> bool + Send + 'static,
    ) -> Result<Found, JournalError> {
        let reader = self.reader;
        self.database
            .read_for(Purpose::Search, move |transaction| {
                let searching = Searching {
                    transaction,
                    reader,
                    search: &search,
                    until,
                };
                let exact = search
                    .words
                    .exact()
                    .zip(search.filter.conversation.as_ref());
                match exact {
                    Some((text, id)) => searching.exact(text, id, sees),
                    None => searching.run(sees),
                }
            })
            .await
    }
}
