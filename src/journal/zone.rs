//! The time zone of a conversation's server, whose times have none in 0.x.
//!
//! It is learnt from the first event; then all times are stored in UTC. If an event seems to come from the future, the clock
//! was put forward meanwhile. That it was put back is not known: then an event only seems to be older.

use crate::conversation::{IMPORTED, Stamp};
use rusqlite::{Transaction, params};

/// How far the server's clock is ahead of UTC, which the first event of a conversation with a time tells
/// ([`Stamp::ahead_of`]). `None` if it is not known, or if these times have zones. They were received at `now`.
pub(super) fn ahead(
    transaction: &Transaction<'_>,
    number: i64,
    times: impl Iterator<Item = Stamp>,
    now: i64,
) -> rusqlite::Result<Option<i32>> {
    let times: Vec<Stamp> = times.filter(|at| !at.zoned && at.millis > 0).collect();
    let (Some(first), Some(last)) = (times.first(), times.last()) else {
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
    let ahead = known
        .or(learnt)
        .map(|ahead| ahead + last.put_forward(ahead, now));
    if ahead != known {
        transaction
            .prepare_cached("UPDATE conversation SET ahead = ?2 WHERE number = ?1")?
            .execute(params![number, ahead])?;
    }
    Ok(ahead)
}
