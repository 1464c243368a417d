//! The two sockets of 1.x, from the handshake to the end.
//!
//! The key comes in the query, in a header, or, best, in the first frame. The first frame of ours waits until no tool
//! runs in the conversation.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::agent;
use super::conversation::Conversation;
use super::room::{Door, Out};
use super::stage::Stage;

type Params = HashMap<String, String>;

/// How long a client may take to say its key.
const AUTHENTICATION: Duration = Duration::from_secs(10);
/// How often the server pings.
const PING: Duration = Duration::from_secs(20);
/// How long an event waits to be overtaken.
const OVERTAKING: Duration = Duration::from_millis(200);

/// `GET /sockets/session/{id}`.
pub async fn session(
    State(stage): State<Arc<Stage>>,
    Path(id): Path<String>,
    Query(params): Query<Params>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let after = params.get("after_seq").and_then(|seq| seq.parse().ok());
    open(stage, &id, Door::Session, after, &params, &headers, upgrade)
}

/// `GET /sockets/events/{id}`.
pub async fn events(
    State(stage): State<Arc<Stage>>,
    Path(id): Path<String>,
    Query(params): Query<Params>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let history = params.contains_key("resend_mode").then_some(0);
    open(
        stage,
        &id,
        Door::Events,
        history,
        &params,
        &headers,
        upgrade,
    )
}

fn open(
    stage: Arc<Stage>,
    id: &str,
    door: Door,
    after: Option<i64>,
    params: &Params,
    headers: &HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let is_uuid =
        id.replace('-', "").len() == 32 && id.chars().all(|c| c == '-' || c.is_ascii_hexdigit());
    let header = headers.get("X-Session-API-Key");
    let given = params.get("session_api_key").map(String::as_str);
    let given = given.or_else(|| header.and_then(|value| value.to_str().ok()));
    let wanted = stage.world.options.session_api_key.as_deref();
    if !is_uuid || given.is_some_and(|given| wanted.is_some_and(|wanted| wanted != given)) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let link = Link {
        door,
        after,
        conversation: id.to_owned(),
        is_known: given.is_some() || wanted.is_none(),
        held: VecDeque::new(),
        stage,
    };
    upgrade.on_upgrade(move |socket| {
        let tasks = link.stage.world.tasks.clone();
        async move { tasks.track_future(link.serve(socket)).await }
    })
}

/// A WebSocket and what it is for.
struct Link {
    stage: Arc<Stage>,
    door: Door,
    after: Option<i64>,
    conversation: String,
    /// The key was given, or none is wanted.
    is_known: bool,
    /// An event that waits to be overtaken, under [`super::super::Fault::Reorder`].
    held: VecDeque<(Utf8Bytes, Instant)>,
}

/// The WebSocket is of no more use.
struct Ended;

impl From<axum::Error> for Ended {
    fn from(_: axum::Error) -> Self {
        Self
    }
}

impl Link {
    async fn serve(mut self, mut socket: WebSocket) {
        let mut drops = self.stage.world.drops.subscribe();
        let ended = self.stage.world.ended.clone();
        let is_over = tokio::select! {
            // The future is dropped, and with it the TCP connection: no close frame.
            _ = drops.changed() => false,
            () = ended.cancelled() => true,
            _ = self.relay(&mut socket) => false,
        };
        if is_over {
            // Whoever left before misses nothing.
            let _ = close(&mut socket, 1012, "").await;
        }
    }

    async fn relay(&mut self, socket: &mut WebSocket) -> Result<(), Ended> {
        if self.stage.world.armed.wire().hang {
            std::future::pending::<()>().await;
        }
        if let Some(body) = self.stage.world.armed.refusal() {
            let code = body["code"]
                .as_u64()
                .and_then(|code| u16::try_from(code).ok());
            return close(socket, code.unwrap_or(1013), "refused on demand").await;
        }
        if !self.is_known && !self.authenticated(socket).await {
            return close(socket, 4001, "Authentication failed").await;
        }
        let Some(conversation) = self.stage.find(&self.conversation) else {
            return close(socket, 4004, "Conversation not found").await;
        };
        // As the real one: not a word while a tool runs.
        drop(conversation.busy.lock().await);
        self.stage.world.tally.connected();
        let mut outs = conversation.join(self.door, self.after);
        let mut ping = Instant::now() + PING;
        loop {
            let held = self.held.front().map(|(_, until)| *until);
            tokio::select! {
                message = socket.recv() => match message {
                    Some(Ok(Message::Text(text))) => self.receive(socket, &conversation, &text).await?,
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return Err(Ended),
                    Some(Ok(_)) => {}
                },
                out = next(&mut outs) => self.send(socket, out).await?,
                () = sleep_until(ping) => {
                    socket.send(Message::Ping(axum::body::Bytes::new())).await?;
                    ping += PING;
                }
                () = sleep_until(held.unwrap_or(ping)), if held.is_some() => self.release(socket).await?,
            }
        }
    }

    /// Waits for the key in the first frame.
    async fn authenticated(&self, socket: &mut WebSocket) -> bool {
        let Ok(Some(Ok(Message::Text(first)))) = timeout(AUTHENTICATION, socket.recv()).await
        else {
            return false;
        };
        let first: Value = serde_json::from_str(&first).unwrap_or_default();
        let wanted = self.stage.world.options.session_api_key.as_deref();
        first["type"] == "auth" && first["session_api_key"].as_str() == wanted
    }

    /// A message of a client always runs; what is none is complained about.
    async fn receive(
        &self,
        socket: &mut WebSocket,
        conversation: &Arc<Conversation>,
        text: &str,
    ) -> Result<(), Ended> {
        let said: Value = serde_json::from_str(text).unwrap_or_default();
        if said["type"] == "auth" {
            return Ok(());
        }
        if said["role"].is_string() && said["content"].is_array() {
            let (stage, conversation) = (self.stage.clone(), conversation.clone());
            // The socket goes on while the message waits for the step.
            self.stage.world.tasks.spawn(async move {
                let held = conversation.busy.lock().await;
                agent::hear(&stage, &conversation, &said["content"], true);
                drop(held);
            });
            return Ok(());
        }
        let (code, detail) = (
            "ValidationError",
            "1 validation error for Message\nrole\n  Field required",
        );
        let complaint = match self.door {
            Door::Session => json!({"type": "error", "code": code, "detail": detail}),
            Door::Events => {
                json!({"kind": "ServerErrorEvent", "source": "environment", "code": code, "detail": detail,
                "id": conversation.event_id(), "timestamp": super::super::clock::naive()})
            }
        };
        Ok(socket
            .send(Message::Text(complaint.to_string().into()))
            .await?)
    }

    /// A frame on its way through whatever is wrong with the wire.
    async fn send(&mut self, socket: &mut WebSocket, out: Out) -> Result<(), Ended> {
        let text = match out {
            Out::Text(text) => text,
            Out::Raw(text) => return Ok(socket.send(Message::Text(text)).await?),
            Out::Close(code, reason) => return close(socket, code, reason).await,
        };
        let wire = self.stage.world.armed.wire();
        if !wire.delay.is_zero() {
            sleep(wire.delay).await;
        }
        if wire.reorder && self.held.is_empty() {
            self.held.push_back((text, Instant::now() + OVERTAKING));
            return Ok(());
        }
        if wire.duplicate {
            socket.send(Message::Text(text.clone())).await?;
        }
        socket.send(Message::Text(text)).await?;
        self.release(socket).await
    }

    async fn release(&mut self, socket: &mut WebSocket) -> Result<(), Ended> {
        while let Some((text, _)) = self.held.pop_front() {
            socket.send(Message::Text(text)).await?;
        }
        Ok(())
    }
}

/// The next thing to send; never, once the conversation is gone: it goes silent without a word.
async fn next(outs: &mut UnboundedReceiver<Out>) -> Out {
    match outs.recv().await {
        Some(out) => out,
        None => std::future::pending().await,
    }
}

async fn close(socket: &mut WebSocket, code: u16, reason: &'static str) -> Result<(), Ended> {
    let frame = CloseFrame {
        code,
        reason: Utf8Bytes::from_static(reason),
    };
    socket.send(Message::Close(Some(frame))).await?;
    Err(Ended)
}
