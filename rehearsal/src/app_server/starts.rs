//! Starts of conversations: tasks that go from state to state each time they are looked at.

use axum::extract::RawQuery;
use uuid::Uuid;

use super::{Office, Shared, page, plain};
use crate::agent_server::{HOME, take_message};
use crate::clock;
use crate::http::prelude::*;
use crate::sync::lock;

/// The states of a start, in order.
const STATES: [&str; 3] = ["WORKING", "WAITING_FOR_SANDBOX", "STARTING_CONVERSATION"];
/// A start with this text in its message fails.
const FAILS: &str = "[[start:fails]]";

/// A start task.
pub struct Start {
    id: String,
    conversation: String,
    /// Number of states that it has passed.
    passed: usize,
    /// The reason if it fails, or null.
    failure: Option<Value>,
    request: Value,
    created_at: String,
}

impl Start {
    pub fn is_ready(&self) -> bool {
        self.is_over() && self.failure.is_none()
    }

    fn is_over(&self) -> bool {
        self.passed >= STATES.len()
    }

    fn told(&self, office: &Office) -> Value {
        let status = match STATES.get(self.passed) {
            Some(state) => state,
            None if self.failure.is_some() => "ERROR",
            None => "READY",
        };
        let address = format!("http://localhost:{}", office.agents.port());
        json!({
            "id": self.id, "created_by_user_id": null, "status": status,
            "detail": self.failure.as_ref().filter(|_| self.is_over()),
            "app_conversation_id": self.is_ready().then_some(&self.conversation),
            "sandbox_id": (self.passed > 0).then_some(&self.conversation),
            "agent_server_url": self.is_ready().then_some(address),
            "request": self.request, "created_at": self.created_at, "updated_at": clock::utc(),
        })
    }
}

pub fn routes() -> Router<Arc<Office>> {
    routes! {
        "/api/v1/app-conversations/start-tasks" => get(batch);
        "/api/v1/app-conversations/start-tasks/search" => get(search);
        "/api/v1/app-conversations/start-tasks/count" => get(count);
    }
}

/// The reason for which a start will fail, or null: 1.11 gives none if a repository is wanted and no Git provider is set
/// up.
fn failure(request: &Value, conversation: &str) -> Option<Value> {
    let repository = request["selected_repository"].as_str();
    if request["initial_message"].to_string().contains(FAILS) {
        Some(format!("500: Sandbox failed to start within 120s: {conversation}").into())
    } else {
        repository
            .filter(|name| !name.is_empty())
            .map(|_| Value::Null)
    }
}

/// Begins a start; the conversation is listed when the task is ready.
pub async fn start(State(office): Shared, body: Bytes) -> Response {
    let request: Value = serde_json::from_slice(&body).unwrap_or_default();
    if !request.is_object() {
        return missing(&["body"], &Value::Null);
    }
    let id = match request["conversation_id"].as_str() {
        Some(id) => plain(id),
        None => Uuid::new_v4().simple().to_string(),
    };
    let first = &request["initial_message"];
    let start = Start {
        id: Uuid::new_v4().simple().to_string(),
        conversation: id.clone(),
        passed: 0,
        failure: failure(&request, &id),
        request: request.clone(),
        created_at: clock::utc(),
    };
    let told = start.told(&office);
    if start.failure.is_none() {
        let hyphenated = Uuid::try_parse(&id).map_or(id, |id| id.hyphenated().to_string());
        let folder = format!("{HOME}/conversations/{hyphenated}");
        let conversation = office.stage.create(&json!({
            "conversation_id": hyphenated, "workspace": {"working_dir": folder},
        }));
        if first["content"].is_array() {
            take_message(&office.stage, &conversation, &first["content"], true);
        }
    }
    lock(&office.starts).push(start);
    ok(told)
}

/// `?ids=a&ids=b`: unknown ids give null. Each look moves a task on.
async fn batch(State(office): Shared, RawQuery(query): RawQuery) -> Response {
    let query = query.unwrap_or_default();
    let ids = query
        .split('&')
        .filter_map(|pair| pair.strip_prefix("ids="));
    let mut starts = lock(&office.starts);
    let found = ids.map(|id| {
        let start = starts.iter_mut().find(|start| start.id == plain(id))?;
        start.passed += 1;
        Some(start.told(&office))
    });
    ok(found.collect::<Vec<_>>())
}

async fn search(State(office): Shared, Query(params): Params) -> Response {
    let wanted = params.get("conversation_id__eq").map(|id| plain(id));
    let starts = lock(&office.starts);
    // Before it is ready a start does not have the conversation's id.
    let is_of = |start: &Start, id: &String| start.is_ready() && *id == start.conversation;
    let fits = |start: &&Start| wanted.as_ref().is_none_or(|id| is_of(start, id));
    let found = starts.iter().rev().filter(fits);
    page(found.map(|start| start.told(&office)).collect(), &params)
}

async fn count(State(office): Shared) -> Response {
    ok(lock(&office.starts).len())
}

impl Office {
    /// Whether the start of a conversation is still under way.
    pub fn is_starting(&self, conversation: &str) -> bool {
        let starts = lock(&self.starts);
        let mut own = starts
            .iter()
            .filter(|start| start.conversation == plain(conversation));
        own.any(|start| !start.is_over())
    }
}
