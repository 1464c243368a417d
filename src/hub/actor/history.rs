//! Reading the history of a conversation without a connection, from the position up to which it is surely complete.

use crate::backend::{
    Answer, Backend, LookUp, ReceivedEvent, Recorded, ResumePoint, for_reader, room,
};
use crate::conversation::{Body, PositionOffset};
use crate::journal::{Journal, Known};
use futures_util::FutureExt;
use std::sync::Arc;
use tokio::sync::mpsc;

/// What the journal has of a conversation, for the backend to resume from.
pub(super) fn resume_point(known: &Known, journal: Journal) -> ResumePoint {
    let id = known.meta.id.clone();
    let recorded: LookUp = Arc::new(move |pos| {
        let (journal, id) = (journal.clone(), id.clone());
        // What cannot be read is not compared.
        async move {
            let (key, at) = journal.event_at(&id, pos).await.ok().flatten()?;
            Some(Recorded { key, at })
        }
        .boxed()
    });
    ResumePoint {
        after: known.complete_to,
        newest: known.session.newest_pos,
        offset: known.session.offset,
        recorded,
    }
}

/// Reads pages until there are no more; answers the position that was reached, which a copy of the log does not change.
pub(super) async fn read(
    backend: &dyn Backend,
    id: &str,
    mut resume: ResumePoint,
    arrive: &mpsc::Sender<ReceivedEvent>,
) -> Answer<Option<i64>> {
    loop {
        let after = resume.after;
        // People who open old conversations keep no order waiting.
        let page = for_reader(backend.history(id, resume.clone())).await?;
        let newest = page.events.iter().filter_map(|event| event.item.pos).max();
        let newest = newest.filter(|_| !page.is_copy);
        for event in page.events {
            if let Body::Lost { by } = event.item.body {
                let since = event.item.pos;
                resume.offset = PositionOffset { by, since };
            }
            // The actor has the other end; without it reading stops.
            let Some(room) = room(arrive, event.raw.len()).await else {
                return Ok(after);
            };
            room.send(event);
        }
        let goes_on = newest > after;
        resume.after = newest.max(after);
        // Once is enough.
        resume.newest = None;
        // A page that leads nowhere would be asked for again and again.
        if !page.more || !goes_on {
            return Ok(resume.after);
        }
    }
}
