//! One HTTP client for one OpenHands: budget, patience, limits, and every failure as a sentence.
//!
//! Nothing here knows a route. A question may be asked twice, an order never.

use super::addresses::Lookup;
use super::budget::Budget;
use super::call::{Body, Call};
use super::connection::Connection;
use super::refusal::{not_json, refusal};
use super::shared::Kept;
use crate::backend::BackendError;
use bytes::{Bytes, BytesMut};
use reqwest::{Method, Response, StatusCode, header, redirect};
use serde_json::Value;
use std::{sync::Arc, time::Duration};

/// No answer may be larger: a page of events that repeat a large file is the largest seen, 10 MiB.
const MOST_BYTES: usize = 64 << 20;

/// The client.
pub(in crate::backend) struct Rest {
    /// Keeps connections open between questions.
    http: reqwest::Client,
    /// Opens a connection for each order: 0.62 closes one after each internal error, and an order that
    /// meets the closing could not be sent again, for nobody knows whether it was read.
    orders: reqwest::Client,
    connection: Connection,
    budget: Budget,
    /// Answers that others may use too.
    pub(in crate::backend) kept: Kept,
}

impl Rest {
    /// A client that follows no redirect (the key would travel along) and no proxy of the environment.
    ///
    /// It asks as seldom as 0.62 wants: two less a second than it tolerates, for somebody else may use it from this machine.
    pub(in crate::backend) fn new(connection: Connection) -> Result<Arc<Self>, BackendError> {
        Self::with_budget(connection, Budget::new(8, Duration::from_secs(1)))
    }

    /// Such a client with another budget.
    pub(in crate::backend) fn with_budget(
        connection: Connection,
        budget: Budget,
    ) -> Result<Arc<Self>, BackendError> {
        connection.check()?;
        let mut headers = header::HeaderMap::new();
        if let Some(key) = &connection.session_api_key {
            let mut value = header::HeaderValue::from_str(key).map_err(|_| {
                BackendError::Invalid(
                    "The key holds characters that no header can carry.".to_owned(),
                )
            })?;
            value.set_sensitive(true);
            headers.insert("x-session-api-key", value);
        }
        let build = |idle: usize| {
            let client = reqwest::Client::builder()
                .default_headers(headers.clone())
                .redirect(redirect::Policy::none())
                .no_proxy()
                .dns_resolver(Arc::new(Lookup))
                .connect_timeout(Duration::from_secs(5))
                .pool_max_idle_per_host(idle)
                .user_agent(concat!("Handrail/", env!("CARGO_PKG_VERSION")))
                .build();
            client.map_err(|error| {
                BackendError::Invalid(format!("No HTTP client can be made: {error}."))
            })
        };
        let (http, orders) = (build(4)?, build(0)?);
        Ok(Arc::new(Self {
            http,
            orders,
            connection,
            budget,
            kept: Kept::default(),
        }))
    }

    pub(in crate::backend) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Asks, and hands the answer out as it comes if it is a success.
    pub(in crate::backend) async fn open(&self, call: Call<'_>) -> Result<Response, BackendError> {
        let url = self.connection.url(call.path, call.query);
        let seconds = call.patience.seconds();
        // Only a question may be asked twice; an order could be carried out twice.
        let is_question = call.method == Method::GET;
        let http = if is_question {
            &self.http
        } else {
            &self.orders
        };
        let (mut again, mut body) = (is_question, call.body);
        loop {
            self.budget.take().await?;
            let request = http
                .request(call.method.clone(), url.clone())
                .timeout(Duration::from_secs(seconds));
            let request = call.headers.iter().fold(request, |request, (name, value)| {
                request.header(*name, *value)
            });
            let request = match std::mem::replace(&mut body, Body::None) {
                Body::Json(json) => request.json(&json),
                Body::Form(form) => request.multipart(form),
                Body::None => request,
            };
            let response = match request.send().await {
                Ok(response) => response,
                // The connection from last time was closed meanwhile.
                Err(error) if again && !error.is_timeout() && !error.is_connect() => {
                    again = false;
                    continue;
                }
                Err(error) => {
                    let sent = !is_question && !error.is_connect() && !error.is_timeout();
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
                self.budget.rest(Duration::from_secs(rest));
                if again && rest <= 5 {
                    again = false;
                    continue;
                }
                return Err(BackendError::RateLimited(rest));
            }
            let said = read(response, seconds).await.unwrap_or_default();
            let refusal = refusal(status.as_u16(), &said, call.missing);
            let passed_on = !is_question && matches!(status.as_u16(), 502 | 504);
            return Err(if passed_on { cut_off(refusal) } else { refusal });
        }
    }

    /// Asks, and reads the answer as it is.
    pub(in crate::backend) async fn bytes(&self, call: Call<'_>) -> Result<Bytes, BackendError> {
        let seconds = call.patience.seconds();
        read(self.open(call).await?, seconds).await
    }

    /// Asks, and reads the answer as JSON.
    pub(in crate::backend) async fn json(&self, call: Call<'_>) -> Result<Value, BackendError> {
        let body = self.bytes(call).await?;
        crate::wire::read_json(&body).ok_or_else(|| not_json(&body))
    }
}

/// Reads a body up to the limit.
async fn read(mut response: Response, seconds: u64) -> Result<Bytes, BackendError> {
    let mut body = BytesMut::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| failure(&error, seconds))?
    {
        if body.len() + chunk.len() > MOST_BYTES {
            return Err(BackendError::Unexpected(format!(
                "more than {} MiB at once",
                MOST_BYTES >> 20
            )));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

/// An order that may have been read before this happened.
fn cut_off(error: BackendError) -> BackendError {
    match error {
        BackendError::Unreachable(why) => BackendError::CutOff(why),
        error => error,
    }
}

/// Seconds that a 429 asks for; a date instead of a number counts as one second.
fn retry_after(response: &Response) -> u64 {
    let header = response.headers().get(header::RETRY_AFTER);
    header
        .and_then(|value| value.to_str().ok()?.trim().parse().ok())
        .unwrap_or(1)
        .clamp(1, 300)
}

/// What a failed exchange means. Only the innermost cause is told: the outer ones repeat the URL.
fn failure(error: &reqwest::Error, seconds: u64) -> BackendError {
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
        return BackendError::Unreachable(
            "no TLS with it: does this machine trust its certificate, and is https right?"
                .to_owned(),
        );
    }
    if error.is_decode() || error.is_body() {
        return BackendError::Unexpected(format!("an answer that breaks off ({cause})"));
    }
    BackendError::Unreachable(cause.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::openhands::stub::{Stub, at};

    async fn rest(stub: &Stub) -> Arc<Rest> {
        Rest::new(stub.connection()).unwrap()
    }

    #[tokio::test]
    async fn a_request_to_come_later_is_obeyed_once_for_a_question() {
        let stub = Stub::start().await;
        let rest = rest(&stub).await;
        assert_eq!(rest.json(Call::get(&["busy"])).await.unwrap(), "now");
        let order = rest
            .json(Call::send(Method::POST, &["busy"], Value::Null))
            .await;
        assert!(
            matches!(order, Err(BackendError::RateLimited(1))),
            "an order is never repeated by itself"
        );
    }

    #[tokio::test]
    async fn a_page_a_redirect_and_a_closed_port_are_told_apart() {
        let stub = Stub::start().await;
        let rest = rest(&stub).await;
        let page = rest
            .json(Call::get(&["page"]))
            .await
            .unwrap_err()
            .to_string();
        assert!(page.contains("a web page (200)"), "{page}");
        let moved = rest
            .json(Call::get(&["moved"]))
            .await
            .unwrap_err()
            .to_string();
        assert!(moved.contains("points to another address"), "{moved}");
        let nobody = at(1);
        let silence = Rest::new(nobody)
            .unwrap()
            .json(Call::get(&["x"]))
            .await
            .unwrap_err();
        assert!(matches!(silence, BackendError::Unreachable(_)), "{silence}");
    }

    #[tokio::test]
    async fn who_speaks_no_tls_that_we_trust_is_told_as_that() {
        let stub = Stub::start().await;
        let mut connection = stub.connection();
        connection.base_url.set_scheme("https").unwrap();
        let rest = Rest::new(connection).unwrap();
        let error = rest.json(Call::get(&["x"])).await.unwrap_err().to_string();
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
