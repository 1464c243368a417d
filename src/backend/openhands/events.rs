//! Events as OpenHands has stored them: pages that nothing can make unreadable as a whole.
//!
//! `GET /events` is the only look at a conversation that wakes nothing, and the safety net under the
//! socket: what the socket cannot carry (`NaN`, lone surrogates, deep or huge JSON) is found here. An event
//! that even a page of its own cannot carry becomes a marker in its place, so that nothing is silently gone.

use super::call::{Call, Patience};
use super::refusal::Missing;
use super::rest::Rest;
use crate::backend::{Arrived, BackendError, HistoryPage};
use crate::conversation::from_v0;
use crate::wire::v0::Incoming;
use serde_json::{Value, json};
use std::sync::Arc;

/// The most that 0.62 gives at once.
const PAGE: i64 = 100;
/// How many are asked for at once when a page cannot be read.
const PART: i64 = 10;
/// An id that no conversation reaches: asking for it tells a broken event from a broken route.
const NOWHERE: i64 = 1 << 52;

/// Reads one payload of the protocol and keeps what we want to keep of it.
pub(super) fn arrived(mut event: Value) -> Arrived {
    strip(&mut event);
    let raw = event.to_string();
    Arrived {
        item: from_v0(&Incoming::read(event)),
        raw,
    }
}

/// Drops what only repeats something else: `model_response` holds all arguments of the call once more,
/// `set_of_marks` is the screenshot again.
fn strip(event: &mut Value) {
    let inner = |event: &mut Value, outer: &str, name: &str| {
        if let Some(Value::Object(map)) = event.get_mut(outer) {
            map.remove(name);
        }
    };
    inner(event, "tool_call_metadata", "model_response");
    inner(event, "extras", "set_of_marks");
}

/// Stored events of one conversation.
pub(super) struct Events {
    rest: Arc<Rest>,
    conversation: String,
}

impl Events {
    /// `conversation` has passed [`super::connection::conversation_id`].
    pub(super) fn of(rest: Arc<Rest>, conversation: &str) -> Self {
        Self {
            rest,
            conversation: conversation.to_owned(),
        }
    }

    /// The page after `after`. Null events and recalls are in it: they fill the gaps between ids.
    pub(super) async fn after(&self, after: Option<i64>) -> Result<HistoryPage, BackendError> {
        let start = after.unwrap_or(-1).saturating_add(1).max(0);
        match self.ask(start, None).await {
            Ok((events, more)) => Ok(HistoryPage {
                events: events.into_iter().map(arrived).collect(),
                more,
            }),
            Err(error) if is_unreadable(&error) => self.pick(start, error).await,
            Err(error) => Err(error),
        }
    }

    /// A page with at least one event that breaks it: asks in parts, then one by one.
    async fn pick(&self, start: i64, error: BackendError) -> Result<HistoryPage, BackendError> {
        self.ask(NOWHERE, Some(NOWHERE)).await.map_err(|_| error)?;
        let mut events = Vec::new();
        for part in (start..start.saturating_add(PAGE)).step_by(PART as usize) {
            match self.ask(part, Some(part.saturating_add(PART - 1))).await {
                Ok((read, _)) => events.extend(read.into_iter().map(arrived)),
                Err(error) if is_unreadable(&error) => {
                    for id in part..part.saturating_add(PART) {
                        match self.ask(id, Some(id)).await {
                            Ok((read, _)) => events.extend(read.into_iter().map(arrived)),
                            Err(error) if is_unreadable(&error) => {
                                events.push(unreadable(id, &error))
                            }
                            Err(error) => return Err(error),
                        }
                    }
                }
                Err(error) => return Err(error),
            }
        }
        let more = !events.is_empty();
        Ok(HistoryPage { events, more })
    }

    async fn ask(&self, start: i64, end: Option<i64>) -> Result<(Vec<Value>, bool), BackendError> {
        let (start, limit) = (start.to_string(), PAGE.to_string());
        let end = end.map(|end| end.to_string());
        let mut query = vec![("start_id", start.as_str()), ("limit", limit.as_str())];
        query.extend(end.as_deref().map(|end| ("end_id", end)));
        let path = ["api", "conversations", &self.conversation, "events"];
        let missing = Missing::Thing("this conversation");
        let call = Call {
            query: &query,
            patience: Patience::Slow,
            missing,
            ..Call::get(&path)
        };
        let mut page = self.rest.json(call).await?;
        let more = page
            .get("has_more")
            .and_then(Value::as_bool)
            .unwrap_or(false);
        match page.get_mut("events").map(Value::take) {
            Some(Value::Array(events)) => Ok((events, more)),
            _ => Err(BackendError::Unexpected("a page without events".to_owned())),
        }
    }
}

/// Whether asking for less may help: what arrived cannot be read, or the server broke over it.
fn is_unreadable(error: &BackendError) -> bool {
    matches!(error, BackendError::Unexpected(_))
}

/// Stands where an event is that nobody can hand over.
fn unreadable(id: i64, error: &BackendError) -> Arrived {
    arrived(json!({ "id": id, "unreadable": error.to_string() }))
}

#[cfg(test)]
mod tests {
    use super::super::stub::{ID, Stub};
    use super::*;

    async fn all(stub: &Stub) -> Vec<Arrived> {
        let events = Events::of(Rest::new(stub.connection()).unwrap(), ID);
        let mut all: Vec<Arrived> = Vec::new();
        loop {
            let page = events
                .after(all.last().and_then(|event| event.item.pos))
                .await
                .unwrap();
            all.extend(page.events);
            if !page.more {
                return all;
            }
        }
    }

    fn ids(events: &[Arrived]) -> Vec<i64> {
        events.iter().filter_map(|event| event.item.pos).collect()
    }

    #[tokio::test]
    async fn pages_follow_each_other_without_hole_or_overlap() {
        let stub = Stub::start().await;
        stub.grow(250);
        assert_eq!(ids(&all(&stub).await), (0..250).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn an_event_that_breaks_its_page_becomes_a_marker() {
        let stub = Stub::start().await;
        stub.grow(30);
        stub.break_page_of(17);
        let events = all(&stub).await;
        assert_eq!(ids(&events), (0..30).collect::<Vec<_>>());
        let markers: Vec<_> = events
            .iter()
            .filter(|event| event.raw.contains("unreadable"))
            .collect();
        assert!(matches!(markers[..], [marker] if marker.item.pos == Some(17)));
    }

    #[tokio::test]
    async fn a_broken_route_is_an_error_and_not_a_hundred_markers() {
        let stub = Stub::start().await;
        stub.break_every_page();
        let events = Events::of(Rest::new(stub.connection()).unwrap(), ID);
        assert!(matches!(
            events.after(None).await,
            Err(BackendError::Unexpected(_))
        ));
    }

    #[test]
    fn repetitions_are_not_kept() {
        let kept = arrived(json!({
            "id": 3, "action": "run", "args": {"command": "ls"},
            "tool_call_metadata": {"tool_call_id": "c1", "model_response": {"big": 1}},
            "extras": {"set_of_marks": "data:", "screenshot": "data:x"},
        }));
        assert!(!kept.raw.contains("model_response") && !kept.raw.contains("set_of_marks"));
        assert!(kept.raw.contains("c1") && kept.raw.contains("data:x"));
    }
}
