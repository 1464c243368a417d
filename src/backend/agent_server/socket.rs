//! One WebSocket to one conversation, from its handshake to its end.
//!
//! The key goes in the first frame: in an address it would be logged. The server answers the handshake at once, and
//! sends its first frame only when no tool runs, so an open socket that says nothing is a good one; as long as it
//! waits it occupies a place among those that wait for the conversation ([`super::locks`]).

use super::Server;
use super::ending::End;
use crate::conversation::{
    Piece,
    from_v1::{bare_piece, piece},
};
use crate::wire::{
    read_json,
    v1::{Event, Frame},
};
use futures_util::{SinkExt, StreamExt};
use serde_json::json;
use std::time::Duration;
use tokio::{sync::mpsc, time::timeout};
use tokio_tungstenite::{
    connect_async_with_config,
    tungstenite::{Error, Message, protocol::WebSocketConfig},
};
use url::Url;

/// How long the handshake may take.
const OPEN: Duration = Duration::from_secs(15);
/// How long our own consumer may take for one frame: longer, and the server gives us up.
const STALL: Duration = Duration::from_secs(20);
/// The largest frame that is read. The server sends none above 4 MiB on one kind of socket and knows no limit on
/// the other.
const MOST_BYTES: usize = 64 << 20;

/// Which socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `/sockets/session`, since 1.45: history and what happens in one order, with a cursor.
    Session,
    /// `/sockets/events`: bare events, repeated and out of order. It only tells that there is something to read.
    Events,
}

/// What arrives.
#[derive(Debug)]
pub(super) enum Incoming {
    /// A frame of the session socket.
    Frame(Frame),
    /// Something that the model is writing.
    Piece(Piece),
    /// Something happened (older socket).
    Stirred,
}

/// Holds a socket until it ends, and says why. `after` is the server's own number of the newest event.
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
    let dial = connect_async_with_config(url.as_str(), Some(config), true);
    let mut socket = match timeout(OPEN, dial).await {
        Err(_) => return End::Unreachable("no handshake in time".to_owned()),
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
                return End::closed(close.code.into(), &close.reason);
            }
            Ok(Message::Close(None)) => return End::Closed,
            Ok(_) => continue,
            Err(error) => return broken(&error),
        };
        // The conversation was not locked any more.
        drop(waiting.take());
        let incoming = incoming(kind, text.as_bytes());
        if out.send_timeout(incoming, STALL).await.is_err() {
            return End::Broken("Handrail could not keep up".to_owned());
        }
    }
    End::Closed
}

/// What is not understood is found where it is stored.
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
    let after = after.to_string();
    let cursor = [("after_seq", after.as_str())];
    let (name, query) = match kind {
        Kind::Session => ("session", &cursor[..]),
        // It repeats nothing unless it is asked to: what is stored is read from pages.
        Kind::Events => ("events", &[][..]),
    };
    let mut url = server
        .rest
        .connection()
        .url(&["sockets", name, conversation], query);
    let scheme = if url.scheme() == "https" { "wss" } else { "ws" };
    url.set_scheme(scheme).expect("both are schemes of the web");
    url
}

/// Why there is no socket.
fn refused(error: &Error) -> End {
    match error {
        Error::Http(answer) => match answer.status().as_u16() {
            401 => End::Unauthorized,
            status => End::NoSocket(format!("it answers {status}")),
        },
        Error::Io(error) => End::Unreachable(error.to_string()),
        error => End::NoSocket(error.to_string()),
    }
}

fn broken(error: &Error) -> End {
    match error {
        Error::ConnectionClosed | Error::AlreadyClosed => End::Closed,
        error => End::Broken(error.to_string()),
    }
}
