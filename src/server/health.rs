//! Is it alive, is it ready: for supervisors and people.

use super::Site;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// The process answers. Depends on nothing.
pub async fn alive() -> &'static str {
    "ok"
}

/// The journal can be written; each backend is named with how it is. 503 when we stop or the journal
/// does not work; a backend that is away does not make us unready, since the history can be read.
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
