//! Detects data loss on a backend that comes back.
//!
//! A conversation may have been restored from a backup, with fewer events than the journal has, or with other events in
//! their places. It matches the journal up to some event and not beyond, so binary search finds this event.

use super::{Answer, HistoryPage, ReceivedEvent, Recorded, ResumePoint};
use crate::conversation::{PositionOffset, from_v0};
use crate::wire::v0::Incoming;
use async_trait::async_trait;

#[async_trait]
pub(super) trait StoredEvents: Sync {
    /// Whether the backend has the event that the journal has at a position; `None` if this cannot be decided.
    async fn has(&self, pos: i64, recorded: &Recorded) -> Answer<Option<bool>>;
}

/// Checks the event at `newest`. If it is lost, returns the new offset between positions and ids.
pub(super) async fn find(
    stored: &impl StoredEvents,
    resume: &ResumePoint,
    newest: Option<i64>,
) -> Answer<Option<PositionOffset>> {
    let is_there = async |pos: i64| match (resume.recorded)(pos).await {
        Some(recorded) => stored.has(pos, &recorded).await,
        None => Ok(None),
    };
    let Some(newest) = newest.filter(|newest| *newest > resume.offset.since.unwrap_or(-1)) else {
        return Ok(None);
    };
    if is_there(newest).await? != Some(false) {
        return Ok(None);
    }
    let (mut there, mut gone) = (resume.offset.since.unwrap_or(-1), newest);
    while gone - there > 1 {
        let middle = there + (gone - there) / 2;
        // A position without a stored event cannot be compared. It counts as lost: better shown twice than missing.
        match is_there(middle).await? {
            Some(true) => there = middle,
            _ => gone = middle,
        }
    }
    let there = resume.offset.id(there);
    Ok(Some(PositionOffset::after_loss(newest, there)))
}

/// The notice of a data loss, as an event.
pub(super) fn notice(offset: PositionOffset) -> ReceivedEvent {
    let notice = offset.notice();
    let raw = notice.to_string();
    let item = from_v0(&Incoming::read(notice));
    ReceivedEvent { item, raw }
}

/// The page of history that tells of a data loss; `None` if there is none.
pub(super) async fn page(
    stored: &impl StoredEvents,
    resume: &ResumePoint,
) -> Answer<Option<HistoryPage>> {
    let lost = find(stored, resume, resume.newest).await?;
    Ok(lost.map(|offset| HistoryPage {
        events: vec![notice(offset)],
        more: true,
        is_copy: false,
    }))
}
