//! Bodies of requests: how large they may be, and how slow.
//!
//! They are read here and not by the routes, so that none takes more than it should. One that is too large is read
//! to its end and thrown away: who is still talking does not hear an answer.

use super::{Site, files};
use crate::api::{ApiError, ApiErrorKind, wants_page};
use crate::people::Caller;
use crate::ui::doors::Said;
use axum::Json;
use axum::body::{Body, HttpBody};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, StatusCode, header, request::Parts};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::StreamExt;
use std::time::Duration;
use tokio::time::timeout;
use tower_http::timeout::TimeoutBody;

/// Largest body of a form or a server function.
const LARGEST: usize = 1024 * 1024;
/// Largest message with pictures, which travel in it as text (0.x takes 3 MiB).
const WITH_PICTURES: usize = 5 * 1024 * 1024;
/// Largest form before one is let in. A password has at most 1024 bytes.
const AT_THE_DOOR: usize = 16 * 1024;
/// What an upload may have beside its files: names, and lines between them.
const AROUND_FILES: usize = 64 * 1024;
/// So much more than is taken is listened to, to be heard in turn.
const THROWN_AWAY: usize = 64 * 1024 * 1024;
/// Longest silence within a body.
const SILENCE: Duration = Duration::from_secs(20);
/// Seconds that any body may take, and one more for so many bytes that it may have.
const SECONDS: usize = 30;
const BYTES_A_SECOND: usize = 16 * 1024;

/// What came of reading a body.
#[derive(Debug, PartialEq, Eq)]
enum Heard {
    All(Bytes),
    TooMuch,
    TooSlow,
}

/// Reads the body of a request before it goes on.
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
    if route == UPLOAD && declared.is_some_and(|length| length <= most) {
        // Files go on as they come.
        return next.run(Request::from_parts(parts, body)).await;
    }
    match hear(body, most).await {
        Heard::All(bytes) => {
            let request = Request::from_parts(parts, Body::from(bytes));
            next.run(request).await
        }
        Heard::TooMuch => {
            let text = format!(
                "This is larger than {} KiB, so nothing was done.",
                most / 1024
            );
            refuse(&site, parts, StatusCode::PAYLOAD_TOO_LARGE, text).await
        }
        Heard::TooSlow => {
            let text =
                "This came too slowly or broke off, so nothing was done. Try again.".to_owned();
            let mut response = refuse(&site, parts, StatusCode::REQUEST_TIMEOUT, text).await;
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
            response
        }
    }
}

const UPLOAD: &str = "/c/{id}/upload";

/// How many bytes a route takes.
fn most(route: &str) -> usize {
    match route {
        "/login" | "/set-up" | "/link" | "/logout" => AT_THE_DOOR,
        UPLOAD => files::LARGEST_UPLOAD + AROUND_FILES,
        function if function.starts_with("/api/send_message_with") => WITH_PICTURES,
        _ => LARGEST,
    }
}

/// Hears a body to its end, keeping `most` bytes.
async fn hear(body: Body, most: usize) -> Heard {
    let reading = async {
        let (mut body, mut kept, mut heard) = (body.into_data_stream(), Vec::new(), 0);
        while let Some(part) = body.next().await {
            let Ok(part) = part else {
                return Heard::TooSlow;
            };
            heard += part.len();
            if heard <= most {
                kept.extend_from_slice(&part);
            } else if heard > most + THROWN_AWAY {
                break;
            } else {
                kept = Vec::new();
            }
        }
        if heard <= most {
            Heard::All(kept.into())
        } else {
            Heard::TooMuch
        }
    };
    let seconds = SECONDS + most / BYTES_A_SECOND;
    let whole = Duration::from_secs(u64::try_from(seconds).unwrap_or(u64::MAX));
    timeout(whole, reading).await.unwrap_or(Heard::TooSlow)
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
            let heard = hear(Body::from(vec![b'x'; size]), 1000).await;
            assert_eq!(
                matches!(heard, Heard::All(bytes) if bytes.len() == size),
                fits
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_comes_too_slowly_is_ended() {
        // Silence, and one byte now and then.
        for (pause, ended_within) in [(3600, SILENCE), (15, Duration::from_secs(31))] {
            let began = Instant::now();
            let bytes = stream::repeat(()).then(move |()| async move {
                sleep(Duration::from_secs(pause)).await;
                Ok::<_, Infallible>(Bytes::from_static(b"x"))
            });
            let body = Body::new(TimeoutBody::new(SILENCE, Body::from_stream(bytes)));
            assert_eq!(hear(body, 1000).await, Heard::TooSlow);
            assert!(began.elapsed() <= ended_within, "{:?}", began.elapsed());
        }
    }
}
