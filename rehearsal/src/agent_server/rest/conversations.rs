//! Conversations: create, list, read, rename, delete, fork.

use axum::extract::RawQuery;

use super::{Locked, Named, Shared, page, parsed, success};
use crate::agent_server::{agent, conversation::Conversation, snapshot, stage::Stage};
use crate::http::prelude::*;

pub fn routes() -> Router<Arc<Stage>> {
    routes! {
        "/api/conversations" => get(batch).post(create);
        "/api/conversations/search" => get(search);
        "/api/conversations/count" => get(count);
        "/api/conversations/{id}" => get(one).patch(change).delete(delete);
        "/api/conversations/{id}/fork" => post(fork);
    }
}

fn info(conversation: &Conversation) -> Value {
    snapshot::info(&conversation.standing())
}

/// Idempotent: creating a conversation with a known id returns the existing one.
async fn create(State(stage): Shared, body: Bytes) -> Response {
    let body = parsed(&body);
    if !body.is_object() {
        return missing(&["body"], &Value::Null);
    }
    let id = body["conversation_id"].as_str();
    if let Some(known) = id.and_then(|id| stage.find(id)) {
        return ok(info(&known));
    }
    let conversation = stage.create(&body);
    let first = &body["initial_message"];
    if first["content"].is_array() {
        let runs = first["run"] != false;
        agent::take_message(&stage, &conversation, &first["content"], runs);
    }
    (StatusCode::CREATED, Json(info(&conversation))).into_response()
}

async fn search(State(stage): Shared, Query(params): Params) -> Response {
    let all = stage.conversations.all();
    let mut all: Vec<Value> = all.iter().map(|one| info(one)).collect();
    if let Some(status) = params.get("status") {
        all.retain(|info| info["execution_status"] == **status);
    }
    let order = params.get("sort_order").map(String::as_str);
    let order = order.unwrap_or("CREATED_AT_DESC");
    let field = match order.starts_with("UPDATED") {
        true => "updated_at",
        false => "created_at",
    };
    all.sort_by_key(|info| info[field].as_str().unwrap_or_default().to_owned());
    if order.ends_with("_DESC") {
        all.reverse();
    }
    page(all, &params)
}

async fn count(State(stage): Shared, Query(params): Params) -> Json<usize> {
    let all = stage.conversations.all();
    let wanted = params.get("status");
    let fits = |one: &&Arc<Conversation>| wanted.is_none_or(|status| one.status() == *status);
    Json(all.iter().filter(fits).count())
}

/// `?ids=a&ids=b`: unknown ids give null.
async fn batch(State(stage): Shared, RawQuery(query): RawQuery) -> Response {
    let query = query.unwrap_or_default();
    let pairs = query.split('&');
    let ids = pairs.filter_map(|pair| pair.strip_prefix("ids="));
    let found = ids.map(|id| stage.find(id).map(|one| info(&one)));
    ok(found.collect::<Vec<_>>())
}

async fn one(Named(conversation): Named) -> Json<Value> {
    Json(info(&conversation))
}

/// Changes title and tags: waits for the running step, and emits no event.
async fn change(Named(conversation): Named, body: Bytes) -> Response {
    let body = parsed(&body);
    let title = body["title"].as_str();
    if title.is_some_and(|title| title.is_empty() || title.chars().count() > 200) {
        let message = "String should have between 1 and 200 characters";
        return unprocessable("value_error", &["body", "title"], message, &body["title"]);
    }
    let _held = conversation.busy.lock().await;
    conversation.rename(title, body.get("tags"));
    success()
}

async fn delete(State(stage): Shared, Named(conversation): Named) -> Response {
    stage.delete(&conversation).await;
    success()
}

async fn fork(State(stage): Shared, Locked(conversation, _): Locked, body: Bytes) -> Response {
    let body = parsed(&body);
    let upto = body["from_event_id"].as_str();
    match stage.fork(&conversation, body["title"].as_str(), upto) {
        Some(fork) => (StatusCode::CREATED, Json(info(&fork))).into_response(),
        None => {
            let why =
                json!({"detail": format!("Unknown from_event_id: {}", upto.unwrap_or_default())});
            (StatusCode::NOT_FOUND, Json(why)).into_response()
        }
    }
}
