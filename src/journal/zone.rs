//! The time zone of a conversation's server, whose times have none in 0.x.
//!
//! It is learnt once, from the first event; then all times are stored in UTC.

use crate::conversation::{IMPORTED, Stamp};
use rusqlite::{Transaction, params};

/// How far the server's clock is ahead of UTC, which the first event of a conversation with a time tells
/// ([`Stamp::ahead_of`]). `None` if it is not known, or if these times have zones.
pub(super) fn ahead(
    transaction: &Transaction<'_>,
    number: i64,
    mut times: impl Iterator<Item = Stamp>,
) -> rusqlite::Result<Option<i32>> {
    let Some(first) = times.find(|at| !at.zoned && at.millis > 0) else {
        return Ok(None);
    };
    let (known, created_at, is_new): (Option<i32>, i64, bool) = transaction
        .prepare_cached(
            "SELECT ahead, created_at, backend <> ?2
               AND NOT EXISTS (SELECT 1 FROM event WHERE event.conversation = ?1 AND at > 0)
             FROM conversation WHERE number = ?1",
        )?
        .query_row(params![number, IMPORTED], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
    let learnt = first.ahead_of(created_at).filter(|_| is_new);
    if known.is_none() && learnt.is_some() {
        transaction
            .prepare_cached("UPDATE conversation SET ahead = ?2 WHERE number = ?1")?
            .execute(params![number, learnt])?;
    }
    Ok(known.or(learnt))
}
