//! One Socket.IO connection, from the open packet to its end.
//!
//! Implemented on the WebSocket directly, because the dialect differs in details that no Socket.IO library offers: the
//! replay comes *before* the CONNECT packet, a refusal carries `data`, some connections are never answered, and after a
//! refusal or a kick the WebSocket stays open.

use std::collections::HashMap;
use std::time::Duration;

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message, WebSocketUpgrade};
use tokio::time::{Instant, sleep_until};

use crate::conversation::{Conversation, Out};
use crate::http::prelude::*;
use crate::link::{self, Ended, Link};
use crate::packet::{self, Packet};
use crate::queue::Receiver;
use crate::requests;
use crate::sync::lock;
use crate::world::{World, new_id};

/// `GET /socket.io/`.
pub async fn upgrade(
    State(world): State<Arc<World>>,
    Query(params): Params,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    if params.get("EIO").is_none_or(|version| version != "4") {
        return StatusCode::FORBIDDEN.into_response();
    }
    let Ok(upgrade) = upgrade else {
        // The real server supports polling, too; Handrail does not use it.
        return (StatusCode::BAD_REQUEST, Json("Invalid transport")).into_response();
    };
    let limited = upgrade.max_message_size(packet::MAX_PAYLOAD);
    let limited = limited.max_frame_size(packet::MAX_PAYLOAD);
    limited.on_upgrade(move |socket| {
        let tasks = world.tasks.clone();
        let mut session = Session {
            link: Link::new(socket, world.clone()),
            world: world.clone(),
            params,
            joined: None,
            connected: false,
        };
        tasks.track_future(async move {
            link::serve(&world, session.relay()).await;
        })
    })
}

/// A Socket.IO session and the conversation it has joined.
struct Session {
    link: Link,
    world: Arc<World>,
    params: HashMap<String, String>,
    joined: Option<(Arc<Conversation>, Receiver<Out>)>,
    /// Whether a first CONNECT has arrived, whatever the response.
    connected: bool,
}

fn session_id() -> String {
    new_id()[..20].to_owned()
}

/// The response to a CONNECT.
enum Verdict {
    Accept,
    Refuse(Value),
    /// The real server's handler raises, and the client gets no response.
    Silence,
}

impl Session {
    async fn relay(&mut self) -> Result<(), Ended> {
        let interval = Duration::from_millis(packet::PING_INTERVAL);
        let timeout = Duration::from_millis(packet::PING_TIMEOUT);
        let (mut ping, mut pong) = (Instant::now() + interval, None);
        self.link.text(packet::open(&session_id())).await?;
        loop {
            let held = self.link.held_until();
            let outs = self.joined.as_mut().map(|(_, outs)| outs);
            tokio::select! {
                message = self.link.socket.recv() => match message {
                    Some(Ok(Message::Text(text))) => match packet::parse(&text) {
                        Packet::Pong => pong = None,
                        packet => self.receive(packet).await?,
                    },
                    Some(Ok(Message::Close(_))) | None => return Err(Ended),
                    Some(Ok(_)) => {}
                    Some(Err(_)) => return self.link.close(1000, "").await,
                },
                out = link::next(outs) => match out {
                    Some(out) => self.send(out).await?,
                    // It is too far behind.
                    None => return Err(Ended),
                },
                () = sleep_until(ping) => {
                    self.link.text("2").await?;
                    ping += interval;
                    pong.get_or_insert(Instant::now() + timeout);
                }
                () = sleep_until(pong.unwrap_or(ping)), if pong.is_some() => return self.link.close(1000, "").await,
                () = sleep_until(held.unwrap_or(ping)), if held.is_some() => self.link.release().await?,
            }
        }
    }

    async fn receive(&mut self, packet: Packet) -> Result<(), Ended> {
        match packet {
            Packet::Connect(_) if self.connected => self.link.text("44\"Unable to connect\"").await,
            Packet::Connect(auth) => self.connect(&auth).await,
            Packet::ConnectElsewhere(namespace) => {
                self.link.text(packet::refused_elsewhere(&namespace)).await
            }
            Packet::Disconnect => {
                self.joined = None;
                Ok(())
            }
            Packet::Event { name, ack, payload }
                if name == "oh_user_action" || name == "oh_action" =>
            {
                let joined = self.joined.as_ref();
                let agent = joined.and_then(|(conversation, _)| conversation.agent());
                let sent = agent.zip(requests::read(payload));
                let accepted = sent.is_some_and(|(agent, input)| agent.send(input).is_ok());
                match ack {
                    Some(id) if accepted => self.link.text(packet::ack(id)).await,
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
            Verdict::Refuse(body) => self.link.text(packet::refused(&body)).await,
            Verdict::Accept => self.join().await,
        }
    }

    async fn join(&mut self) -> Result<(), Ended> {
        let id = self.param("conversation_id").unwrap_or_default();
        if id.contains(['/', '.']) {
            let message = "Failed to create agent session: FileNotFoundError";
            let failed = json!({"error": true, "message": message});
            self.link.text(packet::connected(&session_id())).await?;
            return self.link.text(packet::event(&failed)).await;
        }
        let conversation = self.world.find_or_create(id);
        self.world.start(&conversation, None).await;
        let latest = self.param("latest_event_id").and_then(|id| id.parse().ok());
        let receiver = conversation.join(latest.unwrap_or(-1));
        self.joined = Some((conversation, receiver));
        self.world.tally.connected();
        Ok(())
    }

    fn param(&self, name: &str) -> Option<&str> {
        self.params.get(name).map(String::as_str)
    }

    fn verdict(&self, auth: &Value) -> Verdict {
        if self.world.armed.wire().hang || auth.as_object().is_some_and(|auth| !auth.is_empty()) {
            return Verdict::Silence;
        }
        if let Some(body) = self.world.armed.refusal() {
            return Verdict::Refuse(body);
        }
        if self.param("conversation_id").is_none_or(str::is_empty) {
            return Verdict::Refuse(json!({"message": "No conversation_id in query params"}));
        }
        let known = ["", "github", "gitlab", "bitbucket", "enterprise_sso"];
        let mut providers = self.param("providers_set").unwrap_or("").split(',');
        if !providers.all(|provider| known.contains(&provider)) {
            return Verdict::Silence;
        }
        let wanted = self.world.options.session_api_key.as_deref();
        match self.param("session_api_key") {
            None if wanted.is_some() => return Verdict::Silence,
            Some(given) if wanted.is_some_and(|key| key != given) => {
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
            Out::Event(text) => self.link.event(text).await,
            Out::Stored(event) => self.link.event(packet::event(&event)).await,
            Out::Accepted => self.link.text(packet::connected(&session_id())).await,
            Out::Raw(text) => self.link.text(text).await,
            Out::Leave => {
                self.joined = None;
                self.link.text("41").await
            }
        }
    }
}
