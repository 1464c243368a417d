//! One WebSocket to a conversation, from its handshake to its end.
//!
//! The key is sent in the first frame, because servers log URLs. The server's first frame waits until no tool runs, so
//! a silent WebSocket may be healthy. Until then it holds one of the conversation's permits ([`super::WAITING`]).

use super::Server;
use crate::backend::ending::End;
use crate::backend::live_stream::room;
use crate::conversation::Piece;
use crate::conversation::from_v1::{bare_piece, piece};
use crate::wire::v1::{Event, Frame};
use crate::wire::{read_json, reading_cost};
use futures_util::{SinkExt, StreamExt};
use serde_json::json;
use std::time::Duration;
use tokio::{sync::mpsc, time::timeout};
use tokio_tungstenite::connect_async_with_config;
use tokio_tungstenite::tungstenite::{Error, Message, protocol::WebSocketConfig};
use url::Url;

/// Timeout of the handshake.
const OPEN: Duration = Duration::from_secs(15);
/// How long a full channel may block: if it takes longer, the server drops the connection.
const STALL: Duration = Duration::from_secs(20);
/// Size limit of a frame, in bytes: at most 4 MiB on one kind, unlimited on the other. Pages have larger events.
const MOST_BYTES: usize = 8 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `/sockets/session`, since 1.45: history and live events in order, with a cursor.
    Session,
    /// `/sockets/events`: bare events, repeated and unordered. Only used as a signal to read stored pages.
    Events,
}

#[derive(Debug)]
pub(super) enum Incoming {
    /// A frame of the session socket.
    Frame(Frame),
    /// Streamed text of the model.
    Piece(Piece),
    /// A signal that there are new events (older WebSocket).
    Stirred,
}

/// Runs a WebSocket until it ends. `after` is the server's sequence number of the newest known event.
pub(super) async fn run(
    server: &Server,
    conversation: &str,
    kind: Kind,
    after: i64,
    out: mpsc::Sender<Incoming>,
) -> End {
    let waiting = server.locks.take(conversation).await;
    let url = address(server, conversation, kind, after);
    let config = WebSocketConfig::default()
        .max_message_size(Some(MOST_BYTES))
        .max_frame_size(Some(MOST_BYTES));
    if let Err(why) = server.rest.connection().check_lookup().await {
        return End::Unreachable(why);
    }
    let dial = connect_async_with_config(url.as_str(), Some(config), true);
    let mut socket = match timeout(OPEN, dial).await {
        Err(_) => return End::Unreachable("the handshake timed out".to_owned()),
        Ok(Err(error)) => return refused(&error),
        Ok(Ok((socket, _))) => socket,
    };
    if let Some(key) = &server.rest.connection().session_api_key {
        let auth = json!({ "type": "auth", "session_api_key": key }).to_string();
        if let Err(error) = socket.send(Message::text(auth)).await {
            return broken(&error);
        }
    }
    let mut waiting = Some(waiting);
    while let Some(message) = socket.next().await {
        let text = match message {
            Ok(Message::Text(text)) => text,
            Ok(Message::Close(Some(close))) => {
                return closed(close.code.into(), &close.reason);
            }
            Ok(Message::Close(None)) => return End::Disconnected,
            Ok(_) => continue,
            Err(error) => return broken(&error),
        };
        // The first frame means that the conversation is no longer locked.
        drop(waiting.take());
        let bytes = reading_cost(text.as_bytes());
        let incoming = incoming(kind, text.as_bytes());
        drop(text);
        match timeout(STALL, room(&out, bytes)).await {
            Ok(Some(room)) => room.send(incoming),
            _ => return End::Broken("Handrail could not keep up".to_owned()),
        }
    }
    End::Disconnected
}

/// Parses a message. One that cannot be parsed is a signal to read stored pages.
fn incoming(kind: Kind, text: &[u8]) -> Incoming {
    let Some(json) = read_json(text) else {
        return Incoming::Stirred;
    };
    match kind {
        Kind::Events => bare_piece(&Event::read(json)).map_or(Incoming::Stirred, Incoming::Piece),
        Kind::Session => {
            let frame = Frame::read(json);
            piece(&frame).map_or(Incoming::Frame(frame), Incoming::Piece)
        }
    }
}

fn address(server: &Server, conversation: &str, kind: Kind, after: i64) -> Url {
    let (connection, after) = (server.rest.connection(), after.to_string());
    let cursor = [("after_seq", after.as_str())];
    let mut url = match kind {
        Kind::Session => connection.url(&["sockets", "session", conversation], &cursor),
        // By default it does not repeat history, which is read from pages.
        Kind::Events => connection.url(&["sockets", "events", conversation], &[]),
    };
    let scheme = if url.scheme() == "https" { "wss" } else { "ws" };
    url.set_scheme(scheme).expect("both are schemes of the web");
    url
}

/// Why the handshake failed.
fn refused(error: &Error) -> End {
    match error {
        Error::Http(answer) => match answer.status().as_u16() {
            401 => End::Unauthorized,
            status => End::NoSocket(format!("status {status}")),
        },
        Error::Io(error) => End::Unreachable(error.to_string()),
        error => End::NoSocket(error.to_string()),
    }
}

fn broken(error: &Error) -> End {
    match error {
        Error::ConnectionClosed | Error::AlreadyClosed => End::Disconnected,
        Error::Capacity(_) => End::TooLarge,
        error => End::Broken(error.to_string()),
    }
}

/// Interprets a close code and its reason (`docs/protocol/v1.md` section 5).
fn closed(code: u16, reason: &str) -> End {
    match (code, reason) {
        (4001, _) => End::Unauthorized,
        (4004, _) => End::Unknown,
        (1012, _) => End::Stopping,
        (1013, "frame_too_large") => End::TooLarge,
        (1013, "slow_consumer") => End::refused("Handrail did not keep up."),
        (1013, reason) if reason.contains("credential") => End::refused(
            "this conversation needs credentials. Open it in the client that created it.",
        ),
        (1013, _) => End::refused("too many connections to this conversation are open."),
        (1000 | 1001, _) => End::Disconnected,
        (code, reason) => {
            let reason: String = reason.chars().take(200).collect();
            End::Broken(format!("{code} {reason}").trim_end().to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_is_told_apart() {
        assert_eq!(closed(4001, "Authentication failed"), End::Unauthorized);
        assert_eq!(closed(4004, "Conversation not found"), End::Unknown);
        assert_eq!(closed(1012, ""), End::Stopping);
        assert_eq!(closed(1013, "frame_too_large"), End::TooLarge);
        assert!(matches!(
            closed(1013, "Too many connections for this conversation"),
            End::Refused { .. }
        ));
        assert_eq!(
            closed(1011, "subscribe_failed"),
            End::Broken("1011 subscribe_failed".to_owned())
        );
    }
}
