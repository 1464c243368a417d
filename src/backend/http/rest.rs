//! The HTTP client of one backend: rate limiter, timeouts, size limits, and errors as sentences.
//!
//! This module knows no routes. A GET request may be retried, any other request never.

use super::call::{Body, Call};
use super::connection::Connection;
use super::kept::Kept;
use super::outgoing::careful;
use super::permitted::Permitted;
use super::rate_limiter::RateLimiter;
use super::refusal::refusal;
use crate::backend::{Answer, BackendError};
use crate::metrics;
use crate::request_id::{self, RequestId};
use reqwest::{Method, Response, StatusCode, header};
use std::{sync::Arc, time::Duration};
use tokio::sync::Semaphore;
use tower::layer::layer_fn;

/// Size limit of an error response, in bytes.
const MOST_OF_REFUSAL: usize = 64 << 10;

/// Concurrent reads of large responses (`reading.rs`).
const LARGE_AT_ONCE: usize = 2;

/// The HTTP client of one backend.
pub(in crate::backend) struct Rest {
    /// For GET requests: keeps connections alive.
    http: reqwest::Client,
    /// For commands: opens a new connection for each. 0.62 closes a connection after each internal error, and a command
    /// that meets this close could not be retried, since nobody knows whether the server has read it.
    orders: reqwest::Client,
    connection: Connection,
    rate_limiter: RateLimiter,
    pub(super) large: Semaphore,
    pub(in crate::backend) kept: Kept,
}

impl Rest {
    /// A client that follows no redirects, which would leak the key, and uses no proxy from the environment.
    ///
    /// The limit is 8 requests per second; 0.62 tolerates 10 from this machine. Errors: an invalid address or key.
    pub(in crate::backend) fn new(connection: Connection) -> Answer<Arc<Self>> {
        Self::with_rate_limiter(connection, RateLimiter::new(8, Duration::from_secs(1)))
    }

    /// The key that requests carry, for what the server itself is told to request from itself.
    pub(in crate::backend) fn key(&self) -> Option<&str> {
        self.connection.session_api_key.as_deref()
    }

    /// Such a client with another rate limit.
    pub(in crate::backend) fn with_rate_limiter(
        connection: Connection,
        rate_limiter: RateLimiter,
    ) -> Answer<Arc<Self>> {
        connection.check()?;
        let mut headers = header::HeaderMap::new();
        if let Some(key) = &connection.session_api_key {
            let why = "The key contains characters that are not allowed in an HTTP header.";
            let value = header::HeaderValue::from_str(key);
            let mut value = value.map_err(|_| BackendError::invalid(why))?;
            value.set_sensitive(true);
            headers.insert("x-session-api-key", value);
        }
        let build = |idle: usize| {
            let mut client = careful(reqwest::Client::builder())
                .default_headers(headers.clone())
                .pool_max_idle_per_host(idle);
            if idle == 0 {
                // A connection may take longer to be made than the permission lasts.
                let permit = connection.permit.clone();
                client = client.connector_layer(layer_fn(move |inner| Permitted {
                    inner,
                    permit: permit.clone(),
                }));
            }
            let client = client.build();
            client.map_err(|error| {
                BackendError::Invalid(format!("The HTTP client could not be created: {error}."))
            })
        };
        let (http, orders) = (build(4)?, build(0)?);
        Ok(Arc::new(Self {
            http,
            orders,
            connection,
            rate_limiter,
            large: Semaphore::new(LARGE_AT_ONCE),
            kept: Kept::default(),
        }))
    }

    pub(in crate::backend) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Sends a request, and returns the response for streaming if its status is a success.
    pub(in crate::backend) async fn open(&self, call: Call) -> Answer<Response> {
        let answer = self.send(call).await;
        answer.inspect_err(|error| metrics::UPSTREAM_ERRORS.count(error.kind()))
    }

    async fn send(&self, call: Call) -> Answer<Response> {
        let url = self.connection.url(&call.path, &call.query);
        let seconds = call.timeout_class.seconds();
        // Only a GET request is retried; a command could run twice.
        let is_question = call.method == Method::GET;
        let http = match is_question {
            true => &self.http,
            false => &self.orders,
        };
        let (mut again, mut body) = (is_question, call.body);
        loop {
            self.rate_limiter.take().await?;
            let request = http
                .request(call.method.clone(), url.clone())
                .timeout(Duration::from_secs(seconds));
            let request = call.headers.iter().fold(request, |request, (name, value)| {
                request.header(*name, *value)
            });
            let request = match RequestId::current() {
                Some(id) => request.header(request_id::HEADER, id.as_str()),
                None => request,
            };
            let request = match std::mem::replace(&mut body, Body::None) {
                Body::Json(json) => request.json(&json),
                Body::Form(form) => request.multipart(form),
                Body::None => request,
            };
            if !is_question {
                self.connection.permit.check().await?;
            }
            let response = match request.send().await {
                Ok(response) => response,
                // The server has closed the idle connection in the meantime.
                Err(error) if again && !error.is_timeout() && !error.is_connect() => {
                    again = false;
                    continue;
                }
                Err(error) => {
                    let sent = !is_question && !error.is_connect() && !error.is_timeout();
                    if !is_question && error.is_connect() {
                        // The connection may be there, and have come too late.
                        self.connection.permit.check().await?;
                    }
                    let failure = failure(&error, seconds);
                    return Err(if sent { cut_off(failure) } else { failure });
                }
            };
            let status = response.status();
            if status.is_success() {
                return Ok(response);
            }
            if status == StatusCode::TOO_MANY_REQUESTS {
                let rest = retry_after(&response);
                self.rate_limiter.rest(Duration::from_secs(rest));
                if again && rest <= 5 {
                    again = false;
                    continue;
                }
                return Err(BackendError::RateLimited(rest));
            }
            let said = self.read(response, seconds, MOST_OF_REFUSAL).await;
            let said = said.map(|(said, _)| said).unwrap_or_default();
            let refusal = refusal(status.as_u16(), &said, call.missing);
            let passed_on = !is_question && matches!(status.as_u16(), 502 | 504);
            return Err(if passed_on { cut_off(refusal) } else { refusal });
        }
    }
}

/// Turns "unreachable" into "cut off" for a command that the server may have read.
fn cut_off(error: BackendError) -> BackendError {
    match error {
        BackendError::Unreachable(why) => BackendError::CutOff(why),
        error => error,
    }
}

/// The delay that a 429 asks for, in seconds; a date instead of a number counts as one second.
fn retry_after(response: &Response) -> u64 {
    let header = response.headers().get(header::RETRY_AFTER);
    let seconds = header.and_then(|value| value.to_str().ok()?.trim().parse::<u64>().ok());
    seconds.unwrap_or(1).clamp(1, 300)
}

/// Interprets a failed exchange. Only the innermost cause is reported, because the outer ones repeat the URL.
pub(super) fn failure(error: &reqwest::Error, seconds: u64) -> BackendError {
    if error.is_timeout() {
        return BackendError::Timeout(seconds);
    }
    let mut cause: &dyn std::error::Error = error;
    let mut is_tls = false;
    while let Some(inner) = cause.source() {
        cause = inner;
        is_tls |= cause.is::<native_tls::Error>();
    }
    if is_tls {
        let why = "the TLS connection failed; does this machine trust its certificate, and is https \
                   right?";
        return BackendError::Unreachable(why.to_owned());
    }
    if error.is_decode() || error.is_body() {
        return BackendError::Unexpected(format!("an incomplete response ({cause})"));
    }
    BackendError::Unreachable(cause.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Permit;
    use crate::backend::openhands::tests::stub::{Stub, at};
    use crate::journal::Lease;

    async fn error(rest: &Rest, path: &str) -> String {
        let answer = rest.json(Call::get(&[path])).await;
        answer.unwrap_err().to_string()
    }

    #[tokio::test]
    async fn a_request_to_come_later_is_obeyed_once_for_a_question() {
        let stub = Stub::start().await;
        let rest = Rest::new(stub.connection()).unwrap();
        assert_eq!(rest.json(Call::get(&["busy"])).await.unwrap(), "now");
        let order = Call::new(Method::POST, &["busy"]).json(serde_json::Value::Null);
        assert!(
            matches!(rest.json(order).await, Err(BackendError::RateLimited(1))),
            "an order is never repeated by itself"
        );
    }

    #[tokio::test]
    async fn a_node_that_has_lost_the_lease_asks_and_changes_nothing() {
        let stub = Stub::start().await;
        let lease = Lease::counted(Duration::ZERO);
        let rest = Rest::new(Connection {
            permit: Permit::of(Some(lease.clone())),
            ..stub.connection()
        });
        let rest = rest.unwrap();
        let order = || Call::new(Method::POST, &["counted"]).json(serde_json::Value::Null);
        assert_eq!(rest.json(order()).await.unwrap(), 1);
        lease.lose();
        let refused = rest.json(order()).await;
        assert!(matches!(refused, Err(BackendError::Held(_))), "{refused:?}");
        assert_eq!(rest.json(Call::get(&["counted"])).await.unwrap(), 1);
    }

    #[tokio::test]
    async fn a_page_a_redirect_and_a_closed_port_are_told_apart() {
        let stub = Stub::start().await;
        let rest = Rest::new(stub.connection()).unwrap();
        let page = error(&rest, "page").await;
        assert!(page.contains("a web page (200)"), "{page}");
        let moved = error(&rest, "moved").await;
        assert!(moved.contains("redirects to another address"), "{moved}");
        let nobody = Rest::new(at(1)).unwrap();
        let silence = nobody.json(Call::get(&["x"])).await.unwrap_err();
        assert!(matches!(silence, BackendError::Unreachable(_)), "{silence}");
    }

    #[tokio::test]
    async fn who_speaks_no_tls_that_we_trust_is_told_as_that() {
        let stub = Stub::start().await;
        let mut connection = stub.connection();
        connection.base_url.set_scheme("https").unwrap();
        let rest = Rest::new(connection).unwrap();
        let error = error(&rest, "x").await;
        assert!(error.contains("trust its certificate"), "{error}");
    }

    #[tokio::test]
    async fn the_key_travels_in_its_header_and_never_in_an_error() {
        let stub = Stub::start().await;
        let mut connection = stub.connection();
        connection.session_api_key = Some("s3cret".to_owned());
        let rest = Rest::new(connection).unwrap();
        assert_eq!(rest.json(Call::get(&["key"])).await.unwrap(), "s3cret");
        let nobody = Connection {
            session_api_key: Some("s3cret".to_owned()),
            ..at(1)
        };
        let error = Rest::new(nobody)
            .unwrap()
            .json(Call::get(&["x"]))
            .await
            .unwrap_err();
        assert!(!format!("{error} {error:?}").contains("s3cret"));
    }
}
