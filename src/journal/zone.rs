//! The time zone of a conversation's server, whose times have none in 0.x.
//!
//! It is learnt from the first event; then all times are stored in UTC. If an event seems to come from the future, the clock
//! was put forward meanwhile. That it was put back is not known: then an event only seems to be older.

use crate::conversation::{IMPORTED, LogItem, Stamp};
use rusqlite::{Transaction, params};

/// What is stored of the time zone of a conversation's server.
#[derive(Debug)]
pub(super) struct Zone {
    /// How far its clock is ahead of UTC, in seconds, if that is known.
    known: Option<i32>,
    created_at: i64,
    /// Whether no event has told it so far.
    is_new: bool,
}

impl Zone {
    /// Reads it, if one of `items` has a time without a zone.
    pub(super) fn read<'i>(
        transaction: &Transaction<'_>,
        number: i64,
        mut items: impl Iterator<Item = &'i LogItem>,
    ) -> rusqlite::Result<Option<Self>> {
        if !items.any(|item| tells(&item.at)) {
            return Ok(None);
        }
        let stored = transaction
            .prepare_cached(
                "SELECT ahead, created_at, backend <> ?2
                   AND NOT EXISTS (SELECT 1 FROM event WHERE event.conversation = ?1 AND at > 0)
                 FROM conversation WHERE number = ?1",
            )?
            .query_row(params![number, IMPORTED], |row| {
                Ok(Self {
                    known: row.get(0)?,
                    created_at: row.get(1)?,
                    is_new: row.get(2)?,
                })
            })?;
        Ok(Some(stored))
    }

    /// How far the server's clock is ahead of UTC, which the first event of a conversation with a time tells
    /// ([`Stamp::ahead_of`]). `None` if it is not known. `items` were received at `now`.
    pub(super) fn ahead<'i>(
        &self,
        items: impl Iterator<Item = &'i LogItem>,
        now: i64,
    ) -> Option<i32> {
        let mut times = items.map(|item| &item.at).filter(|at| tells(at));
        let first = times.next()?;
        let last = times.last().unwrap_or(first);
        let learnt = first.ahead_of(self.created_at).filter(|_| self.is_new);
        let ahead = self.known.or(learnt)?;
        Some(ahead + last.put_forward(ahead, now))
    }

    /// Stores `ahead`, if it has changed.
    pub(super) fn keep(
        &self,
        transaction: &Transaction<'_>,
        number: i64,
        ahead: Option<i32>,
    ) -> rusqlite::Result<()> {
        if ahead != self.known {
            transaction
                .prepare_cached("UPDATE conversation SET ahead = ?2 WHERE number = ?1")?
                .execute(params![number, ahead])?;
        }
        Ok(())
    }
}

/// Whether it is a time without a zone.
fn tells(at: &Stamp) -> bool {
    !at.zoned && at.millis > 0
}
