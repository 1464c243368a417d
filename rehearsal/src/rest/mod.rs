//! The REST routes of 0.62 that a dashboard needs, with the bodies and status codes recorded from a real server.

mod account;
mod conversations;
mod events;
mod runtime;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use axum::extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Request};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method};
use axum::middleware::{Next, from_fn_with_state};

use crate::conversation::{Conversation, Status};
use crate::http::prelude::*;
use crate::http::{constants, is_authorized, ordered_failure};
use crate::sync::lock;
use crate::world::World;
use crate::{embedded, socket};

type Shared = State<Arc<World>>;

/// All routes of a server, including the socket.
pub fn router(world: Arc<World>) -> Router {
    constants(&embedded(include_str!("constants.json")))
        .route("/server_info", get(server_info))
        .merge(account::routes())
        .merge(conversations::routes())
        .merge(events::routes())
        .merge(runtime::routes())
        .fallback(|| async { detail(StatusCode::NOT_FOUND, "Not Found") })
        .method_not_allowed_fallback(|| async {
            detail(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed")
        })
        .layer(DefaultBodyLimit::max(world.options.storage_limit))
        .layer(from_fn_with_state(world.clone(), guard))
        .route("/socket.io/", get(socket::upgrade))
        .with_state(world)
}

/// Faults, the rate limit, the key, and `no-store`, in this order.
async fn guard(State(world): Shared, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    if let Some(failure) = ordered_failure(&world, path, too_many, broken).await {
        return failure;
    }
    if let Some(refused) = throttled(&world).await {
        return refused;
    }
    let is_public = !path.starts_with("/api") || request.method() == Method::OPTIONS;
    if !is_public && !is_authorized(&world, &request) {
        return detail(StatusCode::UNAUTHORIZED, "Unauthorized");
    }
    let mut response = next.run(request).await;
    let never = HeaderValue::from_static("no-cache, no-store, must-revalidate, max-age=0");
    response.headers_mut().insert(CACHE_CONTROL, never);
    response
}

/// Delays more than 10 requests in a second, and refuses more than 20.
pub async fn throttled(world: &World) -> Option<Response> {
    if world.options.rate_limit {
        let recent = recent(&mut lock(&world.requests));
        match recent {
            21.. => return Some(too_many()),
            11.. => tokio::time::sleep(Duration::from_secs(1)).await,
            _ => {}
        }
    }
    None
}

/// The number of requests in the last second, including this one.
fn recent(requests: &mut VecDeque<Instant>) -> usize {
    let now = Instant::now();
    requests.retain(|at| now - *at <= Duration::from_secs(1));
    requests.push_back(now);
    requests.len()
}

async fn server_info(State(world): Shared) -> Json<Value> {
    let mut info: Value = embedded(include_str!("server_info.json"));
    info["uptime"] = world.started.elapsed().as_secs_f64().into();
    Json(info)
}

/// The JSON body of a request that must have one.
struct Body(Value);

impl<S: Send + Sync> FromRequest<S> for Body {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let bytes = Bytes::from_request(request, state).await;
        let bytes = bytes.map_err(IntoResponse::into_response)?;
        parsed(&bytes).map(Self).ok_or_else(no_body)
    }
}

/// The conversation in the path, if its sandbox is running or starting.
struct Running(Arc<Conversation>);

impl FromRequestParts<Arc<World>> for Running {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, world: &Arc<World>) -> Result<Self, Response> {
        let path = Path::<String>::from_request_parts(parts, world).await;
        let Path(id) = path.map_err(IntoResponse::into_response)?;
        let found = world.find(&id);
        let running = found.filter(|conversation| conversation.status() != Status::Stopped);
        running.map(Self).ok_or_else(|| not_found(&id))
    }
}

/// The response of most routes for stopped and unknown conversations.
fn not_found(id: &str) -> Response {
    let message = format!("Conversation {id} not found");
    detail(StatusCode::NOT_FOUND, &message)
}

/// The response to a POST without a body.
fn no_body() -> Response {
    missing(&["body"], &Value::Null)
}

/// An error of OpenHands' own.
fn error(status: StatusCode, error: &str) -> Response {
    (status, Json(json!({"error": error}))).into_response()
}

/// The response to an exception in the real server.
pub fn broken() -> Response {
    let text = [(CONTENT_TYPE, "text/plain; charset=utf-8")];
    let status = StatusCode::INTERNAL_SERVER_ERROR;
    (status, text, "Internal Server Error").into_response()
}

pub fn too_many() -> Response {
    let body = Json(json!({"message": "Too many requests"}));
    (StatusCode::TOO_MANY_REQUESTS, [(RETRY_AFTER, "1")], body).into_response()
}

/// The JSON body; a missing or invalid one counts as none.
fn parsed(body: &[u8]) -> Option<Value> {
    serde_json::from_slice(body).ok()
}
