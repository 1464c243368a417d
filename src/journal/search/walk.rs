//! From one hit to the next: the same query, from the place of an event on.

use super::candidates::{Candidate, Candidates};
use super::{Purpose, Search, TIME};
use crate::journal::engine::{self, Transaction, params};
use crate::journal::{Journal, JournalError};
use std::ops::ControlFlow;
use std::time::Instant;

/// Rows that are shown behind a hit.
const BEHIND: i64 = 12;

/// The hits around an event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Walk {
    /// The next newer hit.
    pub newer: Option<Neighbour>,
    /// The next older hit.
    pub older: Option<Neighbour>,
    /// Whether the time was up before both were found.
    pub late: bool,
    /// Position and id of the row that comes some rows after the hit; `None` at the end of the log.
    pub end: Option<(i64, i64)>,
}

/// Where a hit is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    /// Id of the conversation.
    pub conversation: String,
    /// `seq` of the event.
    pub seq: i64,
    /// The id of its row.
    pub row: i64,
}

impl Journal {
    /// The hits of a query around the event `seq` of a conversation, among those that the person `sees`. With `longer`,
    /// among the hits with a longer word than the last one of the query.
    ///
    /// Errors: [`JournalError::TooSlow`] if the queries do not end within the limit for searches.
    pub async fn walk(
        &self,
        search: Search,
        (conversation, seq): (String, i64),
        longer: bool,
        sees: impl Fn(&str) -> bool + Send + 'static,
    ) -> Result<Walk, JournalError> {
        self.catch_up().await;
        let reader = self.reader;
        self.database
            .read_for(Purpose::Search, move |transaction| {
                let until = Instant::now() + TIME;
                if !sees(&conversation) {
                    return Ok(Walk::default());
                }
                let Some(here) = place_of(transaction, &conversation, seq)? else {
                    return Ok(Walk::default());
                };
                let mut walk = Walk {
                    end: end_after(transaction, &here)?,
                    ..Walk::default()
                };
                let Some(candidates) = Candidates::new(transaction, reader, &search, sees)? else {
                    return Ok(walk);
                };
                let longer = longer && search.words.beginning().is_some();
                let (Some(wanted), _) = candidates.wanted(longer, until)? else {
                    return Ok(walk);
                };
                let mut next = None;
                let mut take = |one: Candidate| {
                    if one.is_of_row(&here) {
                        return ControlFlow::Continue(());
                    }
                    next = Some(one);
                    ControlFlow::Break(())
                };
                let late = candidates.down(&wanted, here.event - 1, until, &mut take)?;
                walk.late |= late.is_some();
                walk.older = neighbour(transaction, next.take())?;
                let mut take = |one: Candidate| {
                    if one.is_of_row(&here) {
                        return ControlFlow::Continue(());
                    }
                    next = Some(one);
                    ControlFlow::Break(())
                };
                let late = candidates.up(&wanted, here.event + 1, until, &mut take)?;
                walk.late |= late.is_some();
                walk.newer = neighbour(transaction, next.take())?;
                Ok(walk)
            })
            .await
    }
}

fn place_of(
    transaction: &Transaction<'_>,
    conversation: &str,
    seq: i64,
) -> engine::Result<Option<Candidate>> {
    transaction.find(
        "SELECT event.id, event.conversation, event.row FROM event
             JOIN conversation ON conversation.number = event.conversation
             WHERE conversation.id = ?1 AND event.seq = ?2 AND event.row IS NOT NULL",
        params![conversation, seq],
        |row| {
            Ok(Candidate {
                event: row.get(0)?,
                conversation: row.get(1)?,
                row: row.get(2)?,
                longer: false,
            })
        },
    )
}

fn neighbour(
    transaction: &Transaction<'_>,
    one: Option<Candidate>,
) -> engine::Result<Option<Neighbour>> {
    let Some(one) = one else {
        return Ok(None);
    };
    transaction.find(
        "SELECT conversation.id, event.seq FROM event
             JOIN conversation ON conversation.number = event.conversation WHERE event.id = ?1",
        [one.event],
        |row| {
            Ok(Neighbour {
                conversation: row.get(0)?,
                seq: row.get(1)?,
                row: one.row,
            })
        },
    )
}

/// The row that comes [`BEHIND`] rows after that of an event.
fn end_after(
    transaction: &Transaction<'_>,
    here: &Candidate,
) -> engine::Result<Option<(i64, i64)>> {
    transaction.find(
        "SELECT behind.pos, behind.id FROM timeline_row AS hit
         JOIN timeline_row AS behind ON behind.conversation = hit.conversation
           AND (behind.pos, behind.id) > (hit.pos, hit.id)
         WHERE hit.conversation = ?1 AND hit.id = ?2 ORDER BY behind.pos, behind.id LIMIT 1 OFFSET ?3",
        params![here.conversation, here.row, BEHIND],
        |row| {
            Ok((row.get(0)?, row.get(1)?))
        },
    )
}
