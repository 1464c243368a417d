//! Stored events, in the order of the log.
//!
//! `GET events/search` answers in the order of the log, whatever its parameter is called, and waits for no lock: it
//! is the history of a conversation also while a command runs. It can begin at any event by its id, and begins anew
//! when it does not know it: so each page is asked for from the newest event that is held, and one that does not
//! begin with it tells that the server has lost what it told.

use super::dto::drop_calls;
use super::{Server, zone};
use crate::backend::http::{Call, Missing, Rest};
use crate::backend::{Arrived, BackendError, HistoryPage, Past, losses};
use crate::conversation::{Body, Shift, from_v0, from_v1};
use crate::wire::v0::Incoming;
use crate::wire::v1::{Event, say_zone};
use futures_util::FutureExt;
use serde_json::{Value, json};
use std::sync::Arc;

/// The most that the server gives at once.
const PAGE: usize = 100;
/// What of a conversation's state is kept of its beginning.
const SET_UP: [&str; 8] = [
    "execution_status",
    "title",
    "confirmation_policy",
    "security_analyzer",
    "stats",
    "tags",
    "workspace",
    "max_iterations",
];

/// Up to where a log was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cursor {
    /// Position of the newest event; -1 for none.
    pub pos: i64,
    /// Its id; `None` if only its place is known.
    pub key: Option<String>,
}

impl Cursor {
    /// Where to go on from what is held.
    pub(super) async fn behind(past: &Past) -> Self {
        let pos = past.after.max(past.shift.since).unwrap_or(-1);
        let recorded = if pos < 0 {
            None
        } else {
            (past.recorded)(pos).await
        };
        let key = recorded.map(|event| event.key).filter(|key| is_id(key));
        Self { pos, key }
    }
}

/// What a question for more brought.
#[derive(Debug)]
pub(super) enum Page {
    /// Events behind the cursor, where it is now, and whether there are more.
    Events(Vec<Arrived>, Cursor, bool),
    /// The event at the cursor is gone.
    Lost,
}

/// Stored events of one conversation.
#[derive(Clone)]
pub(super) struct Events {
    pub(super) rest: Arc<Rest>,
    /// It has passed [`crate::backend::http::conversation_id`].
    pub(super) conversation: String,
    pub(super) shift: Shift,
    /// How many minutes the server's clock is ahead of UTC, if that is known.
    pub(super) zone: Option<i32>,
}

impl Events {
    /// The page behind `cursor`.
    pub(super) async fn after(&self, cursor: &Cursor) -> Result<Page, BackendError> {
        let Some(key) = &cursor.key else {
            return self.count_off(cursor).await;
        };
        let (mut events, next) = self.search(Some(key), PAGE, "TIMESTAMP").await?;
        if events.first().and_then(id) != Some(key) {
            return Ok(Page::Lost);
        }
        events.remove(0);
        Ok(self.page(events, cursor.clone(), next.is_some()))
    }

    /// The page behind an event of which only the place is known: counts from the beginning.
    async fn count_off(&self, cursor: &Cursor) -> Result<Page, BackendError> {
        let mut skip = usize::try_from(self.shift.id(cursor.pos) + 1).unwrap_or(0);
        let mut from: Option<String> = None;
        loop {
            let (mut events, next) = self.search(from.as_deref(), PAGE, "TIMESTAMP").await?;
            if events.len() > skip || (skip == 0 && next.is_none()) {
                let events = events.split_off(skip);
                return Ok(self.page(events, cursor.clone(), next.is_some()));
            }
            skip -= events.len();
            from = match next {
                Some(next) => Some(next),
                None if skip == 0 => return Ok(self.page(Vec::new(), cursor.clone(), false)),
                None => return Ok(Page::Lost),
            };
        }
    }

    fn page(&self, events: Vec<Value>, mut cursor: Cursor, more: bool) -> Page {
        let read = events.into_iter().map(|event| {
            cursor = Cursor {
                pos: cursor.pos + 1,
                key: id(&event).cloned(),
            };
            self.arrived(event, Some(cursor.pos))
        });
        let read = read.collect();
        Page::Events(read, cursor, more)
    }

    /// The newest events, newest first, as they came.
    pub(super) async fn newest(&self) -> Result<Vec<Value>, BackendError> {
        Ok(self.search(None, PAGE, "TIMESTAMP_DESC").await?.0)
    }

    /// The first event, as it came.
    pub(super) async fn first(&self) -> Result<Option<Value>, BackendError> {
        Ok(self.search(None, 1, "TIMESTAMP").await?.0.pop())
    }

    /// Whether the server has an event.
    pub(super) async fn has(&self, key: &str) -> Result<bool, BackendError> {
        let path = ["api", "conversations", &self.conversation, "events", key];
        match self.rest.json(Call::get(&path)).await {
            Ok(_) => Ok(true),
            Err(BackendError::NotFound(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn search(
        &self,
        from: Option<&str>,
        limit: usize,
        order: &str,
    ) -> Result<(Vec<Value>, Option<String>), BackendError> {
        let limit = limit.to_string();
        let mut query = vec![("limit", limit.as_str()), ("sort_order", order)];
        query.extend(from.map(|from| ("page_id", from)));
        let path = [
            "api",
            "conversations",
            &self.conversation,
            "events",
            "search",
        ];
        let missing = Missing::Thing("this conversation");
        let mut page = self
            .rest
            .json(Call {
                query: &query,
                missing,
                ..Call::get(&path)
            })
            .await?;
        let next = page
            .get("next_page_id")
            .and_then(Value::as_str)
            .map(str::to_owned);
        match page.get_mut("items").map(Value::take) {
            Some(Value::Array(events)) => Ok((events, next)),
            _ => Err(BackendError::Unexpected("a page without events".to_owned())),
        }
    }

    /// Reads one event, and keeps what we want to keep of it.
    pub(super) fn arrived(&self, mut event: Value, pos: Option<i64>) -> Arrived {
        if let Some(ahead) = self.zone {
            say_zone(&mut event, ahead);
        }
        if let Some(state) = event.get_mut("value") {
            drop_calls(state);
        }
        Shift::deny(&mut event);
        let raw = event.to_string();
        let item = from_v1::item(&Event::read(event), pos, None);
        Arrived { item, raw }
    }
}

/// Whether this is an id of theirs, and not the word about a loss.
fn is_id(key: &str) -> bool {
    key.len() == 36
}

/// The id of an event.
pub(super) fn id(event: &Value) -> Option<&String> {
    match event.get("id") {
        Some(Value::String(id)) => Some(id),
        _ => None,
    }
}

/// The word about a loss, in its place.
pub(super) fn notice(shift: Shift) -> Arrived {
    let notice = shift.notice();
    let raw = notice.to_string();
    let item = from_v0(&Incoming::read(notice));
    debug_assert!(matches!(item.body, Body::Lost { .. }));
    Arrived { item, raw }
}

/// The first word about a conversation, before its log: how it was set up, which no event says. In the shape of a
/// snapshot, which has neither id nor place.
pub(super) fn beginning(info: &Value) -> Arrived {
    let mut state = json!({});
    for key in SET_UP {
        state[key] = info.get(key).cloned().unwrap_or_default();
    }
    drop_calls(&mut state);
    if let Some(agent) = info.get("agent") {
        let part = |key: &str| agent.get(key).cloned().unwrap_or_default();
        let llm = |key: &str| {
            agent
                .pointer(&format!("/llm/{key}"))
                .cloned()
                .unwrap_or_default()
        };
        state["agent"] = json!({
            "kind": part("kind"),
            "acp_model": part("acp_model"),
            "llm": { "model": llm("model"), "base_url": llm("base_url"), "usage_id": llm("usage_id") },
        });
    }
    let event = json!({
        "kind": "ConversationStateUpdateEvent",
        "source": "environment",
        "timestamp": info.get("created_at").cloned().unwrap_or_default(),
        "key": "full_state",
        "value": state,
    });
    let raw = event.to_string();
    let item = from_v1::item(&Event::read(event), None, None);
    Arrived { item, raw }
}

impl Server {
    /// A page of history, with the word about its beginning, or about a loss.
    pub(super) async fn history(
        &self,
        conversation: String,
        past: Past,
    ) -> Result<HistoryPage, BackendError> {
        let info = self.conversation(&conversation).await?;
        let mut events = Events {
            rest: self.rest.clone(),
            conversation,
            shift: past.shift,
            zone: None,
        };
        events.zone = zone::of(&self.zone, &events, &info).await?;
        if let Some(shift) = find_loss(&events, &past, past.newest).await? {
            return Ok(HistoryPage {
                events: vec![notice(shift)],
                more: true,
            });
        }
        let cursor = Cursor::behind(&past).await;
        let beginning = (cursor.pos < 0).then(|| beginning(&info));
        match events.after(&cursor).await? {
            Page::Events(read, _, more) => {
                let events = beginning.into_iter().chain(read).collect();
                Ok(HistoryPage { events, more })
            }
            Page::Lost => Err(BackendError::Unexpected(
                "a history without what it told before".to_owned(),
            )),
        }
    }
}

/// If the event at `newest` is gone: how positions are counted from here on.
pub(super) async fn find_loss(
    events: &Events,
    past: &Past,
    newest: Option<i64>,
) -> Result<Option<Shift>, BackendError> {
    losses::find(past, newest, &|pos| is_there(events, past, pos).boxed()).await
}

/// Whether the server has the event that we hold at a position: its ids are never given twice.
async fn is_there(events: &Events, past: &Past, pos: i64) -> Result<Option<bool>, BackendError> {
    match (past.recorded)(pos).await {
        Some(recorded) if is_id(&recorded.key) => Ok(Some(events.has(&recorded.key).await?)),
        _ => Ok(None),
    }
}
