//! The REST routes of 1.58 that a dashboard needs, with the bodies and status codes recorded from it.

mod account;
mod conversations;
mod events;
mod files;
mod steering;

use std::{collections::HashMap, sync::Arc};

use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};

use super::super::faults::{Fault, RestFault};
use super::super::stats::Stats;
use super::conversation::Conversation;
use super::sockets;
use super::stage::Stage;

/// The shared state of the handlers.
type Shared = State<Arc<Stage>>;

/// All routes of a server, the sockets' included.
pub fn router(stage: Arc<Stage>) -> Router {
    let options = &stage.world.options;
    let mut rest = Router::new()
        .route("/", get(|| async { Json(json!({"title": TITLE})) }))
        .route("/alive", get(|| async { Json(json!({"status": "ok"})) }))
        .route("/health", get(|| async { Json("OK") }))
        .route("/ready", get(|| async { Json(json!({"status": "ready"})) }))
        .route("/server_info", get(server_info))
        .merge(account::routes())
        .merge(conversations::routes())
        .merge(events::routes())
        .merge(files::routes())
        .merge(steering::routes())
        .fallback(|| async { not_found() })
        .layer(DefaultBodyLimit::max(options.storage_limit))
        .layer(from_fn_with_state(stage.clone(), guard));
    if options.fault_routes {
        rest = rest
            .route("/rehearsal/faults", post(inject))
            .route("/rehearsal/stats", get(stats));
    }
    rest.route("/sockets/session/{id}", get(sockets::session))
        .route("/sockets/events/{id}", get(sockets::events))
        // Any other socket path is refused at the handshake.
        .route(
            "/sockets/{*rest}",
            get(|| async { StatusCode::FORBIDDEN.into_response() }),
        )
        .with_state(stage)
}

const TITLE: &str = "OpenHands Agent Server";

/// Faults, then the key. A bearer token is refused.
async fn guard(State(stage): Shared, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    match stage.world.armed.rest(path) {
        Some(RestFault::TooManyRequests) => {
            return detail(StatusCode::TOO_MANY_REQUESTS, "Too many requests");
        }
        Some(RestFault::ServerError) => return broken(),
        Some(RestFault::Html) => {
            return Html("<!doctype html><title>Sign in</title><p>Please sign in.").into_response();
        }
        Some(RestFault::Hang) => {
            stage.world.ended.cancelled().await;
            return broken();
        }
        None => {}
    }
    let given = request.headers().get("X-Session-API-Key");
    let given = given.map(HeaderValue::as_bytes);
    let wanted = stage.world.options.session_api_key.as_ref();
    let wanted = wanted.map(String::as_bytes);
    if wanted.is_some() && wanted != given && path.starts_with("/api") {
        return detail(StatusCode::UNAUTHORIZED, "Unauthorized");
    }
    next.run(request).await
}

async fn server_info(State(stage): Shared) -> Json<Value> {
    let uptime = stage.world.started.elapsed().as_secs();
    Json(json!({
        "uptime": uptime, "idle_time": 0, "title": TITLE, "version": "1.58.2", "sdk_version": "1.58.2",
        "tools_version": "1.58.2", "workspace_version": "unknown",
        "usable_tools": ["terminal", "file_editor", "task_tracker"], "conversation_runtime": "local",
        "available_conversation_runtimes": [], "capabilities": ["conversation_runtime_routes_v1"],
        "docs": "/docs", "redoc": "/redoc",
    }))
}

/// What was carried out, and who listens. No real server says so.
async fn stats(State(stage): Shared) -> Json<Stats> {
    Json(stage.stats())
}

async fn inject(State(stage): Shared, Json(body): Json<Value>) -> Response {
    match serde_json::from_value::<Fault>(body) {
        Ok(fault) => {
            stage.inject(&fault);
            StatusCode::NO_CONTENT.into_response()
        }
        Err(error) => detail(StatusCode::UNPROCESSABLE_ENTITY, &error.to_string()),
    }
}

/// FastAPI's usual error.
fn detail(status: StatusCode, detail: &str) -> Response {
    (status, Json(json!({"detail": detail}))).into_response()
}

fn not_found() -> Response {
    detail(StatusCode::NOT_FOUND, "Not Found")
}

/// FastAPI's complaint about a body.
fn unprocessable(kind: &str, location: &[&str], message: &str, input: &Value) -> Response {
    let detail = json!([{"type": kind, "loc": location, "msg": message, "input": input}]);
    (
        StatusCode::UNPROCESSABLE_ENTITY,
        Json(json!({"detail": detail})),
    )
        .into_response()
}

/// How many entries of a list are wanted; the error is a number that is not allowed.
fn limit(params: &HashMap<String, String>) -> Result<usize, usize> {
    let limit = params.get("limit").and_then(|limit| limit.parse().ok());
    let limit = limit.unwrap_or(100);
    if (1..=100).contains(&limit) {
        Ok(limit)
    } else {
        Err(limit)
    }
}

fn not_so_many(limit: usize) -> Response {
    let message = "Input should be less than or equal to 100";
    unprocessable(
        "less_than_equal",
        &["query", "limit"],
        message,
        &json!(limit),
    )
}

/// What an exception in the real server looks like.
fn broken() -> Response {
    let body = json!({"detail": "Internal Server Error", "exception": "RuntimeError: on demand"});
    (StatusCode::INTERNAL_SERVER_ERROR, Json(body)).into_response()
}

fn success() -> Response {
    Json(json!({"success": true})).into_response()
}

/// A JSON body if there is one at all; what is no JSON counts as none.
fn parsed(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or_default()
}

/// Answers about a conversation that exists.
fn with(stage: &Stage, id: &str, answer: impl FnOnce(&Arc<Conversation>) -> Response) -> Response {
    stage
        .find(id)
        .map_or_else(not_found, |conversation| answer(&conversation))
}
