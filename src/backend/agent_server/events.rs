//! Stored events, in the order of the log.
//!
//! `GET events/search` returns the order of the log, whatever its parameter is called, and takes no lock, so it works
//! even while a command runs. A page starts at an event id, or at the beginning if the id is unknown. Each page is
//! therefore requested from the newest stored event on; if it does not start with it, the server has lost events.

use super::Server;
use super::dto::drop_calls;
use super::first_event::first_event;
use super::zone::learn;
use crate::backend::error::if_found;
use crate::backend::http::{Call, Rest};
use crate::backend::json::take_list;
use crate::backend::large::{MOST_OF_PAGE, within_bounds};
use crate::backend::losses::{self, StoredEvents};
use crate::backend::{Answer, BackendError, HistoryPage, ReceivedEvent, Recorded, ResumePoint};
use crate::conversation::{PositionOffset, from_v1};
use crate::sync::lock;
use crate::wire::v1::{Event, say_zone};
use crate::wire::{json_text, read_json};
use async_trait::async_trait;
use reqwest::Method;
use serde_json::Value;
use std::sync::Arc;

/// Length from which a key is told apart from a word of an agent, in bytes.
const LEAST_OF_KEY: usize = 16;

/// Position up to which a log has been read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cursor {
    /// Position of the newest event; -1 for none.
    pub pos: i64,
    /// Id of the newest event; `None` if only its position is known.
    pub key: Option<String>,
}

impl Cursor {
    pub(super) async fn behind(resume: &ResumePoint) -> Self {
        let pos = resume.after.max(resume.offset.since).unwrap_or(-1);
        let recorded = match pos {
            0.. => (resume.recorded)(pos).await,
            _ => None,
        };
        let key = recorded.map(|event| event.key).filter(|key| is_id(key));
        Self { pos, key }
    }
}

#[derive(Debug)]
pub(super) enum Page {
    /// Events after the cursor, the new cursor, and whether there are more.
    Events(Vec<ReceivedEvent>, Cursor, bool),
    /// The server no longer has the event at the cursor.
    Lost,
}

/// Events, unparsed, and the id of the next one.
pub(super) type Found = Answer<(Vec<Value>, Option<String>)>;

/// Stored events of one conversation.
#[derive(Clone)]
pub(super) struct Events {
    pub(super) rest: Arc<Rest>,
    pub(super) conversation: String,
    pub(super) offset: PositionOffset,
    /// Offset of the server's clock from UTC in minutes; `None` if unknown.
    pub(super) zone: Option<i32>,
}

impl Events {
    /// The stored events of a conversation, on a server whose zone is not known yet.
    pub(super) fn of(rest: Arc<Rest>, conversation: &str, offset: PositionOffset) -> Self {
        Self {
            rest,
            conversation: conversation.to_owned(),
            offset,
            zone: None,
        }
    }

    /// Takes the zone learned from this conversation, else the one learned from another conversation of the server.
    pub(super) async fn learn_zone(&mut self, server: &Server, info: &Value) -> Answer<()> {
        let is_copy = info["forked_from_conversation_id"].is_string();
        let learned = match (info["created_at"].as_str(), is_copy) {
            (Some(created_at), false) => {
                let first = match self.first().await {
                    // The first event is unreadable; continue without it.
                    Err(error) if error.is_lasting() => None,
                    first => first?,
                };
                first.and_then(|first| learn(created_at, first["timestamp"].as_str()?))
            }
            _ => None,
        };
        let mut known = lock(&server.zone);
        *known = learned.or(*known);
        self.zone = *known;
        Ok(())
    }

    pub(super) async fn after(&self, cursor: &Cursor) -> Answer<Page> {
        let Some(key) = &cursor.key else {
            return self.count_off(cursor).await;
        };
        let (mut events, mut next) = self.page_from(Some(key)).await?;
        if events.first().and_then(id) != Some(key) {
            return Ok(Page::Lost);
        }
        events.remove(0);
        // If events are large, the page may have had room only for the one at the cursor.
        if events.is_empty()
            && let Some(behind) = next.take()
        {
            (events, next) = self.page_from(Some(&behind)).await?;
            if events.first().and_then(id) != Some(&behind) {
                return Ok(Page::Lost);
            }
        }
        Ok(self.page(events, cursor.clone(), next.is_some()))
    }

    /// The page after an event whose id is unknown: counts from the beginning of the log.
    async fn count_off(&self, cursor: &Cursor) -> Answer<Page> {
        let mut skip = usize::try_from(self.offset.id(cursor.pos) + 1).unwrap_or(0);
        let mut from: Option<String> = None;
        loop {
            let (mut events, next) = self.page_from(from.as_deref()).await?;
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

    pub(super) fn page(&self, events: Vec<Value>, mut cursor: Cursor, more: bool) -> Page {
        let read = events.into_iter().map(|event| {
            let (pos, key) = (cursor.pos + 1, id(&event).cloned());
            cursor = Cursor { pos, key };
            self.parse_event(event, Some(pos))
        });
        let read = read.collect();
        Page::Events(read, cursor, more)
    }

    /// The newest events, newest first, unparsed.
    pub(super) async fn newest(&self) -> Answer<Vec<Value>> {
        Ok(self.fitting(None, "TIMESTAMP_DESC").await?.0)
    }

    /// The first event, unparsed.
    pub(super) async fn first(&self) -> Answer<Option<Value>> {
        Ok(self.search(None, 1, "TIMESTAMP").await?.0.pop())
    }

    /// A request for stored events in this order, from this one on.
    pub(super) fn call(&self, from: Option<&str>, limit: usize, order: &str) -> Answer<Call> {
        let call = Call::conversation(Method::GET, &self.conversation, &["events", "search"])?
            .query("limit", &*limit.to_string())
            .query("sort_order", order);
        Ok(call.query("page_id", from))
    }

    pub(super) async fn search(&self, from: Option<&str>, limit: usize, order: &str) -> Found {
        let mut call = self.call(from, limit, order)?;
        if limit > 1 {
            call.most = MOST_OF_PAGE;
        }
        let mut page = self.rest.json(call).await?;
        let events = take_list(&mut page, "items")?;
        let next = page["next_page_id"].as_str().map(str::to_owned);
        Ok((events, next))
    }

    /// Parses an event and removes what is not stored.
    pub(super) fn parse_event(&self, event: Value, pos: Option<i64>) -> ReceivedEvent {
        let key = self.rest.connection().session_api_key.as_deref();
        received(without_key(event, key), self.zone, pos)
    }
}

/// An event without the server's key, which an agent prints if it prints its environment.
pub(in crate::backend) fn without_key(event: Value, key: Option<&str>) -> Value {
    let text = match key.filter(|key| key.len() >= LEAST_OF_KEY) {
        Some(key) => (key, json_text(&event)),
        None => return event,
    };
    match text {
        (key, text) if text.contains(key) => {
            let hidden = text.replace(key, "(hidden)");
            // A key has no character that is written in another way in JSON.
            read_json(hidden.as_bytes()).unwrap_or(event)
        }
        _ => event,
    }
}

/// Parses an event and removes what is not stored. `zone` is the offset of the server's clock from UTC in minutes.
pub(in crate::backend) fn received(
    mut event: Value,
    zone: Option<i32>,
    pos: Option<i64>,
) -> ReceivedEvent {
    if let Some(ahead) = zone {
        say_zone(&mut event, ahead);
    }
    if let Some(state) = event.get_mut("value") {
        drop_calls(state);
    }
    PositionOffset::deny(&mut event);
    let raw = within_bounds(&mut event);
    let item = from_v1::item(&Event::read(event), pos, None);
    ReceivedEvent { item, raw }
}

/// Whether this is an event id of the server, as opposed to the key of a data loss notice.
fn is_id(key: &str) -> bool {
    key.len() == 36
}

pub(super) fn id(event: &Value) -> Option<&String> {
    match event.get("id") {
        Some(Value::String(id)) => Some(id),
        _ => None,
    }
}

#[async_trait]
impl StoredEvents for Events {
    /// Ids are unique, so the id suffices.
    async fn has(&self, _pos: i64, recorded: &Recorded) -> Answer<Option<bool>> {
        if !is_id(&recorded.key) {
            return Ok(None);
        }
        let route = ["events", &recorded.key];
        let call = Call::conversation(Method::GET, &self.conversation, &route)?;
        let found = if_found(self.rest.json(call).await)?;
        Ok(Some(found.is_some()))
    }
}

/// A page of history, starting with the synthetic first event; or only the notice of a data loss.
pub(super) async fn history(server: &Server, id: &str, resume: ResumePoint) -> Answer<HistoryPage> {
    let info = server.conversation(id).await?;
    let mut events = Events::of(server.rest.clone(), id, resume.offset);
    events.learn_zone(server, &info).await?;
    if let Some(notice) = losses::page(&events, &resume).await? {
        return Ok(notice);
    }
    let cursor = Cursor::behind(&resume).await;
    let first_event = (cursor.pos < 0).then(|| first_event(&info));
    let mut places = server.places(&resume, cursor.pos).await;
    match events.after(&cursor).await? {
        Page::Events(mut read, _, more) => {
            if let Some(places) = &mut places {
                read.iter_mut().for_each(|event| places.assign(event));
            }
            let events = first_event.into_iter().chain(read).collect();
            Ok(HistoryPage {
                events,
                more,
                is_copy: false,
            })
        }
        Page::Lost => Err(BackendError::unexpected("a history without earlier events")),
    }
}
