//! Whether a backend that comes back still has what it told us.
//!
//! A conversation may come back from a backup: with fewer events than we hold, or with others in their places. What is
//! left is the same up to some event, and nothing behind it is, so that event is found by halving.

use super::{BackendError, Past};
use crate::conversation::Shift;
use futures_util::future::BoxFuture;

/// Asks whether the backend has the event that we hold at a position; `None` if that cannot be told.
pub(in crate::backend) type IsThere<'a> =
    &'a (dyn Fn(i64) -> BoxFuture<'a, Result<Option<bool>, BackendError>> + Send + Sync);

/// Looks at the event at `newest`. If it is gone: how ids are counted from here on.
pub(in crate::backend) async fn find(
    past: &Past,
    newest: Option<i64>,
    is_there: IsThere<'_>,
) -> Result<Option<Shift>, BackendError> {
    let Some(newest) = newest.filter(|newest| *newest > past.shift.since.unwrap_or(-1)) else {
        return Ok(None);
    };
    if is_there(newest).await? != Some(false) {
        return Ok(None);
    }
    let (mut there, mut gone) = (past.shift.since.unwrap_or(-1), newest);
    while gone - there > 1 {
        let middle = there + (gone - there) / 2;
        // What we do not hold cannot be compared; at worst it is shown twice rather than not at all.
        match is_there(middle).await? {
            Some(true) => there = middle,
            _ => gone = middle,
        }
    }
    Ok(Some(Shift::after_loss(newest, past.shift.id(there))))
}
