//! One conversation of 1.x: its log, how it stands, and what its agent is about to do.
//!
//! The log is a list, and the place in it is the cursor of the session socket. What is stored and who is told of it is
//! settled under one lock.

use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::wire::v1::without_nulls;

use super::super::clock;

use super::super::workspace::Workspace;
use super::super::world::lock;
use super::plan::{Plan, Run};
use super::room::{Door, Out, Room};
use super::snapshot::{self, Standing};

/// A conversation.
pub struct Conversation {
    pub id: String,
    pub created_at: String,
    /// Where it works.
    pub folder: String,
    /// Held while a tool runs: messages, renames, settings and new sockets wait for it.
    pub busy: Arc<tokio::sync::Mutex<()>>,
    pub plan: Mutex<Plan>,
    pub workspace: Mutex<Workspace>,
    log: Mutex<Log>,
    /// Makes ids.
    new_id: Box<dyn Fn() -> String + Send + Sync>,
}

struct Log {
    events: Vec<Value>,
    status: String,
    title: Option<String>,
    tags: Value,
    policy: Value,
    analyzer: Value,
    model: &'static str,
    last_user_message_id: Option<String>,
    forked_from: Option<String>,
    updated_at: String,
    room: Room,
    run: Option<Run>,
}

/// What a conversation begins with.
pub struct Beginning {
    pub id: String,
    pub folder: String,
    pub policy: Value,
    pub analyzer: Value,
    pub tags: Value,
    pub workspace: Workspace,
}

impl Conversation {
    /// An idle conversation without events.
    pub fn new(begin: Beginning, new_id: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self {
            id: begin.id,
            created_at: clock::utc(),
            folder: begin.folder,
            busy: Arc::default(),
            plan: Mutex::default(),
            workspace: Mutex::new(begin.workspace),
            log: Mutex::new(Log {
                events: Vec::new(),
                status: "idle".to_owned(),
                title: None,
                tags: begin.tags,
                policy: begin.policy,
                analyzer: begin.analyzer,
                model: snapshot::MODEL,
                last_user_message_id: None,
                forked_from: None,
                updated_at: clock::utc(),
                room: Room::default(),
                run: None,
            }),
            new_id: Box::new(new_id),
        }
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        lock(&self.log)
    }

    /// A new id of an event.
    pub fn event_id(&self) -> String {
        (self.new_id)()
    }

    /// Stores an event and tells everyone; answers its id, which is given to it if it has none.
    pub fn append(&self, mut event: Value) -> String {
        let id = match event["id"].as_str() {
            Some(id) => id.to_owned(),
            None => self.event_id(),
        };
        let mut log = self.log();
        event["id"] = id.clone().into();
        event["timestamp"] = clock::naive().into();
        if let Some(parent) = log.events.last() {
            event["parent_id"] = parent["id"].clone();
        }
        log.updated_at = clock::utc();
        let seq = log.events.len();
        let frame = json!({"type": "durable", "seq": seq, "event": event});
        log.room.tell(Some(&frame), Some(&event));
        log.events.push(event);
        id
    }

    /// Stores what is otherwise now.
    pub fn update(&self, key: &str, value: Value) {
        self.append(json!({"kind": "ConversationStateUpdateEvent", "source": "environment", "key": key, "value": value}));
    }

    /// Changes the status and stores that.
    pub fn set_status(&self, status: &str) {
        status.clone_into(&mut self.log().status);
        self.update("execution_status", status.into());
    }

    /// Tells everyone how everything stands: at the end of every run.
    pub fn tell_all(&self) {
        let event = self.snapshot();
        let frame = json!({"type": "transient", "event": event});
        self.log().room.tell(Some(&frame), Some(&event));
    }

    /// Tells the session sockets something that is not stored.
    pub fn tell_session(&self, frame: &Value) {
        self.log().room.tell(Some(frame), None);
    }

    /// Tells the older sockets something that is not stored.
    pub fn tell_events(&self, event: &Value) {
        self.log().room.tell(None, Some(event));
    }

    /// Sends a text frame to all sockets, as it is.
    pub fn tell_raw(&self, frame: &str) {
        self.log().room.tell_raw(frame);
    }

    fn snapshot(&self) -> Value {
        let value = snapshot::state(&self.standing());
        let mut event = json!({"kind": "ConversationStateUpdateEvent", "source": "environment", "key": "full_state",
            "value": value, "id": self.event_id(), "timestamp": clock::naive()});
        without_nulls(&mut event);
        event
    }

    /// How it stands.
    pub fn standing(&self) -> Standing {
        let calls = lock(&self.plan).calls;
        let log = self.log();
        let leaf = log.events.last().and_then(|event| event["id"].as_str());
        Standing {
            id: self.id.clone(),
            folder: self.folder.clone(),
            status: log.status.clone(),
            policy: log.policy.clone(),
            analyzer: log.analyzer.clone(),
            model: log.model,
            title: log.title.clone(),
            tags: log.tags.clone(),
            calls,
            last_user_message_id: log.last_user_message_id.clone(),
            leaf_event_id: leaf.map(str::to_owned),
            forked_from: log.forked_from.clone(),
            created_at: self.created_at.clone(),
            updated_at: log.updated_at.clone(),
        }
    }

    /// What the agent is doing.
    pub fn status(&self) -> String {
        self.log().status.clone()
    }

    /// Changes title and labels; nobody is told, as by the real server.
    pub fn rename(&self, title: Option<&str>, tags: Option<&Value>) {
        let mut log = self.log();
        if let Some(title) = title {
            log.title = Some(title.to_owned());
        }
        if let Some(tags) = tags {
            log.tags = tags.clone();
        }
        log.updated_at = clock::utc();
    }

    /// The title is made in the background once there is a message, and nobody is told.
    pub fn title_once(&self, title: &str) {
        self.log().title.get_or_insert_with(|| title.to_owned());
    }

    /// Another rule about asking, or another judge; both are told.
    pub fn set(&self, key: &str, value: Value) {
        match key {
            "confirmation_policy" => self.log().policy = value.clone(),
            _ => self.log().analyzer = value.clone(),
        }
        self.changed(key, value);
    }

    /// Another model from now on, which is told.
    pub fn set_model(&self, model: &'static str) {
        self.log().model = model;
        self.changed("agent", snapshot::agent(model));
    }

    fn changed(&self, key: &str, value: Value) {
        let mut event = json!({"kind": "ConversationStateUpdateEvent", "source": "environment", "key": key, "value": value});
        without_nulls(&mut event);
        self.append(event);
    }

    /// Remembers the newest message of a person.
    pub fn heard(&self, message: &str) {
        self.log().last_user_message_id = Some(message.to_owned());
        self.update("last_user_message_id", message.into());
    }

    /// The run under way.
    pub fn run(&self) -> Option<Run> {
        self.log().run.clone()
    }

    /// Begins a run, unless one is under way.
    pub fn begin_run(&self) -> Option<Run> {
        let mut log = self.log();
        if log.run.is_some() {
            return None;
        }
        let run = Run::default();
        log.run = Some(run.clone());
        Some(run)
    }

    /// The run has ended.
    pub fn end_run(&self) {
        if let Some(run) = self.log().run.take() {
            run.over.cancel();
        }
    }

    /// All events.
    pub fn events(&self) -> Vec<Value> {
        self.log().events.clone()
    }

    /// Its events become these, as of a server with another memory, or of a copy.
    pub fn rewrite(&self, change: impl FnOnce(&mut Vec<Value>)) {
        change(&mut self.log().events);
    }

    /// It is a copy of another one.
    pub fn copy_of(&self, other: &Self) {
        let events = other.events();
        let mut log = self.log();
        log.events = events;
        log.forked_from = Some(other.id.clone());
    }

    /// How many sockets listen.
    pub fn sockets(&self) -> usize {
        self.log().room.len()
    }

    /// Puts a socket into the room: what it asked for first, then what happens. `after` is a cursor, or for the older
    /// socket whether history is wanted at all.
    pub fn join(&self, door: Door, after: Option<i64>) -> UnboundedReceiver<Out> {
        let snapshot = self.snapshot();
        let mut log = self.log();
        let log = &mut *log;
        log.room.join(door, after, &log.events, &snapshot)
    }
}
