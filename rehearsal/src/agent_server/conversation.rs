//! One conversation of 1.x: its log, its state, and the plan of its agent.
//!
//! The log is a list; an index into it is the session socket's cursor. Events are stored and sent under one lock.

use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::{Value, json};
use uuid::Uuid;

use super::followers::{Followers, Out, SocketKind};
use super::plan::{Plan, Run};
use super::snapshot::{self, Standing};
use crate::queue::{Receiver, Stored};
use crate::{clock, conversations::Listed, event::without_nulls, sync::lock, workspace::Workspace};

pub fn event_id() -> String {
    Uuid::new_v4().to_string()
}

pub struct Conversation {
    pub id: String,
    /// Its working directory.
    pub folder: String,
    /// Held while a tool runs: messages, renames, settings and new sockets wait for it.
    pub busy: Arc<tokio::sync::Mutex<()>>,
    pub plan: Mutex<Plan>,
    pub workspace: Mutex<Workspace>,
    log: Mutex<Log>,
}

struct Log {
    stored: Stored,
    /// The current state, without what is counted elsewhere.
    standing: Standing,
    followers: Followers,
    run: Option<Run>,
}

impl Conversation {
    /// An idle conversation without events.
    pub fn new(standing: Standing, workspace: Workspace) -> Self {
        Self {
            id: standing.id.clone(),
            folder: standing.folder.clone(),
            busy: Arc::default(),
            plan: Mutex::default(),
            workspace: Mutex::new(workspace),
            log: Mutex::new(Log {
                stored: Stored::default(),
                standing,
                followers: Followers::default(),
                run: None,
            }),
        }
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        lock(&self.log)
    }

    /// Stores an event and sends it to all sockets; returns its id, generated if it has none.
    pub fn append(&self, mut event: Value) -> String {
        let id = match event["id"].as_str() {
            Some(id) => id.to_owned(),
            None => event_id(),
        };
        let mut log = self.log();
        event["id"] = id.clone().into();
        event["timestamp"] = clock::naive().into();
        if let Some(parent) = log.stored.events.last() {
            event["parent_id"] = parent["id"].clone();
        }
        log.standing.updated_at = clock::utc();
        let seq = log.stored.events.len();
        if let Some(event) = log.stored.push(event) {
            log.followers.tell_stored(seq, &event);
        }
        id
    }

    /// Emits a state update for one key.
    pub fn update(&self, key: &str, value: Value) {
        self.append(state_update(key, value));
    }

    pub fn set_status(&self, status: &str) {
        status.clone_into(&mut self.log().standing.status);
        self.update("execution_status", status.into());
    }

    /// Sends a full snapshot to all sockets, as at the end of every run.
    pub fn tell_all(&self) {
        let event = self.snapshot();
        let frame = json!({"type": "transient", "event": event});
        self.log().followers.tell(Some(&frame), Some(&event));
    }

    /// Sends a frame to the session sockets, or an event to the older ones, without storing it.
    pub fn tell(&self, session: Option<&Value>, events: Option<&Value>) {
        self.log().followers.tell(session, events);
    }

    /// Sends a text frame to all sockets, unchanged.
    pub fn tell_raw(&self, frame: &str) {
        self.log().followers.tell_raw(frame);
    }

    pub fn snapshot(&self) -> Value {
        let mut event = state_update("full_state", snapshot::state(&self.standing()));
        event["id"] = event_id().into();
        event["timestamp"] = clock::naive().into();
        without_nulls(&mut event);
        event
    }

    pub fn standing(&self) -> Standing {
        let calls = lock(&self.plan).calls;
        let log = self.log();
        let leaf = log
            .stored
            .events
            .last()
            .and_then(|event| event["id"].as_str());
        Standing {
            calls,
            leaf_event_id: leaf.map(str::to_owned),
            ..log.standing.clone()
        }
    }

    pub fn status(&self) -> String {
        self.log().standing.status.clone()
    }

    /// Changes title and tags without an event, as the real server does.
    pub fn rename(&self, title: Option<&str>, tags: Option<&Value>) {
        let mut log = self.log();
        if let Some(title) = title {
            log.standing.title = Some(title.to_owned());
        }
        if let Some(tags) = tags {
            log.standing.tags = tags.clone();
        }
        log.standing.updated_at = clock::utc();
    }

    /// Sets the title after the first message, without an event: the real server generates it in the background.
    pub fn title_once(&self, title: &str) {
        let current = &mut self.log().standing.title;
        current.get_or_insert_with(|| title.to_owned());
    }

    /// Changes the approval policy or the security analyzer, and emits the update.
    pub fn set(&self, key: &str, value: Value) {
        match key {
            "confirmation_policy" => self.log().standing.policy = value.clone(),
            _ => self.log().standing.analyzer = value.clone(),
        }
        self.changed(key, value);
    }

    /// Changes the model from now on, and emits the update.
    pub fn set_model(&self, model: &'static str) {
        self.log().standing.model = model;
        self.changed("agent", snapshot::agent(&self.standing()));
    }

    fn changed(&self, key: &str, value: Value) {
        let mut event = state_update(key, value);
        without_nulls(&mut event);
        self.append(event);
    }

    pub fn request_condensation(&self) {
        self.append(json!({"kind": "CondensationRequest", "source": "environment"}));
    }

    /// Replaces some events by a summary, as far as the model is concerned.
    pub fn condense(&self, offset: usize, count: usize, summary: &Value) {
        let events = self.events();
        let forgotten = events.iter().skip(offset).take(count);
        let forgotten: Vec<_> = forgotten.map(|event| &event["id"]).collect();
        self.append(json!({
            "kind": "Condensation", "source": "environment", "llm_response_id": "rehearsal",
            "forgotten_event_ids": forgotten, "summary": summary, "summary_offset": offset,
        }));
    }

    /// Stores the id of the newest user message.
    pub fn on_message(&self, message: &str) {
        self.log().standing.last_user_message_id = Some(message.to_owned());
        self.update("last_user_message_id", message.into());
    }

    pub fn run(&self) -> Option<Run> {
        self.log().run.clone()
    }

    /// Starts a run unless one is active.
    pub fn begin_run(&self) -> Option<Run> {
        let mut log = self.log();
        if log.run.is_some() {
            return None;
        }
        let run = Run::default();
        log.run = Some(run.clone());
        Some(run)
    }

    pub fn end_run(&self) {
        if let Some(run) = self.log().run.take() {
            run.over.cancel();
        }
    }

    pub fn events(&self) -> Vec<Arc<Value>> {
        self.log().stored.events.clone()
    }

    /// Replaces the events, as for a server that lost some of them, or for a fork.
    pub fn rewrite(&self, change: impl FnOnce(&mut Vec<Arc<Value>>)) {
        change(&mut self.log().stored.events);
    }

    /// Makes this conversation a fork of another one, at the event with the id `upto` if it is given.
    pub fn copy_of(&self, other: &Self, upto: Option<&str>) {
        let mut events = other.events();
        if let Some(last) = events.iter().position(|event| event["id"].as_str() == upto) {
            events.truncate(last + 1);
        }
        let mut log = self.log();
        log.stored.events = events;
        log.standing.forked_from = Some(other.id.clone());
        log.standing.forked_at = upto.map(str::to_owned);
    }

    /// Adds a socket: the history after the cursor `after`, or for the older one all if it is set; then live events.
    pub fn join(&self, kind: SocketKind, after: Option<i64>) -> Receiver<Out> {
        let snapshot = self.snapshot();
        let mut log = self.log();
        let log = &mut *log;
        log.followers
            .join(kind, after, &log.stored.events, &snapshot)
    }
}

fn state_update(key: &str, value: Value) -> Value {
    json!({"kind": "ConversationStateUpdateEvent", "source": "environment", "key": key, "value": value})
}

impl Listed for Conversation {
    fn id(&self) -> &str {
        &self.id
    }

    fn sockets(&self) -> usize {
        self.log().followers.len()
    }
}
