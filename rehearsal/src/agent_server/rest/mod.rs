//! The REST routes of 1.58 that a dashboard needs, with the bodies and status codes recorded from a real server.

mod account;
mod conversations;
mod events;
mod files;
mod steering;

use std::borrow::Borrow;
use std::collections::HashMap;

use axum::extract::{DefaultBodyLimit, FromRequestParts, RawPathParams, Request};
use axum::http::request::Parts;
use axum::middleware::{Next, from_fn_with_state};
use tokio::sync::OwnedMutexGuard;

use super::{conversation::Conversation, sockets, stage::Stage};
use crate::embedded;
use crate::http::prelude::*;
use crate::http::{constants, is_authorized, ordered_failure};

pub use account::{merge, merge_agent, too_small};

type Shared = State<Arc<Stage>>;

/// All routes of a server, including the sockets.
pub fn router(stage: Arc<Stage>) -> Router {
    constants(&embedded(include_str!("constants.json")))
        .route("/server_info", get(server_info))
        .merge(account::routes())
        .merge(conversations::routes())
        .merge(events::routes())
        .merge(files::routes())
        .merge(steering::routes())
        .fallback(|| async { not_found() })
        .layer(DefaultBodyLimit::max(stage.world.options.storage_limit))
        .layer(from_fn_with_state(stage.clone(), guard))
        .route("/sockets/session/{id}", get(sockets::open_session))
        .route("/sockets/events/{id}", get(sockets::open))
        // Any other socket path is refused at the handshake.
        .route("/sockets/{*rest}", get(StatusCode::FORBIDDEN))
        .with_state(stage)
}

/// Applies faults, then checks the key. Bearer tokens are refused.
async fn guard(State(stage): Shared, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let too_many = || detail(StatusCode::TOO_MANY_REQUESTS, "Too many requests");
    if let Some(failure) = ordered_failure(&stage.world, path, too_many, broken).await {
        return failure;
    }
    if path.starts_with("/api") && !is_authorized(&stage.world, &request) {
        return detail(StatusCode::UNAUTHORIZED, "Unauthorized");
    }
    next.run(request).await
}

async fn server_info(State(stage): Shared) -> Json<Value> {
    let mut info: Value = embedded(include_str!("server_info.json"));
    info["uptime"] = stage.world.started.elapsed().as_secs().into();
    if stage.is_old() {
        info["version"] = "1.34.0".into();
    }
    Json(info)
}

struct Named(Arc<Conversation>);

impl FromRequestParts<Arc<Stage>> for Named {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, stage: &Arc<Stage>) -> Result<Self, Response> {
        let path = RawPathParams::from_request_parts(parts, stage).await;
        let path = path.map_err(IntoResponse::into_response)?;
        let id = path.iter().find(|(name, _)| *name == "id");
        let found = id.and_then(|(_, id)| stage.find(id));
        found.map(Self).ok_or_else(not_found)
    }
}

/// The conversation in the path, locked: the request waits until no tool runs.
struct Locked(Arc<Conversation>, #[expect(dead_code)] OwnedMutexGuard<()>);

impl FromRequestParts<Arc<Stage>> for Locked {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, stage: &Arc<Stage>) -> Result<Self, Response> {
        let Named(conversation) = Named::from_request_parts(parts, stage).await?;
        let held = conversation.busy.clone().lock_owned().await;
        Ok(Self(conversation, held))
    }
}

fn not_found() -> Response {
    detail(StatusCode::NOT_FOUND, "Not Found")
}

/// One page of a list, named by the id of its first entry. As on the real server, an unknown one is the first page.
fn page<T: Borrow<Value>>(all: Vec<T>, params: &HashMap<String, String>) -> Response {
    let limit = params.get("limit").and_then(|limit| limit.parse().ok());
    let limit = limit.unwrap_or(100);
    if !(1..=100).contains(&limit) {
        let message = "Input should be less than or equal to 100";
        let location = ["query", "limit"];
        return unprocessable("less_than_equal", &location, message, &json!(limit));
    }
    let first = params.get("page_id");
    let from = first.and_then(|id| all.iter().position(|entry| entry.borrow()["id"] == **id));
    let from = from.unwrap_or(0);
    let next = all
        .get(from + limit)
        .map(|entry| entry.borrow()["id"].clone());
    let items: Vec<&Value> = all.iter().skip(from).take(limit).map(T::borrow).collect();
    ok(json!({"items": items, "next_page_id": next}))
}

/// The response to an exception in the real server.
fn broken() -> Response {
    let body = json!({"detail": "Internal Server Error", "exception": "RuntimeError: on demand"});
    (StatusCode::INTERNAL_SERVER_ERROR, Json(body)).into_response()
}

fn success() -> Response {
    ok(json!({"success": true}))
}

/// The JSON body; a missing or invalid one counts as null.
fn parsed(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or_default()
}
