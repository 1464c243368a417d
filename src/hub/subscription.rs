//! Publish and subscribe: the events of a conversation as an async stream, from any cursor on.
//!
//! A subscriber has a cursor of its own in the durable log and reads at its own pace. Nothing waits for
//! it in memory, so it can be as slow as it likes and still gets every event once and in order.
//! `docs/EVENT-SYSTEM.md` says how OpenHands's words for this map to ours.

use super::{Hub, HubError};
use crate::conversation::Actor;
use crate::journal::LogEvent;
use futures_util::Stream;

/// Events that are read at once.
const PAGE: u32 = 256;

/// Which events a subscriber wants. What is empty lets everything through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Words for what an event is ("message", "call", "result", "status", ...: [`LogEvent::kind`]).
    pub kinds: Vec<String>,
    /// Who it comes from.
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

impl Hub {
    /// Subscribes to the events of a conversation behind `after` (0: from the beginning): each once, in
    /// order of `seq`, first those in the log, then those that happen. Ends when the conversation is
    /// closed; ends with an error when the journal fails. While it is read the conversation counts as
    /// watched.
    pub async fn events(
        &self,
        id: &str,
        after: i64,
        filter: Filter,
    ) -> Result<impl Stream<Item = Result<LogEvent, HubError>> + Send + use<>, HubError> {
        let room = self.room(id).await?;
        let (mut newest, watching) = (room.newest.clone(), room.watching.clone());
        drop(room);
        let (journal, id) = (self.journal().clone(), id.to_owned());
        Ok(async_stream::stream! {
            let _watching = watching;
            let mut cursor = after.max(0);
            loop {
                let page = match journal.events(&id, cursor, PAGE).await {
                    Ok(page) => page,
                    Err(error) => {
                        yield Err(error.into());
                        return;
                    }
                };
                if page.is_empty() && newest.wait_for(|newest| *newest > cursor).await.is_err() {
                    return;
                }
                for event in page {
                    cursor = event.seq;
                    if filter.takes(&event) {
                        yield Ok(event);
                    }
                }
            }
        })
    }
}
