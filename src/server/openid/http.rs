//! HTTP requests to the provider: no redirects, with limits on time and size.

use crate::backend::with_shared_tls;
use openidconnect::{HttpRequest, HttpResponse};
use reqwest::redirect::Policy;
use std::time::Duration;
use thiserror::Error;

/// Timeout of one request.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Largest response, in bytes.
const LARGEST: usize = 512 * 1024;

/// Why a request to the provider failed.
#[derive(Debug, Error)]
pub enum Unreachable {
    /// A network error.
    #[error("it cannot be reached")]
    Network(#[from] reqwest::Error),
    /// The response exceeds the size limit.
    #[error("its answer is larger than 512 KiB")]
    TooLarge,
    /// An invalid response.
    #[error("its answer is not valid")]
    Nonsense(#[from] axum::http::Error),
}

/// A client that follows no redirects. Errors: the TLS of this machine cannot be used.
pub fn client() -> reqwest::Result<reqwest::Client> {
    let client = with_shared_tls(reqwest::Client::builder());
    client.redirect(Policy::none()).timeout(TIMEOUT).build()
}

/// Sends a request. Errors: a failed connection, a timeout, or a response that is too large or invalid.
pub async fn ask(
    client: reqwest::Client,
    request: HttpRequest,
) -> Result<HttpResponse, Unreachable> {
    let mut answer = client.execute(request.try_into()?).await?;
    let mut response = axum::http::Response::builder().status(answer.status());
    for (name, value) in answer.headers() {
        response = response.header(name, value);
    }
    let mut body = Vec::new();
    while let Some(part) = answer.chunk().await? {
        body.extend_from_slice(&part);
        if body.len() > LARGEST {
            return Err(Unreachable::TooLarge);
        }
    }
    Ok(response.body(body)?)
}
