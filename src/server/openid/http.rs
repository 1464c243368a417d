//! What is asked of the provider: without redirections, in a limited time, and with a limited answer.

use openidconnect::{HttpRequest, HttpResponse};
use reqwest::redirect::Policy;
use std::time::Duration;
use thiserror::Error;

/// How long one question may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Largest answer, in bytes.
const LARGEST: usize = 512 * 1024;

/// Why the provider was not heard.
#[derive(Debug, Error)]
pub enum Unreachable {
    /// The network, or the other side.
    #[error("it cannot be reached")]
    Network(#[from] reqwest::Error),
    /// More than anybody has to say about a login.
    #[error("its answer is larger than 512 KiB")]
    TooLarge,
    /// An answer that is none.
    #[error("its answer is not understood")]
    Nonsense(#[from] axum::http::Error),
}

/// Asks nobody but who was named.
pub fn client() -> reqwest::Result<reqwest::Client> {
    let client = reqwest::Client::builder();
    client.redirect(Policy::none()).timeout(PATIENCE).build()
}

/// Asks.
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
