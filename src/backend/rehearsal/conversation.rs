//! One conversation: its stored events, and the sockets that listen to it.
//!
//! The log knows the differences between what is stored, what is sent live and what is replayed. Whoever joins gets the
//! replay and is in the room under one lock, so that nothing falls in between (the real server has a gap there).

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::ws::Utf8Bytes;
use serde_json::{Value, json};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use super::agent::Input;
use super::clock;
use super::packet;
use super::workspace::Workspace;

/// As long the real server keeps live events for a first client.
const QUEUE_TIME: Duration = Duration::from_secs(30);

/// What a socket is told to send.
#[derive(Clone, Debug)]
pub enum Out {
    /// A live or replayed payload of `oh_event`.
    Event(Utf8Bytes),
    /// The replay is over: now the CONNECT packet may go out.
    Accepted,
    /// Any text frame.
    Raw(Utf8Bytes),
    /// The server ends the session and, like python-socketio, leaves the WebSocket open.
    Leave,
}

/// Whether there is a runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    Starting,
    Running,
    Stopped,
}

impl Status {
    /// As REST spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Starting => "STARTING",
            Self::Running => "RUNNING",
            Self::Stopped => "STOPPED",
        }
    }
}

/// A conversation which exists, running or not.
pub struct Conversation {
    /// 32 hexadecimal digits, or whatever a client asked to join.
    pub id: String,
    /// When it was made (REST's notation).
    pub created_at: String,
    log: Mutex<Log>,
    workspace: Mutex<Workspace>,
}

struct Log {
    events: Vec<Value>,
    next_id: i64,
    title: String,
    status: Status,
    updated_at: String,
    room: Vec<UnboundedSender<Out>>,
    /// Live payloads since the start, while nobody was there to get them.
    queued: Option<(Instant, Vec<Utf8Bytes>)>,
    agent: Option<UnboundedSender<Input>>,
}

impl Conversation {
    /// An empty, stopped conversation.
    pub fn new(id: String, workspace: Workspace) -> Self {
        let title = format!("Conversation {}", id.chars().take(5).collect::<String>());
        let log = Log {
            events: Vec::new(),
            next_id: 0,
            title,
            status: Status::Stopped,
            updated_at: clock::utc(),
            room: Vec::new(),
            queued: None,
            agent: None,
        };
        Self {
            id,
            created_at: clock::utc(),
            log: Mutex::new(log),
            workspace: Mutex::new(workspace),
        }
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its files.
    pub fn workspace(&self) -> MutexGuard<'_, Workspace> {
        self.workspace
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores events and sends them live in the order `live` names (positions in `events`): the real server sometimes
    /// overtakes itself. Returns the id of the first.
    pub fn append_in_order(&self, events: Vec<Value>, live: &[usize]) -> i64 {
        let mut log = self.log();
        let first = log.next_id;
        let from = log.events.len();
        for mut event in events {
            event["id"] = log.next_id.into();
            event["timestamp"] = clock::naive().into();
            log.next_id += 1;
            log.events.push(event);
        }
        for position in live {
            if let Some(payload) = log.events.get(from + position).and_then(live_form) {
                log.broadcast(&payload);
            }
        }
        log.updated_at = clock::utc();
        first
    }

    /// Stores one event and sends it live; its id.
    pub fn append(&self, event: Value) -> i64 {
        self.append_in_order(vec![event], &[0])
    }

    /// Sends a payload which is not stored: a status frame, or something malformed.
    pub fn send(&self, payload: &Value) {
        self.log().broadcast(payload);
    }

    /// Tells all sockets to do something.
    pub fn tell_sockets(&self, out: &Out) {
        self.log()
            .room
            .retain(|socket| socket.send(out.clone()).is_ok());
    }

    /// Ends all sessions, as a stop does; the WebSockets stay open.
    pub fn close_room(&self) {
        self.tell_sockets(&Out::Leave);
        self.log().room.clear();
    }

    /// How many sockets listen.
    pub fn sockets(&self) -> usize {
        let mut log = self.log();
        log.room.retain(|socket| !socket.is_closed());
        log.room.len()
    }

    /// Puts a new socket into the room: replay, acceptance, what was queued for a first client, then live events.
    pub fn join(&self, latest: i64) -> UnboundedReceiver<Out> {
        let (sender, receiver) = mpsc::unbounded_channel();
        let mut log = self.log();
        // The receiver is in our hands: sending cannot fail.
        for event in replay(&log.events, latest) {
            let _ = sender.send(Out::Event(packet::event(event)));
        }
        let _ = sender.send(Out::Accepted);
        for text in log
            .queued
            .take()
            .map(|(_, queued)| queued)
            .unwrap_or_default()
        {
            let _ = sender.send(Out::Event(text));
        }
        log.room.push(sender);
        receiver
    }

    /// A page of events: ids from `start` to `end`, both included.
    pub fn events(&self, start: i64, end: i64, reverse: bool, limit: usize) -> (Vec<Value>, bool) {
        let log = self.log();
        let wanted = |event: &&Value| (start..=end).contains(&event["id"].as_i64().unwrap_or(-1));
        let mut matching: Vec<_> = log.events.iter().filter(wanted).collect();
        if reverse {
            matching.reverse();
        }
        let more = matching.len() > limit;
        (matching.into_iter().take(limit).cloned().collect(), more)
    }

    /// Whether an agent works on it.
    pub fn status(&self) -> Status {
        self.log().status
    }

    /// Changes the status; a start begins to queue for the first client.
    pub fn set_status(&self, status: Status) {
        let mut log = self.log();
        log.status = status;
        if status == Status::Starting && log.room.is_empty() {
            log.queued = Some((Instant::now(), Vec::new()));
        }
    }

    /// The channel to its agent, none when there is no runtime.
    pub fn agent(&self) -> Option<UnboundedSender<Input>> {
        self.log().agent.clone()
    }

    /// Hands the conversation to an agent, or takes it away.
    pub fn set_agent(&self, agent: Option<UnboundedSender<Input>>) {
        self.log().agent = agent;
    }

    /// Renames it and tells the sockets.
    pub fn set_title(&self, title: &str) {
        self.log().title = title.to_owned();
        let id = &self.id;
        self.send(&json!({"status_update": true, "type": "info", "message": id, "conversation_title": title}));
    }

    /// The body of `GET /api/conversations/{id}`; `counted` because the list always says 0 connections.
    pub fn summary(&self, counted: bool) -> Value {
        let connections = if counted { self.sockets() } else { 0 };
        let log = self.log();
        let runtime = match log.status {
            Status::Starting => Some("STATUS$STARTING_RUNTIME"),
            Status::Running => Some("STATUS$READY"),
            Status::Stopped => None,
        };
        let url = runtime.map(|_| format!("/api/conversations/{}", self.id));
        json!({
            "conversation_id": self.id, "title": log.title, "last_updated_at": log.updated_at,
            "status": log.status.name(), "runtime_status": runtime, "selected_repository": null,
            "selected_branch": null, "git_provider": null, "trigger": "gui", "num_connections": connections,
            "url": url, "session_api_key": null, "created_at": self.created_at, "pr_number": [],
            "conversation_version": "V0",
        })
    }

    /// Rewrites the stored events, as a server with another memory would have them.
    pub fn rewrite(&self, change: impl FnOnce(&mut Vec<Value>)) {
        let mut log = self.log();
        change(&mut log.events);
        log.next_id = log
            .events
            .iter()
            .filter_map(|event| event["id"].as_i64())
            .max()
            .map_or(0, |id| id + 1);
    }
}

impl Log {
    fn broadcast(&mut self, payload: &Value) {
        let text = packet::event(payload);
        if let Some((since, queued)) = &mut self.queued
            && since.elapsed() < QUEUE_TIME
        {
            queued.push(text.clone());
        }
        self.room
            .retain(|socket| socket.send(Out::Event(text.clone())).is_ok());
    }
}

/// An event as it goes out live: some sources are rewritten, some events are kept back.
fn live_form(event: &Value) -> Option<Value> {
    let environment = event["source"] == "environment";
    let null = event["observation"] == "null" || event["action"] == "null";
    if null || environment && event["action"] == "change_agent_state" {
        return None;
    }
    let mut event = event.clone();
    if environment && !event["observation"].is_null() {
        event["source"] = "agent".into();
    }
    Some(event)
}

/// What a joining socket gets: nothing hidden, no `recall` action, and of the states only the newest, and that last.
fn replay(events: &[Value], latest: i64) -> impl Iterator<Item = &Value> {
    let is_state = |event: &&Value| event["observation"] == "agent_state_changed";
    let newer = move |event: &&Value| event["id"].as_i64().is_some_and(|id| id > latest);
    let shown = move |event: &&Value| {
        !is_state(event)
            && event["observation"] != "null"
            && event["action"] != "null"
            && event["action"] != "recall"
    };
    let state = events.iter().filter(newer).rfind(is_state);
    events.iter().filter(newer).filter(shown).chain(state)
}
