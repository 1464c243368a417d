//! Whether the server still has what it told us. Ids do not tell, for it gives the same ones out again; moments do.

use super::arrivals::Arrivals;
use super::events::{Events, is_unreadable, notice};
use super::supervisor::Supervisor;
use crate::backend::{BackendError, Past, losses};
use crate::conversation::Shift;
use futures_util::FutureExt;

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
            // When nobody listens any more, `hold` ends by itself.
            let _ = self.sink.send(notice(shift)).await;
            self.past.shift = shift;
            self.past.after = shift.since;
            self.past.newest = shift.since;
            self.events.shift = shift;
            self.arrivals = Arrivals::behind(&self.past);
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
    losses::find(past, newest, &|pos| is_there(events, past, pos).boxed()).await
}

/// Whether the backend has the event that we hold at a position; `None` if that cannot be told.
async fn is_there(events: &Events, past: &Past, pos: i64) -> Result<Option<bool>, BackendError> {
    let Some(held) = (past.recorded)(pos).await.filter(|held| held.at != 0) else {
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
