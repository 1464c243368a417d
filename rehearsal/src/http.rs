//! What the REST interfaces of both dialects share: FastAPI's error bodies, the key, and ordered failures.

use std::collections::HashMap;

use axum::extract::multipart::MultipartRejection;
use axum::extract::{Multipart, Query, Request, State};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Serialize;
use serde_json::{Value, json};

use crate::faults::{Fault, RestFault};
use crate::{Faults, stats::Stats, world::World};

/// What every file with routes imports.
pub mod prelude {
    pub use std::sync::Arc;

    pub use axum::body::Bytes;
    pub use axum::extract::{Path, Query, State};
    pub use axum::http::StatusCode;
    pub use axum::response::{IntoResponse, Response};
    pub use axum::routing::{get, post};
    pub use axum::{Json, Router};
    pub use serde_json::{Value, json};

    pub(crate) use super::routes;
    pub use super::{Answer, Form, Params, detail, missing, ok, path_of, unprocessable};
}

/// A router with a handler for each path.
macro_rules! routes {
    ($($path:literal => $handler:expr;)*) => { axum::Router::new()$(.route($path, $handler))* };
}
pub(crate) use routes;

pub type Params = Query<HashMap<String, String>>;

/// The files of an upload.
pub type Form = Result<Multipart, MultipartRejection>;

/// A response, or the error response that ends a handler early.
pub type Answer = Result<Response, Response>;

pub fn ok(body: impl Serialize) -> Response {
    Json(body).into_response()
}

/// FastAPI's usual error.
pub fn detail(status: StatusCode, detail: &str) -> Response {
    (status, Json(json!({"detail": detail}))).into_response()
}

/// FastAPI's validation error.
pub fn unprocessable(kind: &str, location: &[&str], message: &str, input: &Value) -> Response {
    let errors = json!([{"type": kind, "loc": location, "msg": message, "input": input}]);
    let body = Json(json!({"detail": errors}));
    (StatusCode::UNPROCESSABLE_ENTITY, body).into_response()
}

/// FastAPI's error for a missing field.
pub fn missing(location: &[&str], input: &Value) -> Response {
    unprocessable("missing", location, "Field required", input)
}

pub fn path_of(params: &HashMap<String, String>) -> &str {
    params.get("path").map_or("", String::as_str)
}

/// Routes of GET requests with constant bodies: an object with a body for each path.
pub fn constants<S: Clone + Send + Sync + 'static>(bodies: &Value) -> Router<S> {
    let bodies = bodies.as_object().into_iter().flatten();
    bodies.fold(Router::new(), |router, (path, body)| {
        router.route(path, get(Json(body.clone())))
    })
}

/// Whether a request has the server's key, or the server has none.
pub fn is_authorized(world: &World, request: &Request) -> bool {
    let given = request.headers().get("X-Session-API-Key");
    let wanted = world.options.session_api_key.as_ref();
    wanted.is_none_or(|wanted| given.map(HeaderValue::as_bytes) == Some(wanted.as_bytes()))
}

/// The failure that was ordered for a request, in the dialect's own form.
pub async fn ordered_failure(
    world: &World,
    path: &str,
    too_many: fn() -> Response,
    broken: fn() -> Response,
) -> Option<Response> {
    Some(match world.armed.rest(path)? {
        RestFault::TooManyRequests => too_many(),
        RestFault::ServerError => broken(),
        RestFault::Html => {
            Html("<!doctype html><title>Sign in</title><p>Please sign in.").into_response()
        }
        RestFault::Hang => {
            world.ended.cancelled().await;
            broken()
        }
    })
}

/// Fault injection and counters. No real server has these routes.
pub fn fault_routes(faults: Faults) -> Router {
    Router::new()
        .route("/rehearsal/faults", post(inject))
        .route("/rehearsal/stats", get(stats))
        .with_state(faults)
}

async fn inject(State(faults): State<Faults>, Json(body): Json<Value>) -> Response {
    match serde_json::from_value::<Fault>(body) {
        Ok(fault) => {
            faults.inject(&fault);
            StatusCode::NO_CONTENT.into_response()
        }
        Err(error) => detail(StatusCode::UNPROCESSABLE_ENTITY, &error.to_string()),
    }
}

async fn stats(State(faults): State<Faults>) -> Json<Stats> {
    Json(faults.server.stats())
}
