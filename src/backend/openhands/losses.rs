//! Whether a backend that comes back still has what it told us.
//!
//! A conversation may come back from a backup: with fewer events than we hold, or with others under their ids. Their ids
//! do not tell, their moments do. What is left is the same up to some event, and nothing behind it is, so that event is
//! found by halving.

use super::arrivals::Arrivals;
use super::events::{Events, is_unreadable, notice};
use super::supervisor::Supervisor;
use crate::backend::{BackendError, Past};
use crate::conversation::Shift;

impl Supervisor {
    /// If the backend has lost what it told, says so and goes on with what it still has.
    pub(super) async fn look_for_losses(&mut self) -> Result<(), BackendError> {
        let newest = Some(self.arrivals.newest()).max(self.past.newest);
        if let Some(shift) = find(&self.events, &self.past, newest).await? {
            tracing::warn!(
                conversation = self.conversation,
                ?shift,
                "the backend has lost events"
            );
            self.past.shift = shift;
            self.past.after = shift.since;
            self.past.newest = shift.since;
            self.events.shift = shift;
            self.arrivals = Arrivals::behind(&self.past);
            // When nobody listens any more, `hold` ends by itself.
            let _ = self.sink.send(notice(shift)).await;
        }
        Ok(())
    }
}

/// Compares the event at `newest` with what is held of it. If it is gone: how ids are counted from here on.
pub(super) async fn find(
    events: &Events,
    past: &Past,
    newest: Option<i64>,
) -> Result<Option<Shift>, BackendError> {
    let Some(newest) = newest.filter(|newest| *newest > past.shift.since.unwrap_or(-1)) else {
        return Ok(None);
    };
    if is_there(events, past, newest).await? != Some(false) {
        return Ok(None);
    }
    let (mut there, mut gone) = (past.shift.since.unwrap_or(-1), newest);
    while gone - there > 1 {
        let middle = there + (gone - there) / 2;
        // What we do not hold cannot be compared; at worst it is shown twice rather than not at all.
        match is_there(events, past, middle).await? {
            Some(true) => there = middle,
            _ => gone = middle,
        }
    }
    Ok(Some(Shift::after_loss(newest, past.shift.id(there))))
}

/// Whether the backend has the event that we hold at a position; `None` if that cannot be told.
async fn is_there(events: &Events, past: &Past, pos: i64) -> Result<Option<bool>, BackendError> {
    let Some(held) = (past.held)(pos).await.filter(|held| held.at != 0) else {
        return Ok(None);
    };
    match events.at(pos).await {
        Ok(event) => Ok(Some(
            event.is_some_and(|event| event.item.at.millis == held.at),
        )),
        Err(error) if is_unreadable(&error) => Ok(None),
        Err(error) => Err(error),
    }
}
