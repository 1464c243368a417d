//! A relay on this machine, between the server's WebSocket and `rust_socketio`.
//!
//! The crate parses what it receives by itself: a frame with `NaN` ends its connection, and one with half of a surrogate
//! pair is dropped without a word. Python writes both, and 0.62 stores such events but cannot return them by REST. So
//! the crate connects to this relay, which passes frames on in standard form.
//!
//! Invariant: one relay accepts one client, which knows its random path, and it ends with either side.

use crate::backend::ending::End;
use crate::backend::http::tls;
use crate::wire::standard_json;
use futures_util::{Sink, Stream, StreamExt};
use std::borrow::Cow;
use std::future::Future;
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::StatusCode;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{Connector, accept_hdr_async, connect_async_tls_with_config};
use url::Url;

/// Size limit of a frame, in bytes: the crate has the same.
const MOST_BYTES: usize = 16 << 20;

/// Connects to the server, and returns where the crate finds the relay, with the relay itself.
///
/// # Errors
/// Why there is no connection.
pub(super) async fn open(url: &Url) -> Result<(Url, impl Future<Output = ()> + use<>), End> {
    let mut target = url.clone();
    target
        .query_pairs_mut()
        .append_pair("EIO", "4")
        .append_pair("transport", "websocket");
    let scheme = if url.scheme() == "https" { "wss" } else { "ws" };
    target
        .set_scheme(scheme)
        .expect("both are schemes of the web");
    let config = WebSocketConfig::default()
        .max_message_size(Some(MOST_BYTES))
        .max_frame_size(Some(MOST_BYTES));
    let connector = tls::connector().map(Connector::NativeTls);
    let dial = connect_async_tls_with_config(target.as_str(), Some(config), true, connector);
    let (server, _) = dial
        .await
        .map_err(|error| End::Unreachable(cause(&error)))?;
    let listener = TcpListener::bind(("127.0.0.1", 0)).await;
    let listener = listener.map_err(|error| End::Unreachable(error.to_string()))?;
    let at = listener.local_addr();
    let at = at.map_err(|error| End::Unreachable(error.to_string()))?;
    let path = format!("/{:032x}/", rand::random::<u128>());
    let place = format!("http://{at}{path}");
    let place = Url::parse(&place).expect("an address and a path are a URL");
    Ok((place, relay(listener, path, server)))
}

/// Passes frames on in both directions, until one side ends.
async fn relay(
    listener: TcpListener,
    path: String,
    server: impl Sink<Message, Error = Error> + Stream<Item = Result<Message, Error>>,
) {
    let Some(client) = accepted(&listener, &path).await else {
        return;
    };
    drop(listener);
    let (to_server, from_server) = server.split();
    let (to_client, from_client) = client.split();
    let is_said = |message: &Result<Message, Error>| {
        // Each side answers pings by itself.
        let is_said = !matches!(message, Ok(Message::Ping(_) | Message::Pong(_)));
        std::future::ready(is_said)
    };
    let from_server = from_server
        .filter(is_said)
        .map(|message| message.map(standard));
    tokio::select! {
        _ = from_server.forward(to_client) => {}
        _ = from_client.filter(is_said).forward(to_server) => {}
    }
}

/// The client that knows the path; others are turned away.
async fn accepted(
    listener: &TcpListener,
    path: &str,
) -> Option<tokio_tungstenite::WebSocketStream<TcpStream>> {
    loop {
        let (stream, _) = listener.accept().await.ok()?;
        // The signature is the crate's.
        #[allow(clippy::result_large_err)]
        let check = |request: &Request, response: Response| match request.uri().path() == path {
            true => Ok(response),
            false => {
                let mut refusal = ErrorResponse::new(None);
                *refusal.status_mut() = StatusCode::NOT_FOUND;
                Err(refusal)
            }
        };
        if let Ok(client) = accept_hdr_async(stream, check).await {
            return Some(client);
        }
    }
}

/// The frame with its JSON in standard form.
fn standard(message: Message) -> Message {
    match message {
        Message::Text(text) => match standard_json(text.as_bytes()) {
            Cow::Borrowed(_) => Message::Text(text),
            Cow::Owned(changed) => Message::text(String::from_utf8_lossy(&changed).into_owned()),
        },
        other => other,
    }
}

/// The innermost cause of an error: the outer ones only say "EngineIO Error", and some contain the URL with the key.
pub(super) fn cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let text = cause.to_string();
    match text.contains("session_api_key") {
        true => "the handshake failed".to_owned(),
        false => text.chars().take(300).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_of_python_becomes_standard_json_and_others_stay() {
        let passed = |text: &str| standard(Message::text(text)).to_string();
        assert_eq!(
            passed(r#"42["oh_event",{"score":NaN,"text":"caf\udce9"}]"#),
            r#"42["oh_event",{"score":"NaN","text":"caf\ufffd"}]"#
        );
        for same in ["2", "3probe", r#"42["x",{"a":"\ud83d\ude00"}]"#, "4"] {
            assert_eq!(passed(same), same);
        }
    }
}
