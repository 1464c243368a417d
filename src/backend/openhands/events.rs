//! Events as OpenHands has stored them: pages that nothing can make unreadable as a whole.
//!
//! `GET /events` is the only look at a conversation that wakes nothing, and the safety net under the
//! socket: what the socket cannot carry (`NaN`, lone surrogates, deep or huge JSON) is found here. An event
//! that even a page of its own cannot carry becomes a marker in its place, so that nothing is silently gone.

use crate::backend::http::{Call, Missing, Patience, Rest};
use crate::backend::{Arrived, BackendError, HistoryPage};
use crate::conversation::{Shift, from_v0};
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
pub(super) fn arrived(mut event: Value, shift: Shift) -> Arrived {
    strip(&mut event);
    Shift::deny(&mut event);
    count_on(&mut event, shift);
    kept(event)
}

/// The word about a loss, in its place.
pub(super) fn notice(shift: Shift) -> Arrived {
    kept(shift.notice())
}

fn kept(event: Value) -> Arrived {
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

/// Puts an event where it stands in our log.
fn count_on(event: &mut Value, shift: Shift) {
    let Some(since) = shift.since else { return };
    if let Some(id) = event.get("id").and_then(Value::as_i64) {
        event["id"] = json!(shift.pos(id));
    }
    if let Some(cause) = event.get("cause").and_then(Value::as_i64) {
        // What is from before the loss was counted otherwise; the id of the call tells which it is.
        let cause = Some(shift.pos(cause)).filter(|cause| *cause > since);
        event["cause"] = json!(cause);
    }
}

/// Stored events of one conversation.
#[derive(Clone)]
pub(super) struct Events {
    rest: Arc<Rest>,
    conversation: String,
    pub(super) shift: Shift,
}

impl Events {
    /// `conversation` has passed [`crate::backend::http::conversation_id`].
    pub(super) fn of(rest: Arc<Rest>, conversation: &str, shift: Shift) -> Self {
        Self {
            rest,
            conversation: conversation.to_owned(),
            shift,
        }
    }

    /// The page after `after`. Null events and recalls are in it: they fill the gaps between ids.
    pub(super) async fn after(&self, after: Option<i64>) -> Result<HistoryPage, BackendError> {
        let start = after.map_or(-1, |pos| self.shift.id(pos));
        let start = start.saturating_add(1).max(0);
        match self.ask(start, None).await {
            Ok((events, more)) => Ok(HistoryPage {
                events: self.read(events).collect(),
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
                Ok((read, _)) => events.extend(self.read(read)),
                Err(error) if is_unreadable(&error) => {
                    for id in part..part.saturating_add(PART) {
                        match self.ask(id, Some(id)).await {
                            Ok((read, _)) => events.extend(self.read(read)),
                            Err(error) if is_unreadable(&error) => {
                                events.push(self.unreadable(id, &error))
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

    /// The event at a position; `None` if there is none.
    pub(super) async fn at(&self, pos: i64) -> Result<Option<Arrived>, BackendError> {
        let id = self.shift.id(pos);
        let (events, _) = self.ask(id, Some(id)).await?;
        Ok(self.read(events).next())
    }

    fn read(&self, events: Vec<Value>) -> impl Iterator<Item = Arrived> {
        let shift = self.shift;
        events.into_iter().map(move |event| arrived(event, shift))
    }

    /// Stands where an event is that nobody can hand over.
    fn unreadable(&self, id: i64, error: &BackendError) -> Arrived {
        let marker = json!({ "id": id, "unreadable": error.to_string() });
        arrived(marker, self.shift)
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
pub(super) fn is_unreadable(error: &BackendError) -> bool {
    matches!(error, BackendError::Unexpected(_))
}

#[cfg(test)]
mod tests {
    use super::super::stub::{ID, Stub};
    use super::*;
    use crate::conversation::{Answer, Body};

    async fn all(stub: &Stub) -> Vec<Arrived> {
        let events = of(stub);
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

    fn of(stub: &Stub) -> Events {
        Events::of(Rest::new(stub.connection()).unwrap(), ID, Shift::default())
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
        let events = of(&stub);
        assert!(matches!(
            events.after(None).await,
            Err(BackendError::Unexpected(_))
        ));
    }

    #[test]
    fn repetitions_are_not_kept() {
        let event = json!({
            "id": 3, "action": "run", "args": {"command": "ls"},
            "tool_call_metadata": {"tool_call_id": "c1", "model_response": {"big": 1}},
            "extras": {"set_of_marks": "data:", "screenshot": "data:x"},
        });
        let kept = arrived(event, Shift::default());
        assert!(!kept.raw.contains("model_response") && !kept.raw.contains("set_of_marks"));
        assert!(kept.raw.contains("c1") && kept.raw.contains("data:x"));
    }

    #[test]
    fn after_a_loss_events_stand_behind_what_was_and_answer_only_each_other() {
        let shift = Shift::after_loss(99, 49);
        let read = |cause: i64| {
            let event = json!({ "id": 60, "observation": "run", "cause": cause, "content": "", "handrail_lost": 1,
                "tool_call_metadata": { "tool_call_id": "c1" } });
            arrived(event, shift).item
        };
        let answers_new = read(59);
        assert_eq!(answers_new.pos, Some(111));
        assert_eq!(answers_new.answers, Some(Answer::Key("110".to_owned())));
        assert_eq!(read(40).answers, Some(Answer::Call("c1".to_owned())));
        let told = notice(shift).item;
        assert_eq!((told.pos, told.body), (Some(100), Body::Lost { by: 51 }));
    }

    #[test]
    fn no_backend_can_say_our_words() {
        let event = json!({ "id": 3, "handrail_lost": 7 });
        let body = arrived(event, Shift::default()).item.body;
        assert!(matches!(body, Body::Unknown { .. }));
    }
}
