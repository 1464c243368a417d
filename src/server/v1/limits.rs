//! Refuses requests of a credential that makes too many.

use super::problem::{Code, Failure};
use crate::people::Caller;
use crate::server::Site;
use crate::server::api_limits::client;
use crate::server::needs::API_PREFIX;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Refuses a request to the API if its credential has made too many.
pub async fn check(State(site): State<Site>, request: Request, next: Next) -> Response {
    let by = request.extensions().get::<Caller>();
    let by = by.filter(|_| request.uri().path().starts_with(API_PREFIX));
    if let Some(by) = by
        && let Err(wait) = site.api.requests.take(client(by))
    {
        let text = "This token has made too many requests. Wait, then try again.";
        let failure = Failure::new(StatusCode::TOO_MANY_REQUESTS, Code::TooMany, text);
        let mut response = failure.into_response();
        let seconds = wait.as_secs_f64().ceil().max(1.0) as u64;
        let seconds = HeaderValue::from(seconds);
        response.headers_mut().insert(header::RETRY_AFTER, seconds);
        return response;
    }
    next.run(request).await
}
