//! The 1.x dialect as its clients see it: over real sockets, at full speed.

mod approvals;
mod auth;
mod files;
mod scenarios;
mod shapes;
mod steps;

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use super::super::{Dialect, Options, Rehearsal};
use crate::tests::{call, get};

/// Long enough for a loaded machine; only a failing test waits this long.
const TIMEOUT: Duration = Duration::from_secs(20);

fn options() -> Options {
    Options {
        dialect: Dialect::AgentServer,
        pace: Duration::ZERO,
        rate_limit: false,
        ..Options::default()
    }
}

async fn start() -> Rehearsal {
    start_with(options()).await
}

async fn start_with(options: Options) -> Rehearsal {
    Rehearsal::start(options)
        .await
        .expect("loopback has a free port")
}

async fn post(server: &Rehearsal, id: &str, route: &str, body: Value) -> (u16, Value) {
    call(
        server,
        "POST",
        &format!("/api/conversations/{id}/{route}"),
        Some(body),
    )
    .await
}

fn message(text: &str) -> Value {
    json!({"role": "user", "content": [{"type": "text", "text": text}], "run": true})
}

/// Creates a conversation and returns its id.
async fn create(server: &Rehearsal) -> String {
    let (status, body) = call(server, "POST", "/api/conversations", Some(json!({}))).await;
    assert_eq!(status, 201, "{body}");
    body["id"].as_str().expect("an id").to_owned()
}

/// Creates a conversation, joins it, and sends a message.
async fn create_conversation(server: &Rehearsal, text: &str) -> (String, Socket) {
    let id = create(server).await;
    let socket = Socket::session(server, &id, -1).await;
    let (status, _) = post(server, &id, "events", message(text)).await;
    assert_eq!(status, 200);
    (id, socket)
}

/// A WebSocket to a conversation.
struct Socket {
    socket: WebSocketStream<TcpStream>,
}

impl Socket {
    async fn open(server: &Rehearsal, path: &str) -> Result<Self, Error> {
        let stream = TcpStream::connect(server.addr())
            .await
            .expect("a connection");
        let url = format!("ws://{}{path}", server.addr());
        let (socket, _) = client_async(url, stream).await?;
        Ok(Self { socket })
    }

    async fn session(server: &Rehearsal, id: &str, after: i64) -> Self {
        Self::open(server, &format!("/sockets/session/{id}?after_seq={after}"))
            .await
            .expect("a handshake")
    }

    async fn say(&mut self, value: Value) {
        let sent = self.socket.send(Message::text(value.to_string())).await;
        sent.expect("an open socket");
    }

    /// The next frame; for a close frame its code.
    async fn frame(&mut self) -> Value {
        loop {
            let message = timeout(TIMEOUT, self.socket.next())
                .await
                .expect("a frame in time");
            match message {
                Some(Ok(Message::Text(text))) => {
                    return serde_json::from_str(&text).unwrap_or(Value::String(text.to_string()));
                }
                Some(Ok(Message::Close(Some(close)))) => return u16::from(close.code).into(),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return json!("lost"),
            }
        }
    }

    /// All frames up to and including the first match.
    async fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut frames = Vec::new();
        loop {
            let frame = self.frame().await;
            assert_ne!(frame, "lost", "{frames:?}");
            frames.push(frame);
            if frames.last().is_some_and(&wanted) {
                return frames;
            }
        }
    }

    /// The stored events up to and including this status.
    async fn until_status(&mut self, status: &str) -> Vec<Value> {
        let frames = self
            .until(|frame| {
                frame["event"]["key"] == "execution_status" && frame["event"]["value"] == status
            })
            .await;
        frames
            .into_iter()
            .filter(|frame| frame["type"] == "durable")
            .map(|mut frame| frame["event"].take())
            .collect()
    }
}

/// Short names of events, to compare sequences; empty state updates are left out.
fn outlines(events: &[Value]) -> Vec<String> {
    let said = |event: &Value| {
        let kind = event["kind"].as_str().unwrap_or("?").to_owned();
        match (event["key"].as_str(), event["action"]["kind"].as_str()) {
            (Some("execution_status"), _) => Some(event["value"].as_str()?.to_owned()),
            (Some(_), _) => None,
            (None, Some(action)) => Some(action.to_owned()),
            (None, None) => Some(kind),
        }
    };
    events.iter().filter_map(said).collect()
}
