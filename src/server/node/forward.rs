//! What a node that waits answers: what the node that serves answers to it.
//!
//! Long because each way in which that fails stands with its answer.

use super::identity::Identity;
use crate::journal::Node;
use crate::server::slots::Gone;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// The address of whoever asked the node that forwards.
const PEER: HeaderName = HeaderName::from_static("x-handrail-peer");
/// The options of the node that forwards.
pub const OPTIONS: HeaderName = HeaderName::from_static("x-handrail-options");
/// The options in which two nodes differ.
pub const CONTRADICTION: HeaderName = HeaderName::from_static("x-handrail-contradiction");
/// What a node asks first.
pub const INTRODUCTION: &str = "/.node";

/// How long a connection to the node that serves may take to be made.
const CONNECTING: Duration = Duration::from_secs(3);
/// How long a request waits for a node that serves.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a node that cannot be reached is left alone.
const AGAIN: Duration = Duration::from_millis(250);
/// Unused connections that are kept for questions, and for how long: not as long as the node that serves keeps them.
const KEPT: usize = 32;
const UNUSED: Duration = Duration::from_secs(30);
/// How often a node says that it cannot introduce itself.
const COMPLAINS: Duration = Duration::from_secs(10);

/// The address of whoever asked, as the node tells that forwards.
pub fn peer(headers: &HeaderMap) -> Option<SocketAddr> {
    headers.get(PEER)?.to_str().ok()?.parse().ok()
}

/// The way to the node that serves.
pub struct Forwarder {
    serving: watch::Receiver<Option<Node>>,
    identity: Identity,
    options: HeaderValue,
    /// This node serves itself, from now on.
    taken_over: CancellationToken,
    /// Paths that this node answers itself.
    alive: String,
    ready: String,
    /// Connections that wait for the next question.
    kept: Mutex<Vec<Kept>>,
}

/// A connection that waits for the next question.
struct Kept {
    /// The id of the node.
    node: String,
    sender: SendRequest<Body>,
    since: Instant,
}

/// Why a request was not forwarded.
enum Failure {
    /// There was nobody to forward it to.
    Nobody,
    /// It was sent, and not answered.
    Lost,
}

impl Forwarder {
    pub fn new(
        serving: watch::Receiver<Option<Node>>,
        identity: Identity,
        options: HeaderValue,
        taken_over: CancellationToken,
        base: &str,
    ) -> Self {
        Self {
            serving,
            identity,
            options,
            taken_over,
            alive: format!("{base}healthz"),
            ready: format!("{base}readyz"),
            kept: Mutex::default(),
        }
    }

    /// Waits until the node that serves has accepted this one.
    ///
    /// Errors: a sentence, if it does not.
    pub async fn introduce(&self) -> Result<(), String> {
        let mut complained = Instant::now();
        loop {
            let Some(node) = self.someone().await else {
                continue;
            };
            match self.connect(&node.address).await {
                Err(Refused::Unreachable(error)) => {
                    if complained.elapsed() >= COMPLAINS {
                        complained = Instant::now();
                        tracing::warn!(
                            node = node.address,
                            error,
                            "the node that serves cannot be reached"
                        );
                    }
                    tokio::time::sleep(AGAIN).await;
                }
                Err(Refused::Stranger(error)) => {
                    return Err(format!(
                        "the node at {} does not accept this one ({error}): its cluster secret or its version is another.",
                        node.address
                    ));
                }
                Ok(mut sender) => {
                    let mut hello = Request::new(Body::empty());
                    *hello.uri_mut() = INTRODUCTION.parse().expect("a path");
                    self.sign(&mut hello, None);
                    let Ok(answer) = sender.send_request(hello).await else {
                        tokio::time::sleep(AGAIN).await;
                        continue;
                    };
                    let Some(names) = answer.headers().get(CONTRADICTION) else {
                        return Ok(());
                    };
                    return Err(format!(
                        "the node at {} has other options than this one: {}. They have to be the same on all nodes.",
                        node.address,
                        names.to_str().unwrap_or_default()
                    ));
                }
            }
        }
    }

    /// The node that serves; `None` if there was none for a while.
    async fn someone(&self) -> Option<Node> {
        let mut serving = self.serving.clone();
        let found = timeout(PATIENCE, serving.wait_for(Option::is_some)).await;
        found.ok()?.ok()?.clone()
    }

    async fn connect(&self, address: &str) -> Result<SendRequest<Body>, Refused> {
        let connected = async {
            let stream = TcpStream::connect(address)
                .await
                .map_err(|error| Refused::Unreachable(error.to_string()))?;
            // Otherwise a small message waits for the other side.
            let _ = stream.set_nodelay(true);
            let (connector, name) = self.identity.connector();
            let stream =
                connector
                    .connect(name, stream)
                    .await
                    .map_err(|error| match error.kind() {
                        std::io::ErrorKind::InvalidData => Refused::Stranger(error.to_string()),
                        _ => Refused::Unreachable(error.to_string()),
                    })?;
            let (sender, connection) = http1::handshake(TokioIo::new(stream))
                .await
                .map_err(|error| Refused::Unreachable(error.to_string()))?;
            tokio::spawn(connection.with_upgrades());
            Ok(sender)
        };
        let late = |_| Refused::Unreachable("it does not answer".to_owned());
        timeout(CONNECTING, connected).await.map_err(late)?
    }

    /// Adds what the node that serves needs to know.
    fn sign(&self, request: &mut Request, peer: Option<SocketAddr>) {
        let headers = request.headers_mut();
        headers.insert(OPTIONS, self.options.clone());
        headers.remove(PEER);
        if let Some(peer) = peer {
            let peer = HeaderValue::from_str(&peer.to_string()).expect("an address");
            headers.insert(PEER, peer);
        }
    }

    /// A connection to the node that serves; an unused one, if that may be.
    async fn sender(&self, may_be_kept: bool) -> Result<(Node, SendRequest<Body>), Failure> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let node = self.someone().await.ok_or(Failure::Nobody)?;
            if may_be_kept && let Some(kept) = self.take_kept(&node.id) {
                return Ok((node, kept));
            }
            match self.connect(&node.address).await {
                Ok(sender) => return Ok((node, sender)),
                Err(Refused::Stranger(error) | Refused::Unreachable(error)) => {
                    tracing::warn!(
                        node = node.address,
                        error,
                        "the node that serves cannot be reached"
                    );
                }
            }
            if Instant::now() >= deadline {
                return Err(Failure::Nobody);
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    fn take_kept(&self, node: &str) -> Option<SendRequest<Body>> {
        let mut kept = crate::sync::lock(&self.kept);
        kept.retain(|kept| {
            kept.node == node && kept.since.elapsed() < UNUSED && !kept.sender.is_closed()
        });
        let at = kept.iter().position(|kept| kept.sender.is_ready())?;
        Some(kept.swap_remove(at).sender)
    }

    fn keep(&self, node: String, sender: SendRequest<Body>) {
        let mut kept = crate::sync::lock(&self.kept);
        if kept.len() < KEPT {
            kept.push(Kept {
                node,
                sender,
                since: Instant::now(),
            });
        }
    }

    /// Whether a connection to the node that serves can be made.
    async fn reaches(&self) -> bool {
        let Some(node) = self.serving.borrow().clone() else {
            return false;
        };
        if let Some(kept) = self.take_kept(&node.id) {
            self.keep(node.id, kept);
            return true;
        }
        match self.connect(&node.address).await {
            Ok(sender) => {
                self.keep(node.id, sender);
                true
            }
            Err(_) => false,
        }
    }

    /// Waits until this node does not serve any more.
    async fn is_over(&self, node: &str) {
        let mut serving = self.serving.clone();
        let other = serving.wait_for(|now| now.as_ref().is_none_or(|serving| serving.id != node));
        tokio::select! {
            _ = other => {}
            () = self.taken_over.cancelled() => {}
        }
    }

    async fn forward(
        self: &Arc<Self>,
        mut request: Request,
        peer: SocketAddr,
    ) -> Result<Response, Failure> {
        let is_upgrade = request.headers().contains_key(header::UPGRADE);
        let gone = request.extensions_mut().remove::<Gone>();
        let is_question = !is_upgrade && matches!(*request.method(), Method::GET | Method::HEAD);
        self.sign(&mut request, Some(peer));
        let theirs = is_upgrade.then(|| hyper::upgrade::on(&mut request));
        let mut may_be_kept = is_question;
        let (node, sender, mut response) = loop {
            let (node, mut sender) = tokio::select! {
                sender = self.sender(may_be_kept) => sender?,
                () = self.taken_over.cancelled() => return Err(Failure::Nobody),
            };
            let answered = tokio::select! {
                answered = sender.try_send_request(request) => answered,
                () = self.is_over(&node.id) => return Err(Failure::Lost),
            };
            match answered {
                Ok(response) => break (node, sender, response),
                Err(mut error) => match error.take_message() {
                    // The connection was closed before anything of it was sent.
                    Some(unsent) if may_be_kept => {
                        request = unsent;
                        may_be_kept = false;
                    }
                    _ => {
                        let error = error.into_error();
                        tracing::info!(node = node.address, %error, "a request to the node that serves was lost");
                        return Err(Failure::Lost);
                    }
                },
            }
        };
        let Gone(gone) = gone.unwrap_or_default();
        if response.status() == StatusCode::SWITCHING_PROTOCOLS
            && let Some(theirs) = theirs
        {
            let ours = hyper::upgrade::on(&mut response);
            let forwarder = Arc::clone(self);
            tokio::spawn(async move {
                let (Ok(theirs), Ok(ours)) = tokio::join!(theirs, ours) else {
                    return;
                };
                let (mut theirs, mut ours) = (TokioIo::new(theirs), TokioIo::new(ours));
                tokio::select! {
                    // It ends with either side.
                    _ = tokio::io::copy_bidirectional(&mut theirs, &mut ours) => {}
                    () = forwarder.is_over(&node.id) => {}
                    // A client that does not read keeps the end of the other side from being seen.
                    () = gone.cancelled() => {}
                }
            });
        } else if is_question {
            self.keep(node.id, sender);
        }
        Ok(response.map(Body::new))
    }
}

/// Why a node cannot be connected to.
enum Refused {
    Unreachable(String),
    /// It has another secret, or another protocol.
    Stranger(String),
}

/// Forwards a request to the node that serves.
pub async fn answer(
    State(forwarder): State<Arc<Forwarder>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
) -> Response {
    let path = request.uri().path();
    if path == forwarder.alive {
        return "ok".into_response();
    }
    if path == forwarder.ready {
        return match forwarder.reaches().await {
            true => "stands by".into_response(),
            false => (
                StatusCode::SERVICE_UNAVAILABLE,
                "the node that serves cannot be reached",
            )
                .into_response(),
        };
    }
    // An address of another host would lead away.
    let may_ask_again = matches!(*request.method(), Method::GET | Method::HEAD)
        && request.uri().authority().is_none()
        && !path.starts_with("//");
    let again = request.uri().to_string();
    match forwarder.forward(request, peer).await {
        Ok(response) => response,
        // This node serves in a moment: the same connection is of no use for it.
        Err(_) if may_ask_again && forwarder.taken_over.is_cancelled() => (
            StatusCode::TEMPORARY_REDIRECT,
            [
                (header::LOCATION, again),
                (header::CONNECTION, "close".to_owned()),
            ],
        )
            .into_response(),
        Err(Failure::Nobody) => (
            StatusCode::SERVICE_UNAVAILABLE,
            [(header::RETRY_AFTER, "2"), (header::CONNECTION, "close")],
            NOBODY,
        )
            .into_response(),
        // Whoever reads this decides whether to ask again.
        Err(Failure::Lost) => (
            StatusCode::BAD_GATEWAY,
            [(header::CONNECTION, "close")],
            LOST,
        )
            .into_response(),
    }
}

/// What is answered while no node serves.
const NOBODY: &str = "Nothing was done: no node of Handrail serves at the moment, and another one is about to take over. Try again in a few seconds.\n";
/// What is answered when the node that serves has ended meanwhile.
const LOST: &str = "The node of Handrail that served has ended before it answered. Nobody knows whether it has done what was asked: reload the page \
                    and check before you try again.\n";
