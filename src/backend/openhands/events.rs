//! Stored events, read in pages that one bad event cannot break.
//!
//! `GET /events` is the only way to read a conversation without starting its agent, and the fallback for what the socket
//! cannot carry (deep or huge JSON). 0.62 fails on events with `NaN` or lone surrogates, which only the socket carries. An
//! event that cannot be read even on its own is replaced with a marker, so that no event is silently missing.
//!
//! Long because of its tests: each way in which a page of events can fail is one.

use crate::backend::http::{Call, Rest, TimeoutClass};
use crate::backend::json::take_list;
use crate::backend::large::{MOST_OF_PAGE, within_bounds};
use crate::backend::losses::StoredEvents;
use crate::backend::{Answer, BackendError, HistoryPage, ReceivedEvent, Recorded};
use crate::conversation::{Body, PositionOffset, Stamp, from_v0};
use crate::wire::v0::Incoming;
use async_trait::async_trait;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;

/// The largest page of 0.62, in events.
const PAGE: i64 = 100;
/// Page size after a page that cannot be read.
const PART: i64 = 10;
/// An id that no conversation reaches: requesting it tells a broken event from a broken route.
const NOWHERE: i64 = 1 << 52;

/// The field of a marker that says why its event cannot be read.
const UNREADABLE: &str = "unreadable";

/// Whether this stands for a stored event that cannot be read.
pub(super) fn is_marker(event: &ReceivedEvent) -> bool {
    matches!(event.item.body, Body::Unknown { .. })
        && serde_json::from_str::<Value>(&event.raw)
            .is_ok_and(|event| event.get(UNREADABLE).is_some())
}

/// Parses an event and removes what is not stored.
pub(super) fn parse_event(mut event: Value, offset: PositionOffset) -> ReceivedEvent {
    strip(&mut event);
    PositionOffset::deny(&mut event);
    count_on(&mut event, offset);
    let raw = within_bounds(&mut event);
    let item = from_v0(&Incoming::read(event));
    ReceivedEvent { item, raw }
}

/// Removes redundant fields: what only repeats others of `model_response`, and the screenshot with marks on it.
fn strip(event: &mut Value) {
    let is_action = event.get("action").is_some();
    if let Some(Value::Object(call)) = event.get_mut("tool_call_metadata") {
        let response = call.remove("model_response");
        if let Some(answer) = response.filter(|_| is_action).and_then(answer) {
            call.insert("model_response".to_owned(), answer);
        }
    }
    if let Some(Value::Object(extras)) = event.get_mut("extras")
        && let Some(marks) = extras.get_mut("set_of_marks")
    {
        // That there were marks is not forgotten: the model saw them.
        *marks = match marks.as_str() {
            None | Some("") => Value::Null,
            Some(_) => json!(true),
        };
    }
}

/// What the model said, as later requests repeat it (`conversation::messages`). An observation repeats it, too.
fn answer(mut response: Value) -> Option<Value> {
    let message = response.pointer_mut("/choices/0/message")?.take();
    let kept = |name: &str| message.get(name).cloned().unwrap_or_default();
    let message = json!({ "role": kept("role"), "content": kept("content"), "tool_calls": kept("tool_calls") });
    let tokens = response.pointer("/usage/prompt_tokens").cloned();
    Some(json!({
        "id": response.get("id"), "model": response.get("model"), "choices": [{ "message": message }],
        "usage": { "prompt_tokens": tokens },
    }))
}

/// Converts the ids of an event to positions.
fn count_on(event: &mut Value, offset: PositionOffset) {
    let Some(since) = offset.since else { return };
    if let Some(id) = event.get("id").and_then(Value::as_i64) {
        event["id"] = json!(offset.pos(id));
    }
    if let Some(cause) = event.get("cause").and_then(Value::as_i64) {
        // Events from before the loss had another offset; their results are matched by the tool call's id instead.
        let cause = Some(offset.pos(cause)).filter(|cause| *cause > since);
        event["cause"] = json!(cause);
    }
}

#[derive(Clone)]
pub(super) struct Events {
    rest: Arc<Rest>,
    conversation: String,
    pub(super) offset: PositionOffset,
}

impl Events {
    pub(super) fn of(rest: Arc<Rest>, conversation: &str, offset: PositionOffset) -> Self {
        Self {
            rest,
            conversation: conversation.to_owned(),
            offset,
        }
    }

    /// The page after `after`, with null events and recalls, which fill the gaps between ids.
    pub(super) async fn after(&self, after: Option<i64>) -> Answer<HistoryPage> {
        let start = after.map_or(-1, |pos| self.offset.id(pos));
        let start = start.saturating_add(1).max(0);
        match self.ask(start, None).await {
            Ok((events, more)) => Ok(HistoryPage {
                is_copy: false,
                events: self.read(events).collect(),
                more,
            }),
            Err(error) if is_unreadable(&error) => self.pick(start, error).await,
            Err(error) => Err(error),
        }
    }

    /// Reads a page that contains an unreadable event: in parts, then event by event, up to the size limit.
    async fn pick(&self, start: i64, error: BackendError) -> Answer<HistoryPage> {
        self.ask(NOWHERE, Some(NOWHERE)).await.map_err(|_| error)?;
        let mut events = Vec::<ReceivedEvent>::new();
        let (mut next, end) = (start, start.saturating_add(PAGE));
        let mut size = PART;
        let weight =
            |events: &[ReceivedEvent]| events.iter().map(|event| event.raw.len()).sum::<usize>();
        while next < end && weight(&events) < MOST_OF_PAGE {
            match self.ask(next, Some(next.saturating_add(size - 1))).await {
                Ok((read, _)) => events.extend(self.read(read)),
                Err(error) if is_unreadable(&error) && size > 1 => {
                    size = 1;
                    continue;
                }
                Err(error) if is_unreadable(&error) => {
                    let marker = json!({ "id": next, UNREADABLE: error.to_string() });
                    events.push(parse_event(marker, self.offset));
                }
                Err(error) => return Err(error),
            }
            next = next.saturating_add(size);
            if (next - start) % PART == 0 {
                size = PART;
            }
        }
        let more = !events.is_empty();
        Ok(HistoryPage {
            events,
            more,
            is_copy: false,
        })
    }

    /// The event at a position; `None` if there is none.
    pub(super) async fn at(&self, pos: i64) -> Answer<Option<ReceivedEvent>> {
        let id = self.offset.id(pos);
        let (events, _) = self.ask(id, Some(id)).await?;
        Ok(self.read(events).next())
    }

    fn read(&self, events: Vec<Value>) -> impl Iterator<Item = ReceivedEvent> {
        let offset = self.offset;
        events
            .into_iter()
            .map(move |event| parse_event(event, offset))
    }

    async fn ask(&self, start: i64, end: Option<i64>) -> Answer<(Vec<Value>, bool)> {
        let alone = end == Some(start);
        let end = end.map(|end| end.to_string());
        let mut call = Call::conversation(Method::GET, &self.conversation, &["events"])?
            .query("start_id", &*start.to_string())
            .query("limit", &*PAGE.to_string())
            .query("end_id", end.as_deref())
            .within(TimeoutClass::Slow);
        if !alone {
            call.most = MOST_OF_PAGE;
        }
        let mut page = self.rest.json(call).await?;
        let more = page["has_more"].as_bool().unwrap_or(false);
        Ok((take_list(&mut page, "events")?, more))
    }
}

#[async_trait]
impl StoredEvents for Events {
    /// The server reuses ids, so events are compared by their timestamps.
    async fn has(&self, pos: i64, recorded: &Recorded) -> Answer<Option<bool>> {
        if recorded.at == 0 {
            return Ok(None);
        }
        match self.at(pos).await {
            // The journal may have learnt the zone of the server's clock, and have corrected its time.
            Ok(event) => Ok(Some(event.is_some_and(|event| {
                Stamp::may_equal(event.item.at.millis, recorded.at)
            }))),
            Err(error) if error.is_lasting() => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Whether a smaller page may help: the response cannot be parsed, or the server failed on it.
fn is_unreadable(error: &BackendError) -> bool {
    matches!(error, BackendError::Unexpected(_))
}

#[cfg(test)]
mod tests {
    use super::super::tests::stub::{ID, Stub};
    use super::*;
    use crate::conversation::Answer;

    async fn all(stub: &Stub) -> Vec<ReceivedEvent> {
        let (events, mut all) = (of(stub), Vec::<ReceivedEvent>::new());
        loop {
            let after = all.last().and_then(|event| event.item.pos);
            let page = events.after(after).await.unwrap();
            all.extend(page.events);
            if !page.more {
                return all;
            }
        }
    }

    fn of(stub: &Stub) -> Events {
        let rest = Rest::new(stub.connection()).unwrap();
        Events::of(rest, ID, PositionOffset::default())
    }

    fn ids(events: &[ReceivedEvent]) -> Vec<i64> {
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
    async fn large_events_around_one_that_breaks_are_read_a_few_at_a_time() {
        let stub = Stub::start().await;
        for _ in 0..20 {
            let text = "x".repeat(1 << 20);
            stub.store(
                json!({ "source": "agent", "action": "message", "args": { "content": text } }),
            );
        }
        stub.break_page_of(12);
        let (events, mut after, mut ids_read) = (of(&stub), None, Vec::new());
        loop {
            let page = events.after(after).await.unwrap();
            let weight: usize = page.events.iter().map(|event| event.raw.len()).sum();
            assert!(weight <= MOST_OF_PAGE + (1 << 20) + 1000, "{weight}");
            ids_read.extend(ids(&page.events));
            after = ids_read.last().copied();
            if !page.more {
                break;
            }
        }
        assert_eq!(ids_read, (0..20).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn a_broken_route_is_an_error_and_not_a_hundred_markers() {
        let stub = Stub::start().await;
        stub.break_every_page();
        let page = of(&stub).after(None).await;
        assert!(matches!(page, Err(BackendError::Unexpected(_))));
    }

    #[test]
    fn repetitions_are_not_kept() {
        let response = json!({
            "id": "r1", "object": "chat.completion", "model": "m", "usage": {"prompt_tokens": 7, "total_tokens": 9},
            "choices": [{"index": 0, "message": {"role": "assistant", "content": "Look", "tool_calls": [], "audio": 1}}],
        });
        let call = json!({"tool_call_id": "c1", "model_response": response});
        let kept = |event: Value| parse_event(event, PositionOffset::default()).raw;
        let action = kept(
            json!({"id": 3, "action": "run", "args": {"command": "ls"}, "tool_call_metadata": call}),
        );
        let action: Value = serde_json::from_str(&action).unwrap();
        assert_eq!(
            action["tool_call_metadata"]["model_response"],
            json!({"id": "r1", "model": "m", "usage": {"prompt_tokens": 7},
                "choices": [{"message": {"role": "assistant", "content": "Look", "tool_calls": []}}]})
        );
        let observation = kept(json!({
            "id": 4, "observation": "browse", "tool_call_metadata": call,
            "extras": {"set_of_marks": "data:", "screenshot": "data:x"},
        }));
        assert!(!observation.contains("model_response") && !observation.contains("data:\""));
        assert!(observation.contains("c1") && observation.contains("data:x"));
        assert!(observation.contains("\"set_of_marks\":true"));
    }

    #[test]
    fn after_a_loss_events_stand_behind_what_was_and_answer_only_each_other() {
        let offset = PositionOffset::after_loss(99, 49);
        let read = |cause: i64| {
            let event = json!({ "id": 60, "observation": "run", "cause": cause, "content": "", "handrail_lost": 1,
                "tool_call_metadata": { "tool_call_id": "c1" } });
            parse_event(event, offset).item
        };
        let answers_new = read(59);
        assert_eq!(answers_new.pos, Some(111));
        assert_eq!(answers_new.answers, Some(Answer::Key("110".to_owned())));
        assert_eq!(read(40).answers, Some(Answer::Call("c1".to_owned())));
        let told = crate::backend::losses::notice(offset).item;
        assert_eq!((told.pos, told.body), (Some(100), Body::Lost { by: 51 }));
    }

    #[test]
    fn no_backend_can_say_our_words() {
        let event = json!({ "id": 3, "handrail_lost": 7 });
        let body = parse_event(event, PositionOffset::default()).item.body;
        assert!(matches!(body, Body::Unknown { .. }));
    }
}
