//! Liveness and readiness checks.

use super::Site;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// Liveness: the process responds. It has no dependencies.
pub async fn alive() -> &'static str {
    "ok"
}

/// Readiness: whether the journal is writable, and the state of each backend. Answers 503 while the server stops or
/// if the journal fails. An unreachable backend does not make the server unready, since the history stays readable.
pub async fn ready(State(site): State<Site>) -> Response {
    let report = site.hub.ready().await;
    let stopping = site.stopping.is_cancelled();
    let status = if report.journal.is_ok() && !stopping {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    let backend = |(label, state): &(String, String)| json!({ "label": label, "state": state });
    let backends: Vec<_> = report.backends.iter().map(backend).collect();
    let body = json!({
        "ready": status == StatusCode::OK,
        "stopping": stopping,
        "journal": report.journal.err().unwrap_or_else(|| "ok".to_owned()),
        "backends": backends,
    });
    (status, Json(body)).into_response()
}
