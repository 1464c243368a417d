//! The stored events of a conversation, and speaking to its agent without a socket.

use std::collections::HashMap;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::json;

use super::super::agent::Input;
use super::super::requests;
use super::super::world::World;
use super::runtime::{not_found, running};
use super::{Shared, broken, detail, no_body, parsed, unprocessable};

pub fn routes() -> Router<Arc<World>> {
    Router::new()
        .route(
            "/api/conversations/{id}/events",
            get(events).post(post_event),
        )
        .route("/api/conversations/{id}/message", post(post_message))
        .route("/api/conversations/{id}/trajectory", get(trajectory))
        .route(
            "/api/conversations/{id}/remember-prompt",
            get(|| async { broken() }),
        )
        .route("/api/conversations/{id}/submit-feedback", post(feedback))
}

type Params = Query<HashMap<String, String>>;

async fn events(State(world): Shared, Path(id): Path<String>, Query(params): Params) -> Response {
    let Some(conversation) = world.find(&id) else {
        return not_found(&id);
    };
    let number = |name: &str, default: i64| match params.get(name) {
        Some(text) => text.parse::<i64>().map_err(|_| name.to_owned()),
        None => Ok(default),
    };
    let (start, end, limit) = match (
        number("start_id", 0),
        number("end_id", i64::MAX),
        number("limit", 20),
    ) {
        (Ok(start), Ok(end), Ok(limit)) => (start, end, limit),
        (Err(name), ..) | (_, Err(name), _) | (.., Err(name)) => {
            let message = "Input should be a valid integer, unable to parse string as an integer";
            return unprocessable(
                "int_parsing",
                &["query", &name],
                message,
                params[&name].as_str().into(),
            );
        }
    };
    let Some(limit) = usize::try_from(limit).ok().filter(|limit| *limit <= 100) else {
        return detail(StatusCode::BAD_REQUEST, "Invalid limit");
    };
    let reverse = params
        .get("reverse")
        .is_some_and(|value| matches!(value.as_str(), "true" | "True" | "1"));
    let (events, has_more) = conversation.events(start, end, reverse, limit);
    Json(json!({"events": events, "has_more": has_more})).into_response()
}

async fn post_event(State(world): Shared, Path(id): Path<String>, body: Bytes) -> Response {
    tell(&world, &id, parsed(&body).and_then(requests::read))
}

async fn post_message(State(world): Shared, Path(id): Path<String>, body: Bytes) -> Response {
    let Some(body) = parsed(&body) else {
        return no_body();
    };
    let Some(content) = body["message"].as_str() else {
        return unprocessable(
            "missing",
            &["body", "message"],
            "Field required",
            body.clone(),
        );
    };
    tell(
        &world,
        &id,
        Some(Input::Message {
            content: content.to_owned(),
            images: json!([]),
            files: json!([]),
        }),
    )
}

fn tell(world: &World, id: &str, input: Option<Input>) -> Response {
    let Some(agent) = running(world, id).and_then(|conversation| conversation.agent()) else {
        return not_found(id);
    };
    match input.map(|input| agent.send(input)) {
        Some(Ok(())) => Json(json!({"success": true})).into_response(),
        Some(Err(_)) => not_found(id),
        None => broken(),
    }
}

/// Everything but the hidden, without the pictures.
async fn trajectory(State(world): Shared, Path(id): Path<String>) -> Response {
    let Some(conversation) = running(&world, &id) else {
        return not_found(&id);
    };
    let (mut events, _) = conversation.events(0, i64::MAX, false, usize::MAX);
    events.retain(|event| event["observation"] != "null");
    for extras in events
        .iter_mut()
        .filter_map(|event| event["extras"].as_object_mut())
    {
        extras.remove("screenshot");
        extras.remove("set_of_marks");
    }
    Json(json!({"trajectory": events})).into_response()
}

async fn feedback() -> Response {
    (
        StatusCode::INTERNAL_SERVER_ERROR,
        Json(json!({"error": "Failed to submit feedback"})),
    )
        .into_response()
}
