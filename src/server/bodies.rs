//! Request bodies: limits on their size and speed, and the status codes of failed server functions.
//!
//! This middleware reads the bodies before the routes do, so no route can exceed its limit. It runs after `access` and
//! `request_limit`: nothing is read for a caller who lacks the right of the route, and what is read has a budget. A body that
//! is too large is read and discarded before the response, because a client that is still sending does not read one.
//!
//! Long because of its tests: each way in which a body can fail is one.

use super::budget::{Full, Reservation, SMALL};
use super::completion::NOBODY;
use super::{Site, exchange, files};
use crate::api::{ApiError, ApiErrorKind, refusal, status_of, wants_page};
use crate::people::{Caller, Right};
use crate::ui::auth::Said;
use axum::Json;
use axum::body::{Body, HttpBody};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use leptos::server_fn::error::SERVER_FN_ERROR_HEADER;
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::time::{Instant, timeout};

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
/// A body may take this many seconds, plus one for each `BYTES_A_SECOND` that have arrived: an upload over a bad mobile
/// network is faster.
const SECONDS: usize = 30;
const BYTES_A_SECOND: usize = 8 * 1024;

/// What somebody is told whose rights end while their request waits.
pub const ENDED: &str =
    "Nothing was done: your rights have changed while the request arrived. Log in again.";

/// Why a body was not read, or is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    TooMuch,
    TooSlow,
    Full(Full),
    /// The rights of the caller have ended meanwhile.
    Ended,
}

/// Limits the request body, and reads it before the route runs, unless the route streams it.
pub async fn take(State(site): State<Site>, request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("", MatchedPath::as_str).to_owned();
    let caller = request.extensions().get::<Caller>().cloned();
    let most = most(&route, caller.as_ref());
    let (mut parts, body) = request.into_parts();
    let reservation = Arc::new(
        site.load
            .bodies
            .begin(caller.as_ref().map_or(NOBODY, |by| by.person)),
    );
    // It stays held until the request is answered, even if the client disconnects (`completion`).
    parts.extensions.insert(Arc::clone(&reservation));
    let fault = Arc::new(OnceLock::new());
    let declared = parts.headers.get(header::CONTENT_LENGTH);
    let declared = declared.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    let is_streamed =
        [UPLOAD, IMPORT].contains(&&*route) && declared.is_some_and(|length| length <= most);
    let begun = Instant::now();
    let body = limited(body, most, reservation, Arc::clone(&fault));
    let refused = (parts.headers.clone(), caller.clone());
    let response = if is_streamed {
        Some(next.run(Request::from_parts(parts, body)).await)
    } else {
        match axum::body::to_bytes(body, usize::MAX).await {
            Ok(_) if !site.is_still_good(caller.as_ref(), begun.elapsed()).await => {
                let _ = fault.set(Fault::Ended);
                None
            }
            Ok(bytes) => Some(
                next.run(Request::from_parts(parts, Body::from(bytes)))
                    .await,
            ),
            Err(_) => None,
        }
    };
    match (fault.get(), response) {
        (None, Some(response)) => response,
        (fault, _) => {
            let fault = fault.copied().unwrap_or(Fault::TooSlow);
            refuse(&site, refused, fault, most, &route).await
        }
    }
}

/// A body within a size limit, at least as fast as [`BYTES_A_SECOND`], whose bytes are reserved. The first fault is kept, and
/// what exceeds a limit is read and discarded: a client that is still sending reads no response.
fn limited(
    body: Body,
    most: usize,
    reservation: Arc<Reservation>,
    fault: Arc<OnceLock<Fault>>,
) -> Body {
    Body::from_stream(async_stream::stream! {
        let (mut parts, begun, mut received) = (body.into_data_stream(), Instant::now(), 0);
        let mut failed = None;
        loop {
            let seconds = SECONDS + received / BYTES_A_SECOND;
            let due = begun + Duration::from_secs(u64::try_from(seconds).unwrap_or(u64::MAX));
            let left = due.saturating_duration_since(Instant::now()).min(SILENCE);
            let part = tokio::select! {
                part = timeout(left, parts.next()) => part,
                () = reservation.given_up.cancelled(), if failed.is_none() => {
                    failed = Some(Fault::Full(Full::OfAll));
                    continue;
                }
            };
            let part = match part {
                Ok(Some(Ok(part))) => part,
                Ok(None) => break,
                Ok(Some(Err(_))) | Err(_) => {
                    failed.get_or_insert(Fault::TooSlow);
                    break;
                }
            };
            received += part.len();
            if failed.is_none() {
                failed = match reservation.grow(received) {
                    _ if received > most => Some(Fault::TooMuch),
                    Ok(()) => None,
                    Err(full) => Some(Fault::Full(full)),
                };
            }
            match failed {
                None => yield Ok::<_, io::Error>(part),
                Some(_) if received > most + THROWN_AWAY => break,
                Some(_) => {}
            }
        }
        if failed.is_none() && !reservation.arrived() {
            failed = Some(Fault::Full(Full::OfAll));
        }
        if let Some(failed) = failed {
            let _ = fault.set(failed);
            yield Err(io::Error::other("the body is not accepted"));
        }
    })
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

/// Size limit of a route's body for this caller, in bytes. Who may change nothing has nothing large to send.
fn most(route: &str, caller: Option<&Caller>) -> usize {
    let Some(caller) = caller else {
        return UNAUTHENTICATED;
    };
    match route {
        "/login" | "/set-up" | "/link" | "/logout" | "/passkey" | "/invitation" => UNAUTHENTICATED,
        UPLOAD => files::LARGEST_UPLOAD + AROUND_FILES,
        IMPORT => exchange::LARGEST_IMPORT + AROUND_FILES,
        _ if !caller.role.may(Right::Operate) => SMALL,
        _ if is_message(route) => WITH_PICTURES,
        _ => LARGEST,
    }
}

/// Whether this is the server function for messages with images.
fn is_message(route: &str) -> bool {
    route.starts_with("/api/send_message_with")
}

async fn refuse(
    site: &Site,
    (headers, caller): (HeaderMap, Option<Caller>),
    fault: Fault,
    most: usize,
    route: &str,
) -> Response {
    let lacks_right = is_message(route)
        && caller
            .as_ref()
            .is_some_and(|by| !by.role.may(Right::Operate));
    let (status, error) = match fault {
        Fault::TooMuch if lacks_right => (
            StatusCode::FORBIDDEN,
            refusal(caller.as_ref().map(|by| by.role)),
        ),
        _ => {
            let (status, text) = sentence(fault, most);
            (status, ApiError::new(ApiErrorKind::Invalid, text))
        }
    };
    let mut response = if wants_page(&headers) {
        site.page("not-allowed", status, (caller, Said(error.text)))
            .await
    } else {
        (status, Json(error)).into_response()
    };
    let headers = response.headers_mut();
    match fault {
        Fault::TooSlow => {
            drop(headers.insert(header::CONNECTION, HeaderValue::from_static("close")))
        }
        Fault::Full(_) => drop(headers.insert(header::RETRY_AFTER, HeaderValue::from_static("5"))),
        Fault::TooMuch | Fault::Ended => {}
    }
    response
}

fn sentence(fault: Fault, most: usize) -> (StatusCode, String) {
    match fault {
        Fault::TooMuch => (
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("Nothing was done: the request is larger than {} KiB.", most / 1024),
        ),
        Fault::TooSlow => (
            StatusCode::REQUEST_TIMEOUT,
            "Nothing was done: the request was too slow or incomplete. Try again.".to_owned(),
        ),
        Fault::Ended => (StatusCode::UNAUTHORIZED, ENDED.to_owned()),
        Fault::Full(Full::OfOne) => (
            StatusCode::TOO_MANY_REQUESTS,
            "Nothing was done: your other uploads are still in progress. Wait until one is finished, then try again.".to_owned(),
        ),
        Fault::Full(Full::OfAll) => (
            StatusCode::SERVICE_UNAVAILABLE,
            "Nothing was done: too many uploads are in progress on this server. Try again in a few seconds.".to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people::Role;
    use crate::server::budget::Budget;
    use bytes::Bytes;
    use futures_util::{FutureExt, stream};
    use std::convert::Infallible;
    use tokio::time::sleep;

    async fn read(body: Body, most: usize) -> Result<usize, Fault> {
        let fault = Arc::new(OnceLock::new());
        let reservation = Arc::new(Budget::default().begin(1));
        let body = limited(body, most, reservation, Arc::clone(&fault));
        let bytes = axum::body::to_bytes(body, usize::MAX).await;
        bytes
            .map(|bytes| bytes.len())
            .map_err(|_| *fault.get().expect("a fault"))
    }

    #[tokio::test]
    async fn what_is_too_large_is_heard_and_not_kept() {
        for (size, fits) in [(0, true), (1000, true), (1001, false), (1_000_000, false)] {
            let outcome = read(Body::from(vec![b'x'; size]), 1000).await;
            assert_eq!(outcome, if fits { Ok(size) } else { Err(Fault::TooMuch) });
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_comes_too_slowly_is_ended_whatever_its_limit() {
        // No bytes at all, one byte every 15 seconds, and one every 5 seconds.
        for (pause, ended_within) in [(3600, 20), (15, 31), (5, 31)] {
            for most in [1000, files::LARGEST_UPLOAD, exchange::LARGEST_IMPORT] {
                let begun = Instant::now();
                let bytes = stream::repeat(()).then(move |()| async move {
                    sleep(Duration::from_secs(pause)).await;
                    Ok::<_, Infallible>(Bytes::from_static(b"x"))
                });
                assert_eq!(
                    read(Body::from_stream(bytes), most).await,
                    Err(Fault::TooSlow)
                );
                let elapsed = begun.elapsed();
                assert!(elapsed <= Duration::from_secs(ended_within), "{elapsed:?}");
            }
        }
    }

    #[tokio::test]
    async fn an_unfinished_body_is_given_up_for_somebody_who_holds_less() {
        let budget = Budget::default();
        let endless = |person, bytes: usize| {
            let fault = Arc::new(OnceLock::new());
            let part = Ok::<_, Infallible>(Bytes::from(vec![b'x'; bytes]));
            let body = Body::from_stream(stream::iter([part]).chain(stream::pending()));
            let reservation = Arc::new(budget.begin(person));
            let body = limited(body, usize::MAX / 2, reservation, Arc::clone(&fault));
            (body.into_data_stream(), fault)
        };
        let mut slow: Vec<_> = (1..3).map(|person| endless(person, 60 << 20)).collect();
        for (body, _) in &mut slow {
            assert!(body.next().await.is_some_and(|part| part.is_ok()));
        }
        let (mut honest, fault) = endless(3, 50 << 20);
        assert!(honest.next().await.is_some_and(|part| part.is_ok()));
        assert!(
            slow[0].0.next().now_or_never().is_none(),
            "what still comes is discarded"
        );
        assert!(slow[1].0.next().now_or_never().is_none());
        assert!(fault.get().is_none());
        assert_eq!(budget.begin(1).grow(1), Ok(()));
    }

    #[test]
    fn a_viewer_and_a_stranger_can_send_nothing_large() {
        let mut caller = Caller::at_the_machine();
        let routes = [
            "/login",
            "/api/send_message_with1",
            "/api/send_message1",
            "/healthz",
            "/c/{id}",
        ];
        assert!(
            routes
                .iter()
                .all(|route| most(route, None) == UNAUTHENTICATED)
        );
        assert_eq!(
            most("/api/send_message_with1", Some(&caller)),
            WITH_PICTURES
        );
        caller.role = Role::Viewer;
        assert!(
            routes
                .iter()
                .all(|route| most(route, Some(&caller)) <= SMALL)
        );
    }
}
