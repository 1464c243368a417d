//! The time zone of a conversation's server, whose times have none in 0.x.
//!
//! It is learnt from the first event; then all times are stored in UTC. If an event seems to come from the future, the clock
//! was put forward meanwhile. That it was put back is not known: then an event only seems to be older.

use super::engine::{self, Transaction, params};
use crate::conversation::{IMPORTED, LogItem, Stamp};

/// How far the clock of a conversation's server is ahead of UTC.
#[derive(Debug, Clone)]
pub(super) struct Zone {
    /// In seconds, if it is known.
    pub(super) ahead: Option<i32>,
    created_at: i64,
    /// Whether no event has told it so far.
    is_new: bool,
    has_changed: bool,
}

impl Zone {
    /// Reads it, if one of `items` has a time without a zone.
    pub(super) fn read<'i>(
        transaction: &Transaction<'_>,
        number: i64,
        mut items: impl Iterator<Item = &'i LogItem>,
    ) -> engine::Result<Option<Self>> {
        if !items.any(|item| tells(&item.at)) {
            return Ok(None);
        }
        let stored = transaction.query_row(
            "SELECT ahead, created_at, backend <> ?2
                   AND NOT EXISTS (SELECT 1 FROM event WHERE event.conversation = ?1 AND at > 0)
                 FROM conversation WHERE number = ?1",
            params![number, IMPORTED],
            |row| {
                Ok(Self {
                    ahead: row.get(0)?,
                    created_at: row.get(1)?,
                    is_new: row.get(2)?,
                    has_changed: false,
                })
            },
        )?;
        Ok(Some(stored))
    }

    /// Learns it from items that were received at `now`: from the first event of a conversation with a time
    /// ([`Stamp::ahead_of`]), and from events of the future.
    pub(super) fn learn<'i>(&mut self, items: impl Iterator<Item = &'i LogItem>, now: i64) {
        let mut times = items.map(|item| &item.at).filter(|at| tells(at));
        let Some(first) = times.next() else { return };
        let last = times.last().unwrap_or(first);
        let learnt = first.ahead_of(self.created_at).filter(|_| self.is_new);
        let ahead = self.ahead.or(learnt);
        let ahead = ahead.map(|ahead| ahead + last.put_forward(ahead, now));
        self.has_changed = ahead != self.ahead;
        self.ahead = ahead;
    }

    /// Stores it, if it has changed.
    pub(super) fn keep(&self, transaction: &Transaction<'_>, number: i64) -> engine::Result<()> {
        if self.has_changed {
            transaction
                .prepare_cached("UPDATE conversation SET ahead = ?2 WHERE number = ?1")?
                .send(params![number, self.ahead])?;
        }
        Ok(())
    }
}

/// Whether it is a time without a zone.
fn tells(at: &Stamp) -> bool {
    !at.zoned && at.millis > 0
}
