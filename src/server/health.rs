//! Liveness and readiness checks.

use super::Site;
use super::proxies::is_direct;
use crate::people::{Caller, Credential, Right};
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde_json::{Value, json};
use std::net::SocketAddr;

/// Liveness: the process responds. It has no dependencies.
pub async fn alive() -> &'static str {
    "ok"
}

/// Readiness: whether the journal can be read, and the state of each backend. Answers 503 while the server stops or
/// if the journal fails. While the disk is full it is ready for reading. An unreachable backend does not make the server unready, since the history stays readable.
///
/// Names, addresses and errors are for owners, access tokens and this machine; everybody else gets states.
pub async fn ready(
    State(site): State<Site>,
    peer: Option<Extension<ConnectInfo<SocketAddr>>>,
    by: Option<Extension<Caller>>,
    headers: HeaderMap,
) -> Response {
    let report = site.hub.ready().await;
    let stopping = site.stopping.is_cancelled();
    let status = if report.journal.is_ok() && !stopping {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    let is_here = peer.is_some_and(|Extension(ConnectInfo(peer))| {
        peer.ip().to_canonical().is_loopback() && is_direct(&headers)
    });
    let is_known = by.is_some_and(|Extension(by)| match by.credential {
        Credential::Login(_) => by.may(Right::Own),
        Credential::Token(_) => true,
        Credential::Machine | Credential::ApiToken(..) | Credential::Link(_) => false,
    });
    let is_told_all = is_here || is_known;
    let in_words = |state: &str| match state {
        state if is_told_all || state == "ok" => state.to_owned(),
        _ => "failed".to_owned(),
    };
    let backend = |(label, state): &(String, String)| -> Value {
        match is_told_all {
            true => json!({ "label": label, "state": state }),
            false => json!({ "state": in_words(state) }),
        }
    };
    let backends: Vec<_> = report.backends.iter().map(backend).collect();
    let journal = report.journal.err().unwrap_or_else(|| "ok".to_owned());
    let body = json!({
        "ready": status == StatusCode::OK,
        "stopping": stopping,
        "journal": in_words(&journal),
        "writable": report.writable,
        "backends": backends,
    });
    (status, Json(body)).into_response()
}
