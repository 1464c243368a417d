//! The two sockets of 1.x, from the handshake to the close.
//!
//! The key is in the query, a header, or preferably the client's first frame. The server's waits until no tool runs.

use std::future::pending;
use std::time::Duration;

use axum::extract::ws::{Message, WebSocketUpgrade};
use axum::http::{HeaderMap, Uri};
use tokio::time::{Instant, sleep_until, timeout};

use super::conversation::{Conversation, event_id};
use super::followers::{Out, SocketKind};
use super::{agent, stage::Stage};
use crate::clock;
use crate::http::prelude::*;
use crate::link::{self, Ended, Link};

/// How long a client may take to send its key.
const AUTHENTICATION: Duration = Duration::from_secs(10);
/// Interval of the server's pings.
const PING: Duration = Duration::from_secs(20);

/// `GET /sockets/session/{id}`: refused at the handshake before 1.45.
pub async fn open_session(
    state: State<Arc<Stage>>,
    path: Path<String>,
    params: Params,
    headers: HeaderMap,
    uri: Uri,
    upgrade: WebSocketUpgrade,
) -> Response {
    match state.is_old() {
        true => StatusCode::FORBIDDEN.into_response(),
        false => open(state, path, params, headers, uri, upgrade).await,
    }
}

/// `GET /sockets/session/{id}` and `GET /sockets/events/{id}`.
pub async fn open(
    State(stage): State<Arc<Stage>>,
    Path(id): Path<String>,
    Query(params): Params,
    headers: HeaderMap,
    uri: Uri,
    upgrade: WebSocketUpgrade,
) -> Response {
    let (kind, after) = if uri.path().starts_with("/sockets/session/") {
        let after = params.get("after_seq").and_then(|seq| seq.parse().ok());
        (SocketKind::Session, after)
    } else {
        let wants_history = params.contains_key("resend_mode");
        (SocketKind::Events, wants_history.then_some(0))
    };
    let header = headers.get("X-Session-API-Key");
    let given = params.get("session_api_key").map(String::as_str);
    let given = given.or_else(|| header.and_then(|value| value.to_str().ok()));
    let is_uuid =
        id.replace('-', "").len() == 32 && id.chars().all(|c| c == '-' || c.is_ascii_hexdigit());
    let wanted = stage.world.options.session_api_key.as_deref();
    if !is_uuid || given.is_some_and(|given| wanted.is_some_and(|wanted| wanted != given)) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let is_known = given.is_some() || wanted.is_none();
    upgrade.on_upgrade(move |socket| {
        let world = stage.world.clone();
        let tasks = world.tasks.clone();
        let mut connection = Connection {
            link: Link::new(socket, world.clone()),
            stage,
            kind,
            after,
            conversation: id,
            is_known,
        };
        tasks.track_future(async move {
            let is_stopping = link::serve(&world, connection.relay()).await;
            if is_stopping {
                // A client that has disconnected misses nothing.
                let _ = connection.link.close(1012, "").await;
            }
        })
    })
}

struct Connection {
    link: Link,
    stage: Arc<Stage>,
    kind: SocketKind,
    after: Option<i64>,
    conversation: String,
    /// Whether the client is authenticated, or no key is required.
    is_known: bool,
}

impl Connection {
    async fn relay(&mut self) -> Result<(), Ended> {
        let armed = &self.stage.world.armed;
        if armed.wire().hang {
            pending::<()>().await;
        }
        if let Some(body) = armed.refusal() {
            let code = body["code"].as_u64();
            let code = code.and_then(|code| u16::try_from(code).ok());
            let code = code.unwrap_or(1013);
            return self.link.close(code, "refused on demand").await;
        }
        if !self.is_known && !self.authenticated().await {
            return self.link.close(4001, "Authentication failed").await;
        }
        let Some(conversation) = self.stage.find(&self.conversation) else {
            return self.link.close(4004, "Conversation not found").await;
        };
        // The real server sends nothing while a tool runs.
        drop(conversation.busy.lock().await);
        self.stage.world.tally.connected();
        let mut outs = conversation.join(self.kind, self.after);
        let mut ping = Instant::now() + PING;
        loop {
            let held = self.link.held_until();
            tokio::select! {
                message = self.link.socket.recv() => match message {
                    Some(Ok(Message::Text(text))) => self.receive(&conversation, &text).await?,
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return Err(Ended),
                    Some(Ok(_)) => {}
                },
                out = link::next(Some(&mut outs)) => match out {
                    None => return self.link.close(1013, "slow_consumer").await,
                    Some(out) => match out {
                    Out::Stored(seq, event) => match self.kind.frame(seq, &event) {
                        Some(text) => self.link.event(text.into()).await?,
                        None => return self.link.close(1013, "frame_too_large").await,
                    },
                    Out::Text(text) => self.link.event(text).await?,
                    Out::Raw(text) => self.link.text(text).await?,
                    Out::Close(code, reason) => return self.link.close(code, reason).await,
                    },
                },
                () = sleep_until(ping) => {
                    self.link.socket.send(Message::Ping(Bytes::new())).await?;
                    ping += PING;
                }
                () = sleep_until(held.unwrap_or(ping)), if held.is_some() => self.link.release().await?,
            }
        }
    }

    /// Waits for the key in the first frame.
    async fn authenticated(&mut self) -> bool {
        let first = timeout(AUTHENTICATION, self.link.socket.recv()).await;
        let Ok(Some(Ok(Message::Text(first)))) = first else {
            return false;
        };
        let first: Value = serde_json::from_str(&first).unwrap_or_default();
        let wanted = self.stage.world.options.session_api_key.as_deref();
        first["type"] == "auth" && first["session_api_key"].as_str() == wanted
    }

    /// A message from a client always starts a run; an invalid frame gets an error.
    async fn receive(&mut self, conversation: &Arc<Conversation>, text: &str) -> Result<(), Ended> {
        let said: Value = serde_json::from_str(text).unwrap_or_default();
        if said["type"] == "auth" {
            return Ok(());
        }
        if said["role"].is_string() && said["content"].is_array() {
            let (stage, conversation) = (self.stage.clone(), conversation.clone());
            // The socket stays responsive while the message waits for the step.
            self.stage.world.tasks.spawn(async move {
                let held = conversation.busy.lock().await;
                agent::take_message(&stage, &conversation, &said["content"], true);
                drop(held);
            });
            return Ok(());
        }
        let code = "ValidationError";
        let detail = "1 validation error for Message\nrole\n  Field required";
        let complaint = match self.kind {
            SocketKind::Session => json!({"type": "error", "code": code, "detail": detail}),
            SocketKind::Events => {
                json!({"kind": "ServerErrorEvent", "source": "environment", "code": code, "detail": detail,
                    "id": event_id(), "timestamp": clock::naive()})
            }
        };
        self.link.text(complaint.to_string()).await
    }
}
