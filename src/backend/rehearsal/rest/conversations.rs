//! Conversations: list, create, start, stop, rename, delete, and their stored events.

use std::collections::HashMap;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::super::conversation::{Conversation, Status};
use super::super::world::{World, lock};
use super::{Shared, broken, no_body, parsed, unprocessable};

pub fn routes() -> Router<Arc<World>> {
    Router::new()
        .route("/api/conversations", get(list).post(create))
        .route(
            "/api/conversations/{id}",
            get(one).patch(rename).delete(delete),
        )
        .route("/api/conversations/{id}/start", post(start))
        .route("/api/conversations/{id}/stop", post(stop))
        .route(
            "/api/conversations/{id}/exp-config",
            post(|| async { Json(false) }),
        )
}

type Params = Query<HashMap<String, String>>;

async fn list(State(world): Shared, Query(params): Params) -> Response {
    const TRIGGERS: [&str; 10] = [
        "resolver",
        "gui",
        "suggested_task",
        "openhands_api",
        "slack",
        "microagent_management",
        "jira",
        "jira_dc",
        "linear",
        "bitbucket",
    ];
    let trigger = params.get("conversation_trigger").map(String::as_str);
    if let Some(unknown) = trigger.filter(|trigger| !TRIGGERS.contains(trigger)) {
        let message = format!(
            "Input should be {}",
            TRIGGERS.map(|name| format!("'{name}'")).join(", ")
        );
        return unprocessable(
            "enum",
            &["query", "conversation_trigger"],
            &message,
            unknown.into(),
        );
    }
    let shown = trigger.is_none_or(|trigger| trigger == "gui")
        && !params.contains_key("selected_repository");
    let limit = params
        .get("limit")
        .and_then(|limit| limit.parse().ok())
        .unwrap_or(20);
    let offset = params
        .get("page_id")
        .and_then(|page| offset(page))
        .unwrap_or(0);
    let all = if shown {
        world.conversations()
    } else {
        Vec::new()
    };
    let results: Vec<_> = all
        .iter()
        .skip(offset)
        .take(limit)
        .map(|one| one.summary(false))
        .collect();
    let after = offset + results.len();
    let next = (after < all.len())
        .then(|| STANDARD.encode(json!({"v0_page_id": after.to_string()}).to_string()));
    Json(json!({"results": results, "next_page_id": next})).into_response()
}

/// Page ids are opaque: base64 around JSON.
fn offset(page: &str) -> Option<usize> {
    let page: Value = serde_json::from_slice(&STANDARD.decode(page).ok()?).ok()?;
    page["v0_page_id"].as_str()?.parse().ok()
}

async fn create(State(world): Shared, body: Bytes) -> Response {
    const FIELDS: [&str; 10] = [
        "initial_user_msg",
        "image_urls",
        "repository",
        "git_provider",
        "selected_branch",
        "suggested_task",
        "create_microagent",
        "conversation_instructions",
        "mcp_config",
        "replay_json",
    ];
    let Some(Value::Object(body)) = parsed(&body) else {
        return no_body();
    };
    if let Some((field, input)) = body
        .iter()
        .find(|(field, _)| !FIELDS.contains(&field.as_str()))
    {
        return unprocessable(
            "extra_forbidden",
            &["body", field],
            "Extra inputs are not permitted",
            input.clone(),
        );
    }
    if let Some(repository) = body.get("repository").and_then(Value::as_str) {
        return (
            StatusCode::UNAUTHORIZED,
            Json(format!("Unable to access repo {repository}")),
        )
            .into_response();
    }
    if lock(&world.settings).stored().is_none() {
        let body = json!({"status": "error", "message": "Settings not found", "msg_id": "CONFIGURATION$SETTINGS_NOT_FOUND"});
        return (StatusCode::BAD_REQUEST, Json(body)).into_response();
    }
    let images = body
        .get("image_urls")
        .filter(|urls| urls.is_array())
        .cloned()
        .unwrap_or_else(|| json!([]));
    let initial = body
        .get("initial_user_msg")
        .and_then(Value::as_str)
        .map(|text| (text.to_owned(), images));
    let conversation = world.find_or_create(&world.new_id());
    world.start(&conversation, initial).await;
    ok(&conversation, Value::Null, conversation.status())
}

fn ok(conversation: &Conversation, message: Value, status: Status) -> Response {
    let status = status.name();
    let id = &conversation.id;
    Json(json!({"status": "ok", "conversation_id": id, "message": message, "conversation_status": status}))
        .into_response()
}

async fn one(State(world): Shared, Path(id): Path<String>) -> Json<Value> {
    Json(
        world
            .find(&id)
            .map_or(Value::Null, |conversation| conversation.summary(true)),
    )
}

async fn rename(State(world): Shared, Path(id): Path<String>, body: Bytes) -> Response {
    let Some(body) = parsed(&body) else {
        return no_body();
    };
    let Some(title) = body["title"].as_str() else {
        return unprocessable(
            "missing",
            &["body", "title"],
            "Field required",
            body.clone(),
        );
    };
    let length = title.chars().count();
    if length == 0 {
        let message = "String should have at least 1 character";
        return unprocessable(
            "string_too_short",
            &["body", "title"],
            message,
            title.into(),
        );
    }
    if length > 200 {
        let message = "String should have at most 200 characters";
        return unprocessable("string_too_long", &["body", "title"], message, title.into());
    }
    let Some(conversation) = world.find(&id) else {
        let body = json!({"status": "error", "message": "Conversation not found", "msg_id": "CONVERSATION$NOT_FOUND"});
        return (StatusCode::NOT_FOUND, Json(body)).into_response();
    };
    conversation.set_title(title);
    Json(true).into_response()
}

/// Of a running conversation the first attempt fails, as with the real local runtime.
async fn delete(State(world): Shared, Path(id): Path<String>) -> Response {
    let Some(conversation) = world.find(&id) else {
        return Json(false).into_response();
    };
    if conversation.status() != Status::Stopped {
        world.stop(&conversation).await;
        return broken();
    }
    world.delete(&id);
    Json(true).into_response()
}

async fn start(State(world): Shared, Path(id): Path<String>, body: Bytes) -> Response {
    if parsed(&body).is_none() {
        return no_body();
    }
    let Some(conversation) = world.find(&id) else {
        let body = json!({"status": "error", "conversation_id": id});
        return (StatusCode::NOT_FOUND, Json(body)).into_response();
    };
    world.start(&conversation, None).await;
    ok(&conversation, Value::Null, conversation.status())
}

async fn stop(State(world): Shared, Path(id): Path<String>) -> Response {
    let before = world
        .find(&id)
        .map(|conversation| (conversation.status(), conversation));
    let Some((before @ (Status::Starting | Status::Running), conversation)) = before else {
        let message = "Conversation was not running";
        let body = json!({"status": "ok", "conversation_id": id, "message": message, "conversation_status": "STOPPED"});
        return Json(body).into_response();
    };
    world.stop(&conversation).await;
    ok(
        &conversation,
        "Conversation stopped successfully".into(),
        before,
    )
}
