//! The REST routes of 0.62 that a dashboard needs, with the bodies and status codes recorded from it.

mod account;
mod conversations;
mod events;
mod runtime;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};

use super::faults::{Fault, RestFault};
use super::socket;
use super::world::{World, lock};

/// The shared state of the handlers.
type Shared = State<Arc<World>>;

/// All routes of a server, the socket's included.
pub fn router(world: Arc<World>) -> Router {
    let mut rest = Router::new()
        .route("/alive", get(|| async { Json(json!({"status": "ok"})) }))
        .route("/health", get(|| async { Json("OK") }))
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
        .layer(from_fn_with_state(world.clone(), guard));
    if world.options.fault_routes {
        rest = rest
            .route("/rehearsal/faults", post(inject))
            .route("/rehearsal/stats", get(stats));
    }
    rest.route("/socket.io/", get(socket::upgrade))
        .with_state(world)
}

/// Faults, the rate limit, the key, and `no-store`, in this order.
async fn guard(State(world): Shared, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    match world.armed.rest(path) {
        Some(RestFault::TooManyRequests) => return too_many(),
        Some(RestFault::ServerError) => return broken(),
        Some(RestFault::Html) => {
            return Html("<!doctype html><title>Sign in</title><p>Please sign in.").into_response();
        }
        Some(RestFault::Hang) => {
            world.ended.cancelled().await;
            return broken();
        }
        None => {}
    }
    if world.options.rate_limit {
        let recent = recent(&mut lock(&world.requests));
        match recent {
            21.. => return too_many(),
            11.. => tokio::time::sleep(Duration::from_secs(1)).await,
            _ => {}
        }
    }
    let given = request
        .headers()
        .get("X-Session-API-Key")
        .map(HeaderValue::as_bytes);
    let wanted = world.options.session_api_key.as_ref().map(String::as_bytes);
    if wanted.is_some()
        && wanted != given
        && path.starts_with("/api")
        && request.method() != Method::OPTIONS
    {
        return detail(StatusCode::UNAUTHORIZED, "Unauthorized");
    }
    let mut response = next.run(request).await;
    let never = HeaderValue::from_static("no-cache, no-store, must-revalidate, max-age=0");
    response.headers_mut().insert(CACHE_CONTROL, never);
    response
}

/// How many requests came in the last second, this one included.
fn recent(requests: &mut VecDeque<Instant>) -> usize {
    let now = Instant::now();
    while requests
        .front()
        .is_some_and(|at| now - *at > Duration::from_secs(1))
    {
        requests.pop_front();
    }
    requests.push_back(now);
    requests.len()
}

async fn server_info(State(world): Shared) -> Json<Value> {
    let uptime = world.started.elapsed().as_secs_f64();
    let memory = json!({"rss": 0, "vms": 0, "percent": 0.0});
    let disk = json!({"total": 0, "used": 0, "free": 0, "percent": 0.0});
    let resources = json!({
        "cpu_percent": 0.0, "memory": memory, "disk": disk, "io": {"read_bytes": 0, "write_bytes": 0},
    });
    Json(json!({"uptime": uptime, "idle_time": 0.0, "resources": resources}))
}

/// What was carried out, and who listens. No real server says so.
async fn stats(State(world): Shared) -> Json<super::Stats> {
    Json(world.stats())
}

async fn inject(State(world): Shared, Json(body): Json<Value>) -> Response {
    match serde_json::from_value::<Fault>(body) {
        Ok(fault) => {
            world.inject(&fault);
            StatusCode::NO_CONTENT.into_response()
        }
        Err(error) => detail(StatusCode::UNPROCESSABLE_ENTITY, &error.to_string()),
    }
}

/// FastAPI's usual error.
fn detail(status: StatusCode, detail: &str) -> Response {
    (status, Json(json!({"detail": detail}))).into_response()
}

/// FastAPI's complaint about a body.
fn unprocessable(kind: &str, location: &[&str], message: &str, input: Value) -> Response {
    let detail = json!([{"type": kind, "loc": location, "msg": message, "input": input}]);
    (
        StatusCode::UNPROCESSABLE_ENTITY,
        Json(json!({"detail": detail})),
    )
        .into_response()
}

/// The answer to a POST that lacks its body.
fn no_body() -> Response {
    unprocessable("missing", &["body"], "Field required", Value::Null)
}

/// What an exception in the real server looks like.
fn broken() -> Response {
    let text = [(CONTENT_TYPE, "text/plain; charset=utf-8")];
    (
        StatusCode::INTERNAL_SERVER_ERROR,
        text,
        "Internal Server Error",
    )
        .into_response()
}

fn too_many() -> Response {
    let body = Json(json!({"message": "Too many requests"}));
    (StatusCode::TOO_MANY_REQUESTS, [(RETRY_AFTER, "1")], body).into_response()
}

/// A JSON body if there is one at all; what is no JSON counts as none.
fn parsed(body: &[u8]) -> Option<Value> {
    serde_json::from_slice(body).ok()
}
