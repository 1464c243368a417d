//! Conversations: make, list, look, rename, remove, copy.

use std::collections::HashMap;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, Query, RawQuery, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};

use super::super::agent;
use super::super::conversation::Conversation;
use super::super::snapshot;
use super::super::stage::Stage;
use super::{Shared, limit, not_found, not_so_many, parsed, success, unprocessable, with};

pub fn routes() -> Router<Arc<Stage>> {
    Router::new()
        .route("/api/conversations", get(batch).post(create))
        .route("/api/conversations/search", get(search))
        .route("/api/conversations/count", get(count))
        .route(
            "/api/conversations/{id}",
            get(one).patch(change).delete(delete),
        )
        .route("/api/conversations/{id}/fork", post(fork))
        .route("/api/conversations/{id}/runtime", get(runtime))
}

type Params = Query<HashMap<String, String>>;

fn info(conversation: &Conversation) -> Value {
    snapshot::info(&conversation.standing())
}

/// A known id is answered with what is there: making twice makes one.
async fn create(State(stage): Shared, body: Bytes) -> Response {
    let body = parsed(&body);
    if !body.is_object() {
        return unprocessable("missing", &["body"], "Field required", &Value::Null);
    }
    let known = body["conversation_id"]
        .as_str()
        .and_then(|id| stage.find(id));
    if let Some(known) = known {
        return Json(info(&known)).into_response();
    }
    let conversation = stage.create(&body);
    let first = &body["initial_message"];
    if first["content"].is_array() {
        let runs = first["run"] != false;
        agent::hear(&stage, &conversation, &first["content"], runs);
    }
    (StatusCode::CREATED, Json(info(&conversation))).into_response()
}

async fn search(State(stage): Shared, Query(params): Params) -> Response {
    let limit = match limit(&params) {
        Ok(limit) => limit,
        Err(limit) => return not_so_many(limit),
    };
    let mut all: Vec<Value> = stage.conversations().iter().map(|one| info(one)).collect();
    if let Some(status) = params.get("status") {
        all.retain(|info| info["execution_status"] == **status);
    }
    let order = params
        .get("sort_order")
        .map_or("CREATED_AT_DESC", String::as_str);
    let field = if order.starts_with("UPDATED") {
        "updated_at"
    } else {
        "created_at"
    };
    all.sort_by_key(|info| info[field].as_str().unwrap_or_default().to_owned());
    if order.ends_with("_DESC") {
        all.reverse();
    }
    // The id of the first of the next page; one that is not known begins anew.
    let page = params.get("page_id");
    let from = page.and_then(|page| all.iter().position(|info| info["id"] == **page));
    let from = from.unwrap_or(0);
    let next = all.get(from + limit).map(|info| info["id"].clone());
    let items: Vec<Value> = all.into_iter().skip(from).take(limit).collect();
    Json(json!({"items": items, "next_page_id": next})).into_response()
}

async fn count(State(stage): Shared, Query(params): Params) -> Json<usize> {
    let all = stage.conversations();
    let wanted = params.get("status");
    let fits = |one: &&Arc<Conversation>| wanted.is_none_or(|status| one.status() == *status);
    Json(all.iter().filter(fits).count())
}

/// `?ids=a&ids=b`: what is not known is null.
async fn batch(State(stage): Shared, RawQuery(query): RawQuery) -> Json<Vec<Value>> {
    let query = query.unwrap_or_default();
    let ids = query
        .split('&')
        .filter_map(|pair| pair.strip_prefix("ids="));
    Json(
        ids.map(|id| stage.find(id).map_or(Value::Null, |one| info(&one)))
            .collect(),
    )
}

async fn one(State(stage): Shared, Path(id): Path<String>) -> Response {
    with(&stage, &id, |conversation| {
        Json(info(conversation)).into_response()
    })
}

/// Another title, other labels: waits for the running step, and nobody is told.
async fn change(State(stage): Shared, Path(id): Path<String>, body: Bytes) -> Response {
    let Some(conversation) = stage.find(&id) else {
        return not_found();
    };
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

async fn delete(State(stage): Shared, Path(id): Path<String>) -> Response {
    let Some(conversation) = stage.find(&id) else {
        return not_found();
    };
    stage.delete(&conversation).await;
    success()
}

async fn fork(State(stage): Shared, Path(id): Path<String>, body: Bytes) -> Response {
    let Some(conversation) = stage.find(&id) else {
        return not_found();
    };
    let _held = conversation.busy.lock().await;
    let fork = stage.fork(&conversation, parsed(&body)["title"].as_str());
    (StatusCode::CREATED, Json(info(&fork))).into_response()
}

async fn runtime(State(stage): Shared, Path(id): Path<String>) -> Response {
    with(&stage, &id, |_| {
        Json(json!({"runtime_status": "available", "can_resume": true, "runtime_error": null}))
            .into_response()
    })
}
