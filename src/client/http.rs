//! Requests to the API, and what became of them in a sentence.

use super::account::Account;
use super::terminal::harmless;
use crate::v1::Problem;
use futures_util::StreamExt as _;
use reqwest::{Client, Method, RequestBuilder, Response, redirect::Policy};
use serde::{Serialize, de::DeserializeOwned};
use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;
use url::{Host, Url};

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);
/// Longest pause within an answer. A stream has a comment every 15 seconds.
const SILENCE: Duration = Duration::from_secs(60);
/// Longest answer that is read at once, in bytes.
const LONGEST: usize = 64 << 20;

/// A server, for requests with a token.
pub struct Server {
    client: Client,
    base: Url,
    token: String,
}

/// Why a request failed.
#[derive(Debug)]
pub struct Failed {
    /// The problem's code; empty if there was no answer.
    pub code: String,
    /// A sentence.
    pub text: String,
}

impl From<Failed> for String {
    fn from(failed: Failed) -> Self {
        failed.text
    }
}

impl Server {
    /// A server at an address.
    ///
    /// # Errors
    /// A sentence if the address is none.
    pub fn new(account: Account) -> Result<Self, String> {
        let mut text = account.url.trim().trim_end_matches('/').to_owned();
        text.push('/');
        let base = Url::parse(&text).ok();
        let base = base.filter(|url| {
            matches!(url.scheme(), "http" | "https") && url.has_host() && url.query().is_none()
        });
        let base = base.ok_or_else(|| {
            format!(
                "{:?} is not an address. Write it like https://box.lan:4100/",
                account.url
            )
        })?;
        let client = Client::builder()
            .redirect(Policy::none())
            .connect_timeout(CONNECT)
            .read_timeout(SILENCE)
            .user_agent(concat!("handrail/", env!("CARGO_PKG_VERSION")));
        let server = Self {
            client: client.build().map_err(|error| format!("{error}."))?,
            base,
            token: account.token,
        };
        if server.exposes_token() {
            eprintln!(
                "handrail: this address has no TLS: others on the network can read the token."
            );
        }
        Ok(server)
    }

    /// Whether others on the network can read the token on its way.
    fn exposes_token(&self) -> bool {
        let is_here = match self.base.host() {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            Some(Host::Domain(name)) => name == "localhost",
            None => true,
        };
        self.base.scheme() == "http" && !is_here && !self.token.is_empty()
    }

    fn request(&self, method: Method, path: &[&str]) -> RequestBuilder {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(["api", "v1"]).extend(path);
        }
        // A server without a login takes any token; one with a login refuses a request without one.
        let token = match self.token.as_str() {
            "" => "none",
            token => token,
        };
        self.client.request(method, url).bearer_auth(token)
    }

    async fn sent(&self, request: RequestBuilder) -> Result<Response, Failed> {
        let response = request.send().await.map_err(|error| Failed {
            code: String::new(),
            text: unreachable(&self.base, &error),
        })?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let body = whole(response).await.unwrap_or_default();
        Err(match serde_json::from_slice::<Problem>(&body) {
            Ok(problem) => Failed {
                code: problem.code,
                text: harmless(&problem.detail),
            },
            Err(_) if status.is_redirection() => Failed {
                code: String::new(),
                text: format!(
                    "{} answers with a redirect. Log in with the address that it leads to.",
                    self.base
                ),
            },
            Err(_) => Failed {
                code: String::new(),
                text: format!("{} answered {status}. Is it a Handrail?", self.base),
            },
        })
    }

    /// Reads something.
    ///
    /// # Errors
    /// What the server says, or why there is no answer.
    pub async fn get<T: DeserializeOwned>(
        &self,
        path: &[&str],
        query: &[(&str, &str)],
    ) -> Result<T, Failed> {
        let request = self.request(Method::GET, path).query(query);
        read(self.sent(request).await?).await
    }

    /// Changes something.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub async fn post<T: DeserializeOwned>(
        &self,
        path: &[&str],
        body: &impl Serialize,
    ) -> Result<T, Failed> {
        let request = self.request(Method::POST, path).json(body);
        read(self.sent(request).await?).await
    }

    /// Opens a stream of server-sent events after an event.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub async fn stream(&self, path: &[&str], after: i64) -> Result<Response, Failed> {
        let request = self.request(Method::GET, path);
        let request = request
            .header("accept", "text/event-stream")
            .header("last-event-id", after);
        self.sent(request).await
    }

    /// Copies a file to standard output.
    ///
    /// # Errors
    /// As [`Self::get`], and if it cannot be written.
    pub async fn copy(&self, path: &[&str], query: &[(&str, &str)]) -> Result<(), String> {
        let mut out = std::io::stdout();
        if out.is_terminal() {
            return Err(
                "this is a file, which may have escape sequences. Write it with: > FILE".to_owned(),
            );
        }
        let request = self.request(Method::GET, path).query(query);
        let response = self.sent(request).await?;
        let mut pieces = response.bytes_stream();
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|error| format!("the file is incomplete: {error}."))?;
            let written = out.write_all(&piece);
            written.map_err(|error| format!("the file cannot be written: {error}."))?;
        }
        out.flush()
            .map_err(|error| format!("the file cannot be written: {error}."))
    }
}

fn unreachable(base: &Url, error: &reqwest::Error) -> String {
    let chain = std::iter::successors(Some(error as &dyn std::error::Error), |error| {
        error.source()
    });
    let why = chain.last().map(ToString::to_string).unwrap_or_default();
    format!("{base} cannot be reached: {}.", why.trim_end_matches('.'))
}

async fn read<T: DeserializeOwned>(response: Response) -> Result<T, Failed> {
    let nothing = |text: &str| Failed {
        code: String::new(),
        text: text.to_owned(),
    };
    let body = whole(response)
        .await
        .ok_or_else(|| nothing("the answer is incomplete or too long."))?;
    serde_json::from_slice(&body)
        .map_err(|_| nothing("the answer cannot be read. Is it a Handrail of this version?"))
}

async fn whole(response: Response) -> Option<Vec<u8>> {
    let (mut body, mut pieces) = (Vec::new(), response.bytes_stream());
    while let Some(piece) = pieces.next().await {
        body.extend_from_slice(&piece.ok()?);
        if body.len() > LONGEST {
            return None;
        }
    }
    Some(body)
}
