//! Requests with an `Idempotency-Key`: a repetition within a day gets the first answer, and has no effect.
//!
//! What was refused is tried again under the same key. A request whose effect is not known, because the server ended meanwhile
//! or something failed in the middle, is never made again under its key.

use super::problem::{Code, Failure};
use crate::clock::now;
use crate::journal::{LONGEST_ANSWER, Repeated, digest};
use crate::people::Caller;
use crate::server::Site;
use crate::server::api_limits::client;
use crate::server::bodies::ENDED;
use crate::server::needs::API_PREFIX;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::time::Instant;

/// How long an answer is kept, in milliseconds.
const KEPT: i64 = 24 * 60 * 60 * 1000;
/// Longest key, in bytes.
const LONGEST_KEY: usize = 200;
const KEY: HeaderName = HeaderName::from_static("idempotency-key");
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// Answers a repeated request as the first time.
pub async fn once(State(site): State<Site>, request: Request, next: Next) -> Response {
    let is_change =
        request.method() == Method::POST && request.uri().path().starts_with(API_PREFIX);
    let by = request.extensions().get::<Caller>().cloned();
    let key = request.headers().get(KEY).cloned();
    match (by, key) {
        (Some(by), Some(key)) if is_change => match run(&site, &by, &key, request, next).await {
            Ok(response) => response,
            Err(failure) => failure.into_response(),
        },
        _ => next.run(request).await,
    }
}

async fn run(
    site: &Site,
    by: &Caller,
    key: &HeaderValue,
    request: Request,
    next: Next,
) -> Result<Response, Failure> {
    let key = key.to_str().ok();
    let key = key.filter(|key| (1..=LONGEST_KEY).contains(&key.len()));
    let key = key.ok_or_else(|| {
        let text = format!("Nothing was done: an Idempotency-Key has 1 to {LONGEST_KEY} letters.");
        Failure::new(StatusCode::BAD_REQUEST, Code::Invalid, text)
    })?;
    let client = client(by);
    // A repetition that comes meanwhile waits for the answer.
    let begun = Instant::now();
    let _turn = site.api.keys.take((client.clone(), key.to_owned())).await;
    if !site.is_still_good(Some(by), begun.elapsed()).await {
        return Err(Failure::new(
            StatusCode::UNAUTHORIZED,
            Code::SignedOut,
            ENDED,
        ));
    }
    let (parts, body) = request.into_parts();
    // Its size has a limit already (`bodies`).
    let body = axum::body::to_bytes(body, usize::MAX).await;
    let body = body.map_err(|_| {
        let text = "Nothing was done: the request was incomplete.";
        Failure::new(StatusCode::BAD_REQUEST, Code::Invalid, text)
    })?;
    let place = parts.uri.to_string();
    let asked = digest(&body, &[parts.method.as_str(), &place]);
    let people = &site.people;
    let at = now();
    match people
        .begin_once(&client, key, &asked, (at, at - KEPT))
        .await
        .map_err(failed)?
    {
        Repeated::New => {}
        Repeated::Other => {
            let text = "Nothing was done: this Idempotency-Key was used for another request.";
            return Err(Failure::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                Code::KeyReused,
                text,
            ));
        }
        Repeated::Begun => {
            let text = "A request with this Idempotency-Key was begun, and what became of it is not known. Look, then use \
                        another key.";
            return Err(Failure::new(
                StatusCode::CONFLICT,
                Code::Indeterminate,
                text,
            ));
        }
        Repeated::TooMany => {
            let text = "Nothing was done: this token has used too many keys today.";
            return Err(Failure::new(
                StatusCode::TOO_MANY_REQUESTS,
                Code::TooMany,
                text,
            ));
        }
        Repeated::Answered(status, answer) => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
            let json = HeaderValue::from_static("application/json");
            let headers = [
                (header::CONTENT_TYPE, json),
                (REPLAYED, HeaderValue::from_static("true")),
            ];
            return Ok((status, headers, answer).into_response());
        }
    }
    let response = next.run(Request::from_parts(parts, Body::from(body))).await;
    let status = response.status();
    let (parts, body) = response.into_parts();
    let body = axum::body::to_bytes(body, LONGEST_ANSWER).await;
    let body = body.unwrap_or_default();
    let ended = match status {
        // The backend or the journal may have failed in the middle: what became of it is not known, and stays so.
        _ if status.is_server_error() => Ok(()),
        _ if status.is_success() => {
            let answer = String::from_utf8_lossy(&body).into_owned();
            let answer = Some((status.as_u16(), answer));
            people.end_once(&client, key, answer).await
        }
        _ => people.end_once(&client, key, None).await,
    };
    if let Err(error) = ended {
        tracing::error!(%error, "the answer to a request with a key could not be stored");
    }
    Ok(Response::from_parts(parts, Body::from(body)))
}

fn failed(error: crate::people::PeopleError) -> Failure {
    crate::api::ApiError::from(error).into()
}
