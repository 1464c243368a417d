//! The sockets that follow a conversation, of both kinds.
//!
//! The session socket gets history and live events in one order; the older one repeats and interleaves events.

use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use serde_json::{Value, json};

use crate::event::without_nulls;
use crate::queue::{Receiver, Sender, Weigh, queue};

/// The maximum frame size of the session socket, in bytes.
const LARGEST: usize = 4 << 20;
/// The maximum number of sockets per conversation.
const SEATS: usize = 50;

/// Output of a socket.
#[derive(Clone, Debug)]
pub enum Out {
    /// A stored event and its position.
    Stored(usize, Arc<Value>),
    /// A text frame of the protocol.
    Text(Utf8Bytes),
    /// Any text frame; it bypasses the wire faults.
    Raw(Utf8Bytes),
    /// A close frame with a code and a reason.
    Close(u16, &'static str),
}

impl Weigh for Out {
    fn bytes(&self) -> usize {
        match self {
            Self::Stored(_, event) => event.bytes(),
            Self::Text(text) | Self::Raw(text) => text.len(),
            Self::Close(..) => 0,
        }
    }
}

/// The kind of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SocketKind {
    Session,
    Events,
}

impl SocketKind {
    /// A stored event as this kind of socket has it; `None` if it is too large for a frame.
    pub fn frame(self, seq: usize, event: &Value) -> Option<String> {
        let text = match self {
            Self::Session => json!({"type": "durable", "seq": seq, "event": event}).to_string(),
            Self::Events => event.to_string(),
        };
        (self == Self::Events || text.len() <= LARGEST).then_some(text)
    }
}

/// The sockets of one conversation.
#[derive(Default)]
pub struct Followers {
    seats: Vec<(SocketKind, Sender<Out>)>,
}

impl Followers {
    pub fn len(&mut self) -> usize {
        self.seats.retain(|(_, seat)| !seat.is_closed());
        self.seats.len()
    }

    /// Sends a text frame to all sockets, unchanged.
    pub fn tell_raw(&mut self, frame: &str) {
        let raw = || Out::Raw(frame.to_owned().into());
        self.seats.retain(|(_, seat)| seat.send(raw()));
    }

    /// Sends a stored event to all sockets.
    pub fn tell_stored(&mut self, seq: usize, event: &Arc<Value>) {
        let stored = || Out::Stored(seq, event.clone());
        self.seats.retain(|(_, seat)| seat.send(stored()));
    }

    /// Sends each kind of socket its own form of an event that is not stored.
    pub fn tell(&mut self, session: Option<&Value>, events: Option<&Value>) {
        let text = |value: Option<&Value>| value.map(|value| Utf8Bytes::from(value.to_string()));
        let (session, events) = (text(session), text(events));
        self.seats.retain(|(kind, seat)| {
            let out = match (kind, &session, &events) {
                (SocketKind::Session, Some(text), _) if text.len() > LARGEST => {
                    Out::Close(1013, "frame_too_large")
                }
                (SocketKind::Session, Some(text), _) | (SocketKind::Events, _, Some(text)) => {
                    Out::Text(text.clone())
                }
                _ => return !seat.is_closed(),
            };
            seat.send(out)
        });
    }

    /// Adds a socket: sends the part of `events` it asked for, then a snapshot.
    pub fn join(
        &mut self,
        kind: SocketKind,
        after: Option<i64>,
        events: &[Arc<Value>],
        snapshot: &Value,
    ) -> Receiver<Out> {
        let (seat, receiver) = queue();
        // This function holds the receiver; if the history is too long for the queue, the socket is closed.
        let say = |value: &Value| seat.send(Out::Text(value.to_string().into()));
        let repeat =
            |(seq, event): (usize, &Arc<Value>)| seat.send(Out::Stored(seq, event.clone()));
        if self.len() >= SEATS {
            seat.send(Out::Close(1013, "too_many_subscribers"));
            return receiver;
        }
        match kind {
            SocketKind::Session => {
                let newest = i64::try_from(events.len()).unwrap_or(i64::MAX) - 1;
                let newest = (newest >= 0).then_some(newest);
                let mut sync = json!({"type": "sync", "from_seq": after, "through_seq": newest});
                without_nulls(&mut sync);
                say(&sync);
                let next = |after: i64| usize::try_from(after.saturating_add(1)).unwrap_or(0);
                let first = after.map_or(usize::MAX, next);
                let mut history = events.iter().enumerate().skip(first);
                let _all = history.all(repeat);
                say(&json!({"type": "transient", "event": snapshot}));
            }
            SocketKind::Events => {
                say(snapshot);
                if after.is_some() {
                    // The newest event comes first, and again in its place.
                    let mut newest = events.last().into_iter().chain(events);
                    let _all = newest.all(|event| repeat((0, event)));
                }
            }
        }
        self.seats.push((kind, seat));
        receiver
    }
}
