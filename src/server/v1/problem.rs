//! Errors of the API, as in RFC 9457.

use crate::api::{ApiError, ApiErrorKind, status_of};
use crate::hub::HubError;
use crate::server::needs::API_PREFIX;
use crate::v1::Problem;
use crate::words;
use axum::Json;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Media type of a problem.
pub(super) const MEDIA: &str = "application/problem+json";
/// Longest error of another layer that is read, in bytes.
const LONGEST: usize = 64 << 10;

/// The response of a route of the API.
pub type Answer<T> = Result<Json<T>, Failure>;

/// The response of a route that answers with something else than JSON, or with another status.
pub type Reply = Result<Response, Failure>;

/// A request that failed.
#[derive(Debug)]
pub struct Failure(StatusCode, Code, String);

/// The kind of a problem. The words are a part of the API: those of the description (`v1::Problem`) are all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the description says what they mean")]
pub enum Code {
    Invalid,
    SignedOut,
    Forbidden,
    Scope,
    PasskeyRequired,
    NotFound,
    Conflict,
    Changed,
    TooSoon,
    Answered,
    KeyReused,
    TooMany,
    TooLarge,
    BackendAway,
    BackendRefuses,
    Indeterminate,
    Full,
    Away,
    Internal,
}

words! {
    Code, word: Invalid "invalid", SignedOut "signed_out", Forbidden "forbidden", Scope "scope", PasskeyRequired "passkey_required", NotFound "not_found", Conflict "conflict", Changed "changed", TooSoon "too_soon", Answered "answered", KeyReused "key_reused", TooMany "too_many", TooLarge "too_large", BackendAway "backend_away", BackendRefuses "backend_refuses", Indeterminate "indeterminate", Full "full", Away "away", Internal "internal"
}

impl Failure {
    /// A failure with a status, its kind in one word, and a sentence.
    pub fn new(status: StatusCode, code: Code, text: impl Into<String>) -> Self {
        Self(status, code, text.into())
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self(status_of(error.kind), code_of(error.kind), error.text)
    }
}

impl From<HubError> for Failure {
    fn from(error: HubError) -> Self {
        let code = match &error {
            HubError::Superseded => Some(Code::Changed),
            HubError::TooSoon => Some(Code::TooSoon),
            HubError::NeedsTouch | HubError::OldTouch => Some(Code::PasskeyRequired),
            HubError::AnsweredBefore { .. } => Some(Code::Answered),
            _ => None,
        };
        if let HubError::TooMuch = error {
            return Self(
                StatusCode::TOO_MANY_REQUESTS,
                Code::TooMany,
                error.to_string(),
            );
        }
        let Self(status, known, text) = ApiError::from(error).into();
        Self(status, code.unwrap_or(known), text)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let Self(status, code, detail) = self;
        let problem = Problem {
            kind: "about:blank".to_owned(),
            title: status.canonical_reason().unwrap_or("Error").to_owned(),
            status: status.as_u16(),
            detail,
            code: code.word().to_owned(),
        };
        let mut response = (status, Json(problem)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA));
        if matches!(code, Code::TooMany | Code::TooSoon) {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

/// The kind of an error in one word.
fn code_of(kind: ApiErrorKind) -> Code {
    match kind {
        ApiErrorKind::Invalid => Code::Invalid,
        ApiErrorKind::NotFound => Code::NotFound,
        ApiErrorKind::Conflict => Code::Conflict,
        ApiErrorKind::BackendAway | ApiErrorKind::Connection => Code::BackendAway,
        ApiErrorKind::BackendRefuses => Code::BackendRefuses,
        ApiErrorKind::Indeterminate => Code::Indeterminate,
        ApiErrorKind::SignedOut => Code::SignedOut,
        ApiErrorKind::Forbidden => Code::Forbidden,
        ApiErrorKind::Full => Code::Full,
        ApiErrorKind::Away => Code::Away,
        ApiErrorKind::Internal => Code::Internal,
    }
}

/// Whether an address belongs to the API, below whatever base path.
pub fn is_api(path: &str) -> bool {
    path.contains(API_PREFIX)
}

/// Makes a problem of every error that another layer has answered a request to the API with.
pub async fn of_other_layers(request: Request, next: Next) -> Response {
    let is_api = is_api(request.uri().path());
    let response = next.run(request).await;
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    let media = response.headers().get(header::CONTENT_TYPE);
    if !is_api || !is_error || media.is_some_and(|media| media == MEDIA) {
        return response;
    }
    let is_json = media.is_some_and(|media| media.as_bytes().starts_with(b"application/json"));
    let is_text = media.is_some_and(|media| media.as_bytes().starts_with(b"text/plain"));
    let (parts, body) = response.into_parts();
    let said = axum::body::to_bytes(body, LONGEST)
        .await
        .unwrap_or_default();
    let said = String::from_utf8_lossy(&said).into_owned();
    let failure = match serde_json::from_str::<ApiError>(&said) {
        Ok(error) if is_json => Failure::from(error),
        _ => {
            let code = match status {
                StatusCode::UNAUTHORIZED => Code::SignedOut,
                StatusCode::FORBIDDEN => Code::Forbidden,
                StatusCode::NOT_FOUND | StatusCode::GONE => Code::NotFound,
                StatusCode::PAYLOAD_TOO_LARGE => Code::TooLarge,
                StatusCode::TOO_MANY_REQUESTS => Code::TooMany,
                StatusCode::CONFLICT => Code::Conflict,
                StatusCode::INSUFFICIENT_STORAGE => Code::Full,
                _ if status.is_client_error() => Code::Invalid,
                _ => Code::Internal,
            };
            let reason = status.canonical_reason().unwrap_or("Error");
            let text = match (is_text && !said.is_empty(), status) {
                (true, _) => said,
                (false, StatusCode::NOT_FOUND) => {
                    "There is nothing at this address for you.".to_owned()
                }
                (false, _) => format!("{reason}."),
            };
            Failure::new(status, code, text)
        }
    };
    let code = match status {
        StatusCode::TOO_MANY_REQUESTS => Code::TooMany,
        StatusCode::PAYLOAD_TOO_LARGE => Code::TooLarge,
        _ => failure.1,
    };
    let mut response = Failure(status, code, failure.2).into_response();
    for name in [header::RETRY_AFTER, header::ALLOW, header::CONNECTION] {
        if let Some(value) = parts.headers.get(&name) {
            response.headers_mut().insert(name, value.clone());
        }
    }
    response
}
