//! Request bodies: limits on their size and speed, and the status codes of failed server functions.
//!
//! This middleware reads the bodies before the routes do, so no route can exceed its limit. A body that is too large
//! is read and discarded before the response, because a client that is still sending does not read one.

use super::{Site, exchange, files};
use crate::api::{ApiError, ApiErrorKind, status_of, wants_page};
use crate::people::Caller;
use crate::ui::auth::Said;
use axum::Json;
use axum::body::{Body, HttpBody};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, StatusCode, header, request::Parts};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::StreamExt;
use leptos::server_fn::error::SERVER_FN_ERROR_HEADER;
use std::time::Duration;
use tokio::time::timeout;
use tower_http::timeout::TimeoutBody;

/// Largest body of a form or a server function.
const LARGEST: usize = 1024 * 1024;
/// Largest message with images, which are sent as text (0.x accepts 3 MiB).
const WITH_PICTURES: usize = 5 * 1024 * 1024;
/// Largest form of a caller who is not logged in. A password has at most 1024 bytes.
const UNAUTHENTICATED: usize = 16 * 1024;
/// Overhead of an upload beside its files: names and multipart boundaries.
const AROUND_FILES: usize = 64 * 1024;
/// Bytes over the limit that are read and discarded before the response.
const THROWN_AWAY: usize = 64 * 1024 * 1024;
/// Longest pause within a body.
const SILENCE: Duration = Duration::from_secs(20);
/// A body may take this many seconds, plus one for each `BYTES_A_SECOND` of its size limit.
const SECONDS: usize = 30;
const BYTES_A_SECOND: usize = 16 * 1024;

/// The outcome of reading a body.
#[derive(Debug, PartialEq, Eq)]
enum ReadOutcome {
    All(Bytes),
    TooMuch,
    TooSlow,
}

/// Reads the request body before the route runs.
pub async fn take(State(site): State<Site>, request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("", MatchedPath::as_str).to_owned();
    let most = most(&route);
    let (parts, body) = request.into_parts();
    let body = Body::new(TimeoutBody::new(SILENCE, body));
    let declared = parts.headers.get(header::CONTENT_LENGTH);
    let declared = declared.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if [UPLOAD, IMPORT].contains(&&*route) && declared.is_some_and(|length| length <= most) {
        // Uploads are streamed.
        return next.run(Request::from_parts(parts, body)).await;
    }
    match read_body(body, most).await {
        ReadOutcome::All(bytes) => {
            let request = Request::from_parts(parts, Body::from(bytes));
            next.run(request).await
        }
        ReadOutcome::TooMuch => {
            let text = format!(
                "Nothing was done: the request is larger than {} KiB.",
                most / 1024
            );
            refuse(&site, parts, StatusCode::PAYLOAD_TOO_LARGE, text).await
        }
        ReadOutcome::TooSlow => {
            let text =
                "Nothing was done: the request was too slow or incomplete. Try again.".to_owned();
            let mut response = refuse(&site, parts, StatusCode::REQUEST_TIMEOUT, text).await;
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
            response
        }
    }
}

const UPLOAD: &str = "/c/{id}/upload";
const IMPORT: &str = "/import";

/// Sets the status that fits the error of a server function; the library always answers 500.
pub async fn status_of_functions(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let failed = response.status() == StatusCode::INTERNAL_SERVER_ERROR
        && response.headers().contains_key(SERVER_FN_ERROR_HEADER);
    if !failed {
        return response;
    }
    let body = std::mem::take(response.body_mut());
    let said = axum::body::to_bytes(body, LARGEST)
        .await
        .unwrap_or_default();
    if let Ok(error) = serde_json::from_slice::<ApiError>(&said) {
        *response.status_mut() = status_of(error.kind);
    }
    *response.body_mut() = said.into();
    response
}

/// Shows the error of a file route as a page, if a browser has opened its address or submitted a plain form to it.
pub async fn page_of_refusal(State(site): State<Site>, request: Request, next: Next) -> Response {
    let caller = request.extensions().get::<Caller>().cloned();
    let is_page = wants_page(request.headers());
    let mut response = next.run(request).await;
    match response.extensions_mut().remove::<ApiError>() {
        Some(error) if is_page => {
            let said = Said(error.text);
            site.page("not-allowed", response.status(), (caller, said))
                .await
        }
        _ => response,
    }
}

/// Size limit of a route's body, in bytes.
fn most(route: &str) -> usize {
    match route {
        "/login" | "/set-up" | "/link" | "/logout" => UNAUTHENTICATED,
        UPLOAD => files::LARGEST_UPLOAD + AROUND_FILES,
        IMPORT => exchange::LARGEST_IMPORT + AROUND_FILES,
        function if function.starts_with("/api/send_message_with") => WITH_PICTURES,
        _ => LARGEST,
    }
}

/// Reads a body to its end and returns it if it has at most `most` bytes.
async fn read_body(body: Body, most: usize) -> ReadOutcome {
    let reading = async {
        let (mut body, mut kept, mut received) = (body.into_data_stream(), Vec::new(), 0);
        while let Some(part) = body.next().await {
            let Ok(part) = part else {
                return ReadOutcome::TooSlow;
            };
            received += part.len();
            if received <= most {
                kept.extend_from_slice(&part);
            } else if received > most + THROWN_AWAY {
                break;
            } else {
                kept = Vec::new();
            }
        }
        if received <= most {
            ReadOutcome::All(kept.into())
        } else {
            ReadOutcome::TooMuch
        }
    };
    let seconds = SECONDS + most / BYTES_A_SECOND;
    let whole = Duration::from_secs(u64::try_from(seconds).unwrap_or(u64::MAX));
    timeout(whole, reading)
        .await
        .unwrap_or(ReadOutcome::TooSlow)
}

async fn refuse(site: &Site, parts: Parts, status: StatusCode, text: String) -> Response {
    if wants_page(&parts.headers) {
        let caller = parts.extensions.get::<Caller>().cloned();
        return site.page("not-allowed", status, (caller, Said(text))).await;
    }
    let error = ApiError::new(ApiErrorKind::Invalid, text);
    (status, Json(error)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::stream;
    use std::convert::Infallible;
    use tokio::time::{Instant, sleep};

    #[tokio::test]
    async fn what_is_too_large_is_heard_and_not_kept() {
        for (size, fits) in [(0, true), (1000, true), (1001, false), (1_000_000, false)] {
            let outcome = read_body(Body::from(vec![b'x'; size]), 1000).await;
            assert_eq!(
                matches!(outcome, ReadOutcome::All(bytes) if bytes.len() == size),
                fits
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_comes_too_slowly_is_ended() {
        // No bytes at all, and one byte every 15 seconds.
        for (pause, ended_within) in [(3600, SILENCE), (15, Duration::from_secs(31))] {
            let began = Instant::now();
            let bytes = stream::repeat(()).then(move |()| async move {
                sleep(Duration::from_secs(pause)).await;
                Ok::<_, Infallible>(Bytes::from_static(b"x"))
            });
            let body = Body::new(TimeoutBody::new(SILENCE, Body::from_stream(bytes)));
            assert_eq!(read_body(body, 1000).await, ReadOutcome::TooSlow);
            assert!(began.elapsed() <= ended_within, "{:?}", began.elapsed());
        }
    }
}
