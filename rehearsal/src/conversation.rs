//! One conversation: its stored events, and the sockets that follow it.
//!
//! The log distinguishes the stored, live and replayed forms of an event. A joining socket gets the replay and is added
//! to the room under one lock, so that no event is lost in between (the real server has a gap there).

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use axum::extract::ws::Utf8Bytes;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

use crate::queue::{Receiver, Sender, Stored, Weigh, queue};
use crate::{
    agent::AgentMessage, clock, conversations::Listed, packet, sync::lock, workspace::Workspace,
};

/// How long the real server queues live events for the first client.
const QUEUE_TIME: Duration = Duration::from_secs(30);

/// Bytes that it queues.
const MOST_QUEUED: usize = 32 << 20;

/// Output of a socket.
#[derive(Clone, Debug)]
pub enum Out {
    /// A live payload of `oh_event`.
    Event(Utf8Bytes),
    /// A stored event.
    Stored(Arc<Value>),
    /// End of the replay: the CONNECT packet may be sent now.
    Accepted,
    /// Any text frame.
    Raw(Utf8Bytes),
    /// The server ends the session and, like python-socketio, leaves the WebSocket open.
    Leave,
}

impl Weigh for Out {
    fn bytes(&self) -> usize {
        match self {
            Self::Event(text) | Self::Raw(text) => text.len(),
            Self::Stored(event) => event.bytes(),
            Self::Accepted | Self::Leave => 0,
        }
    }
}

/// The state of the sandbox.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Status {
    Starting,
    Running,
    #[default]
    Stopped,
}

/// An existing conversation, running or not.
pub struct Conversation {
    /// 32 hexadecimal digits, or the id that a client asked to join.
    pub id: String,
    /// Creation time in REST notation.
    pub created_at: String,
    log: Mutex<Log>,
    pub workspace: Mutex<Workspace>,
}

#[derive(Default)]
struct Log {
    stored: Stored,
    next_id: i64,
    title: String,
    status: Status,
    updated_at: String,
    room: Vec<Sender<Out>>,
    /// Live payloads since the start, queued until the first client joins.
    queued: Option<(Instant, Vec<Utf8Bytes>)>,
    agent: Option<UnboundedSender<AgentMessage>>,
}

impl Conversation {
    /// An empty, stopped conversation.
    pub fn new(id: String, workspace: Workspace) -> Self {
        let title = format!("Conversation {}", id.chars().take(5).collect::<String>());
        let log = Log {
            title,
            updated_at: clock::utc(),
            ..Log::default()
        };
        Self {
            id,
            created_at: clock::utc(),
            log: Mutex::new(log),
            workspace: Mutex::new(workspace),
        }
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        lock(&self.log)
    }

    /// Stores events and sends them live in the order of `live` (indexes into `events`), because the real server
    /// sometimes reorders them. Returns the id of the first.
    pub fn append_in_order(&self, events: Vec<Value>, live: &[usize]) -> i64 {
        let mut log = self.log();
        let first = log.next_id;
        let from = log.stored.events.len();
        for mut event in events {
            event["id"] = log.next_id.into();
            event["timestamp"] = clock::naive().into();
            log.next_id += 1;
            log.stored.push(event);
        }
        for position in live {
            if let Some(payload) = log
                .stored
                .events
                .get(from + position)
                .and_then(|event| live_form(event))
            {
                log.broadcast(&payload);
            }
        }
        log.updated_at = clock::utc();
        first
    }

    pub fn append(&self, event: Value) -> i64 {
        self.append_in_order(vec![event], &[0])
    }

    /// Sends a payload without storing it: a status frame, or something malformed.
    pub fn send(&self, payload: &Value) {
        self.log().broadcast(payload);
    }

    pub fn tell_sockets(&self, out: &Out) {
        let room = &mut self.log().room;
        room.retain(|socket| socket.send(out.clone()));
    }

    /// Ends all sessions, as a stop does; the WebSockets stay open.
    pub fn close_room(&self) {
        self.tell_sockets(&Out::Leave);
        self.log().room.clear();
    }

    /// Adds a socket: replay, acceptance, the events queued for the first client, then live events.
    pub fn join(&self, latest: i64) -> Receiver<Out> {
        let (sender, receiver) = queue();
        let mut log = self.log();
        // This function holds the receiver; if the replay is too long for the queue, the socket is closed.
        for event in replay(&log.stored.events, latest) {
            sender.send(Out::Stored(event.clone()));
        }
        sender.send(Out::Accepted);
        for text in log.queued.take().into_iter().flat_map(|(_, queued)| queued) {
            sender.send(Out::Event(text));
        }
        log.room.push(sender);
        receiver
    }

    /// A page of events: ids from `start` to `end`, both inclusive.
    pub fn events(&self, start: i64, end: i64, reverse: bool, limit: usize) -> (Vec<Value>, bool) {
        let log = self.log();
        let wanted =
            |event: &&Arc<Value>| (start..=end).contains(&event["id"].as_i64().unwrap_or(-1));
        let mut matching: Vec<_> = log.stored.events.iter().filter(wanted).collect();
        if reverse {
            matching.reverse();
        }
        let more = matching.len() > limit;
        let page = matching.into_iter().take(limit);
        (page.map(|event| Value::clone(event)).collect(), more)
    }

    pub fn status(&self) -> Status {
        self.log().status
    }

    /// Changes the status; a start begins to queue events for the first client.
    pub fn set_status(&self, status: Status) {
        let mut log = self.log();
        log.status = status;
        if status == Status::Starting && log.room.is_empty() {
            log.queued = Some((Instant::now(), Vec::new()));
        }
    }

    /// The channel to its agent; `None` without a sandbox.
    pub fn agent(&self) -> Option<UnboundedSender<AgentMessage>> {
        self.log().agent.clone()
    }

    pub fn set_agent(&self, agent: Option<UnboundedSender<AgentMessage>>) {
        self.log().agent = agent;
    }

    /// Renames the conversation and notifies the sockets.
    pub fn set_title(&self, title: &str) {
        self.log().title = title.to_owned();
        let id = &self.id;
        self.send(&json!({"status_update": true, "type": "info", "message": id, "conversation_title": title}));
    }

    /// The body of `GET /api/conversations/{id}`. Lists pass `counted: false`: they always report 0 connections.
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
            "status": log.status, "runtime_status": runtime, "selected_repository": null,
            "selected_branch": null, "git_provider": null, "trigger": "gui", "num_connections": connections,
            "url": url, "session_api_key": null, "created_at": self.created_at, "pr_number": [],
            "conversation_version": "V0",
        })
    }

    /// Rewrites the stored events, as after a restart with a different memory.
    pub fn rewrite(&self, change: impl FnOnce(&mut Vec<Arc<Value>>)) {
        let mut log = self.log();
        change(&mut log.stored.events);
        let ids = log
            .stored
            .events
            .iter()
            .filter_map(|event| event["id"].as_i64());
        log.next_id = ids.max().map_or(0, |id| id + 1);
    }
}

impl Listed for Conversation {
    fn id(&self) -> &str {
        &self.id
    }

    fn sockets(&self) -> usize {
        let mut log = self.log();
        log.room.retain(|socket| !socket.is_closed());
        log.room.len()
    }
}

impl Log {
    fn broadcast(&mut self, payload: &Value) {
        let text = packet::event(payload);
        if let Some((since, queued)) = &mut self.queued
            && since.elapsed() < QUEUE_TIME
            && queued.iter().map(|text| text.len()).sum::<usize>() < MOST_QUEUED
        {
            queued.push(text.clone());
        }
        let send = |socket: &Sender<Out>| socket.send(Out::Event(text.clone()));
        self.room.retain(send);
    }
}

/// The live form of an event: some sources are rewritten, some events are withheld.
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

/// The events for a joining socket: no hidden events, no `recall` action, and only the newest state, sent last.
fn replay(events: &[Arc<Value>], latest: i64) -> impl Iterator<Item = &Arc<Value>> {
    let is_state = |event: &&Arc<Value>| event["observation"] == "agent_state_changed";
    let newer = move |event: &&Arc<Value>| event["id"].as_i64().is_some_and(|id| id > latest);
    let shown = move |event: &&Arc<Value>| {
        let (action, observation) = (&event["action"], &event["observation"]);
        !is_state(event) && observation != "null" && action != "null" && action != "recall"
    };
    let state = events.iter().filter(newer).rfind(is_state);
    events.iter().filter(newer).filter(shown).chain(state)
}
