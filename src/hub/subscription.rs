//! Publish and subscribe: the events of a conversation as an async stream, from any cursor on.
//!
//! A subscriber has a cursor of its own in the durable log and reads at its own pace. Nothing waits for
//! it in memory, so it can be as slow as it likes and still gets every event once and in order.
//! `docs/EVENT-SYSTEM.md` says how OpenHands's words for this map to ours.

use super::{HubResult, Reader};
use crate::conversation::Actor;
use crate::journal::LogEvent;
use futures_util::Stream;

/// Events that are read at once; fewer where they are large.
const PAGE: usize = 256;

/// A subscriber's filter. An empty list matches everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Words for what an event is ("message", "call", "result", "status", ...: [`LogEvent::kind`]).
    pub kinds: Vec<String>,
    /// Sources of the event.
    pub from: Vec<Actor>,
}

impl Filter {
    /// Whether a subscriber with this filter wants the event.
    pub fn takes(&self, event: &LogEvent) -> bool {
        let kind = self.kinds.is_empty() || self.kinds.iter().any(|kind| kind == event.kind());
        let from = self.from.is_empty() || self.from.contains(&event.item.from);
        kind && from
    }
}

impl Reader {
    /// Subscribes to the events of a conversation behind `after` (0: all): each once, in order of `seq`, from the log,
    /// then live. Ends when the conversation is closed, or with an error of the journal. Meanwhile it counts as
    /// watched.
    pub async fn events(
        &self,
        id: &str,
        after: i64,
        filter: Filter,
    ) -> HubResult<impl Stream<Item = HubResult<LogEvent>> + Send + use<>> {
        let handle = self.actors.handle(id).await?;
        let (mut newest, watching) = (handle.newest.clone(), handle.watching.clone());
        drop(handle);
        let (journal, id) = (self.journal.clone(), id.to_owned());
        Ok(async_stream::try_stream! {
            let _watching = watching;
            let mut cursor = after.max(0);
            loop {
                let page = journal.page_of_events(&id, cursor, PAGE).await?;
                if page.is_empty() && newest.wait_for(|newest| *newest > cursor).await.is_err() {
                    break;
                }
                for event in page {
                    cursor = event.seq;
                    if filter.takes(&event) {
                        yield event;
                    }
                }
            }
        })
    }
}
