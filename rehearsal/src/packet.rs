//! Engine.IO 4 and Socket.IO 5 as text: only the packets that this dialect uses.

use axum::extract::ws::Utf8Bytes;
use serde_json::{Value, json};

/// Interval of the server's pings, and how long it waits for the pong, in milliseconds.
pub const PING_INTERVAL: u64 = 25_000;
pub const PING_TIMEOUT: u64 = 20_000;

/// Maximum packet size in bytes; a larger packet from a client closes its socket.
pub const MAX_PAYLOAD: usize = 4 * 1024 * 1024;

#[derive(Debug, PartialEq)]
pub enum Packet {
    Pong,
    /// With the auth payload.
    Connect(Value),
    /// A CONNECT to an unknown namespace.
    ConnectElsewhere(String),
    Disconnect,
    /// An event: its name, the id of the requested acknowledgement, and its first argument.
    Event {
        name: String,
        ack: Option<u64>,
        payload: Value,
    },
    /// Any packet that the real server ignores, too.
    Other,
}

pub fn parse(text: &str) -> Packet {
    match text.split_at_checked(1) {
        Some(("3", _)) => Packet::Pong,
        Some(("4", message)) => parse_message(message).unwrap_or(Packet::Other),
        _ => Packet::Other,
    }
}

fn parse_message(message: &str) -> Option<Packet> {
    let (kind, rest) = message.split_at_checked(1)?;
    match kind {
        "0" if rest.starts_with('/') => {
            let namespace = rest.split(',').next().unwrap_or_default();
            Some(Packet::ConnectElsewhere(namespace.to_owned()))
        }
        "0" if rest.is_empty() => Some(Packet::Connect(Value::Null)),
        "0" => serde_json::from_str(rest).ok().map(Packet::Connect),
        "1" => Some(Packet::Disconnect),
        "2" => {
            let (ack, array) = rest.split_at(rest.find('[')?);
            let mut items = serde_json::from_str::<Vec<Value>>(array).ok()?.into_iter();
            let Some(Value::String(name)) = items.next() else {
                return None;
            };
            Some(Packet::Event {
                name,
                ack: ack.parse().ok(),
                payload: items.next().unwrap_or_default(),
            })
        }
        _ => None,
    }
}

/// The Engine.IO open packet.
pub fn open(sid: &str) -> Utf8Bytes {
    let body = json!({
        "sid": sid, "upgrades": [], "pingTimeout": PING_TIMEOUT, "pingInterval": PING_INTERVAL,
        "maxPayload": MAX_PAYLOAD,
    });
    format!("0{body}").into()
}

pub fn connected(sid: &str) -> Utf8Bytes {
    format!("40{}", json!({"sid": sid})).into()
}

pub fn refused(body: &Value) -> Utf8Bytes {
    format!("44{body}").into()
}

pub fn refused_elsewhere(namespace: &str) -> Utf8Bytes {
    format!("44{namespace},\"Unable to connect\"").into()
}

pub fn ack(id: u64) -> Utf8Bytes {
    format!("43{id}[]").into()
}

pub fn event(payload: &Value) -> Utf8Bytes {
    format!("42[\"oh_event\",{payload}]").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packets_of_a_client_are_read() {
        assert_eq!(parse("3"), Packet::Pong);
        assert_eq!(parse("40"), Packet::Connect(Value::Null));
        assert_eq!(
            parse("40{\"token\":1}"),
            Packet::Connect(json!({"token": 1}))
        );
        assert_eq!(
            parse("40/foo,"),
            Packet::ConnectElsewhere("/foo".to_owned())
        );
        let event = Packet::Event {
            name: "oh_user_action".to_owned(),
            ack: Some(7),
            payload: json!({"a": 1}),
        };
        assert_eq!(parse("427[\"oh_user_action\",{\"a\":1}]"), event);
    }

    #[test]
    fn rubbish_is_ignored() {
        for text in [
            "",
            "4",
            "42",
            "42{",
            "42[1]",
            "9",
            "42[\"x\",{...",
            "é",
            "4é",
        ] {
            assert_eq!(parse(text), Packet::Other, "{text}");
        }
    }
}
