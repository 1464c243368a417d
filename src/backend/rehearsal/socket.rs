//! One Socket.IO connection, from the open packet to its end.
//!
//! Written on the WebSocket itself, because the dialect is in the details no Socket.IO library offers: the replay comes
//! *before* the CONNECT packet, a refusal carries `data`, some connections are never answered, and after a refusal or a
//! kick the WebSocket stays open.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, sleep, sleep_until};

use super::conversation::{Conversation, Out};
use super::packet::{self, Packet};
use super::requests;
use super::world::{World, lock};

type Params = HashMap<String, String>;

/// How long an event waits to be overtaken.
const OVERTAKING: Duration = Duration::from_millis(200);

/// `GET /socket.io/`.
pub async fn upgrade(
    State(world): State<Arc<World>>,
    Query(params): Query<Params>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    if params.get("EIO").is_none_or(|version| version != "4") {
        return StatusCode::FORBIDDEN.into_response();
    }
    let Ok(upgrade) = upgrade else {
        // The real server polls, too; no client of ours does.
        return (StatusCode::BAD_REQUEST, axum::Json("Invalid transport")).into_response();
    };
    let limited = upgrade
        .max_message_size(packet::MAX_PAYLOAD)
        .max_frame_size(packet::MAX_PAYLOAD);
    limited.on_upgrade(move |socket| {
        let tasks = world.tasks.clone();
        let link = Link {
            ws: socket,
            world,
            params,
            joined: None,
            connected: false,
            held: VecDeque::new(),
        };
        async move { tasks.track_future(link.serve()).await }
    })
}

/// A WebSocket and what it is connected to.
struct Link {
    ws: WebSocket,
    world: Arc<World>,
    params: Params,
    joined: Option<(Arc<Conversation>, UnboundedReceiver<Out>)>,
    /// A first CONNECT came, whatever was answered.
    connected: bool,
    /// An event that waits to be overtaken, under [`super::Fault::Reorder`].
    held: VecDeque<(Utf8Bytes, Instant)>,
}

/// The WebSocket is of no more use.
struct Ended;

impl From<axum::Error> for Ended {
    fn from(_: axum::Error) -> Self {
        Self
    }
}

/// What becomes of a CONNECT.
enum Verdict {
    Accept,
    Refuse(Value),
    /// The real server's handler raises, and nobody tells the client.
    Silence,
}

impl Link {
    async fn serve(mut self) {
        let mut drops = self.world.drops.subscribe();
        let ended = self.world.ended.clone();
        tokio::select! {
            // The future is dropped, and with it the TCP connection: no close frame.
            _ = drops.changed() => {}
            () = ended.cancelled() => {}
            _ = self.relay() => {}
        }
    }

    async fn relay(&mut self) -> Result<(), Ended> {
        let interval = Duration::from_millis(packet::PING_INTERVAL);
        let timeout = Duration::from_millis(packet::PING_TIMEOUT);
        let (mut ping, mut pong) = (Instant::now() + interval, None);
        let sid = self.world.new_id()[..20].to_owned();
        self.text(packet::open(&sid)).await?;
        loop {
            let held = self.held.front().map(|(_, until)| *until);
            tokio::select! {
                message = self.ws.recv() => match message {
                    Some(Ok(Message::Text(text))) => match packet::parse(&text) {
                        Packet::Pong => pong = None,
                        packet => self.receive(packet).await?,
                    },
                    Some(Ok(Message::Close(_))) | None => return Err(Ended),
                    Some(Ok(_)) => {}
                    Some(Err(_)) => return self.close().await,
                },
                out = next(&mut self.joined) => self.send(out).await?,
                () = sleep_until(ping) => {
                    self.text(Utf8Bytes::from_static("2")).await?;
                    ping += interval;
                    pong.get_or_insert(Instant::now() + timeout);
                }
                () = sleep_until(pong.unwrap_or(ping)), if pong.is_some() => return self.close().await,
                () = sleep_until(held.unwrap_or(ping)), if held.is_some() => self.release().await?,
            }
        }
    }

    async fn text(&mut self, text: Utf8Bytes) -> Result<(), Ended> {
        Ok(self.ws.send(Message::Text(text)).await?)
    }

    /// Code 1000 without a reason, for silence and for packets that are too large.
    async fn close(&mut self) -> Result<(), Ended> {
        let frame = CloseFrame {
            code: 1000,
            reason: Utf8Bytes::from_static(""),
        };
        Ok(self.ws.send(Message::Close(Some(frame))).await?)
    }

    async fn receive(&mut self, packet: Packet) -> Result<(), Ended> {
        match packet {
            Packet::Connect(_) if self.connected => {
                self.text(Utf8Bytes::from_static("44\"Unable to connect\""))
                    .await
            }
            Packet::Connect(auth) => self.connect(&auth).await,
            Packet::ConnectElsewhere(namespace) => {
                self.text(packet::refused_elsewhere(&namespace)).await
            }
            Packet::Disconnect => {
                self.joined = None;
                Ok(())
            }
            Packet::Event { name, ack, payload }
                if name == "oh_user_action" || name == "oh_action" =>
            {
                let agent = self
                    .joined
                    .as_ref()
                    .and_then(|(conversation, _)| conversation.agent());
                let accepted = agent
                    .zip(requests::read(payload))
                    .is_some_and(|(to, input)| to.send(input).is_ok());
                match ack {
                    Some(id) if accepted => self.text(packet::ack(id)).await,
                    _ => Ok(()),
                }
            }
            Packet::Event { .. } | Packet::Other | Packet::Pong => Ok(()),
        }
    }

    async fn connect(&mut self, auth: &Value) -> Result<(), Ended> {
        self.connected = true;
        match self.verdict(auth) {
            Verdict::Silence => Ok(()),
            Verdict::Refuse(body) => self.text(packet::refused(&body)).await,
            Verdict::Accept => {
                let id = self
                    .params
                    .get("conversation_id")
                    .map_or("", String::as_str);
                if id.contains(['/', '.']) {
                    let message = "Failed to create agent session: FileNotFoundError";
                    self.text(packet::connected(&self.world.new_id()[..20]))
                        .await?;
                    return self
                        .text(packet::event(&json!({"error": true, "message": message})))
                        .await;
                }
                let conversation = self.world.find_or_create(id);
                self.world.start(&conversation, None).await;
                let latest = self
                    .params
                    .get("latest_event_id")
                    .and_then(|id| id.parse().ok())
                    .unwrap_or(-1);
                let receiver = conversation.join(latest);
                self.joined = Some((conversation, receiver));
                self.world.tally.connected();
                Ok(())
            }
        }
    }

    fn verdict(&self, auth: &Value) -> Verdict {
        if self.world.armed.wire().hang || auth.as_object().is_some_and(|auth| !auth.is_empty()) {
            return Verdict::Silence;
        }
        if let Some(body) = self.world.armed.refusal() {
            return Verdict::Refuse(body);
        }
        let param = |name: &str| self.params.get(name).map(String::as_str);
        if param("conversation_id").is_none_or(str::is_empty) {
            return Verdict::Refuse(json!({"message": "No conversation_id in query params"}));
        }
        let known = ["", "github", "gitlab", "bitbucket", "enterprise_sso"];
        if !param("providers_set")
            .unwrap_or("")
            .split(',')
            .all(|provider| known.contains(&provider))
        {
            return Verdict::Silence;
        }
        match (
            &self.world.options.session_api_key,
            param("session_api_key"),
        ) {
            (Some(_), None) => return Verdict::Silence,
            (Some(key), Some(given)) if key != given => {
                return Verdict::Refuse(json!({"message": "invalid_session_api_key"}));
            }
            _ => {}
        }
        if lock(&self.world.settings).stored().is_none() {
            let data = json!({"msg_id": "CONFIGURATION$SETTINGS_NOT_FOUND"});
            return Verdict::Refuse(json!({"message": "Settings not found", "data": data}));
        }
        Verdict::Accept
    }

    async fn send(&mut self, out: Out) -> Result<(), Ended> {
        match out {
            Out::Event(text) => self.event(text).await,
            Out::Accepted => {
                let sid = self.world.new_id()[..20].to_owned();
                self.text(packet::connected(&sid)).await
            }
            Out::Raw(text) => self.text(text).await,
            Out::Leave => {
                self.joined = None;
                self.text(Utf8Bytes::from_static("41")).await
            }
        }
    }

    /// An event on its way through whatever is wrong with the wire.
    async fn event(&mut self, text: Utf8Bytes) -> Result<(), Ended> {
        let wire = self.world.armed.wire();
        if !wire.delay.is_zero() {
            sleep(wire.delay).await;
        }
        if wire.reorder && self.held.is_empty() {
            self.held.push_back((text, Instant::now() + OVERTAKING));
            return Ok(());
        }
        if wire.duplicate {
            self.text(text.clone()).await?;
        }
        self.text(text).await?;
        self.release().await
    }

    async fn release(&mut self) -> Result<(), Ended> {
        while let Some((text, _)) = self.held.pop_front() {
            self.text(text).await?;
        }
        Ok(())
    }
}

/// The next thing to send; never, while nothing is joined.
async fn next(joined: &mut Option<(Arc<Conversation>, UnboundedReceiver<Out>)>) -> Out {
    match joined {
        Some((_, receiver)) => match receiver.recv().await {
            Some(out) => out,
            // The room was emptied without a word: stay as silent.
            None => std::future::pending().await,
        },
        None => std::future::pending().await,
    }
}
