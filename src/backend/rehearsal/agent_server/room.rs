//! Who listens to a conversation, by which of the two sockets.
//!
//! The session socket gets history and what happens in one order. The older one has no such order: it repeats and
//! interleaves.

use axum::extract::ws::Utf8Bytes;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::wire::v1::without_nulls;

/// The largest frame of the session socket.
const LARGEST: usize = 4 << 20;
/// Listeners of one conversation.
const SEATS: usize = 50;

/// What a socket is told to send.
#[derive(Clone, Debug)]
pub enum Out {
    /// A text frame of the protocol.
    Text(Utf8Bytes),
    /// Any text frame, past all faults of the wire.
    Raw(Utf8Bytes),
    /// The end, with a code and a reason.
    Close(u16, &'static str),
}

/// Which of the two sockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    Session,
    Events,
}

/// The sockets of one conversation.
#[derive(Default)]
pub struct Room {
    seats: Vec<(Door, UnboundedSender<Out>)>,
}

impl Room {
    /// How many listen.
    pub fn len(&mut self) -> usize {
        self.seats.retain(|(_, seat)| !seat.is_closed());
        self.seats.len()
    }

    /// Sends a text frame to all, as it is.
    pub fn tell_raw(&mut self, frame: &str) {
        let out = Out::Raw(frame.to_owned().into());
        self.seats
            .retain(|(_, seat)| seat.send(out.clone()).is_ok());
    }

    /// Tells each kind of socket what it is to hear.
    pub fn tell(&mut self, session: Option<&Value>, events: Option<&Value>) {
        let text = |value: Option<&Value>| value.map(|value| Utf8Bytes::from(value.to_string()));
        let (session, events) = (text(session), text(events));
        self.seats.retain(|(door, seat)| {
            let out = match (door, &session, &events) {
                (Door::Session, Some(text), _) if text.len() > LARGEST => {
                    Out::Close(1013, "frame_too_large")
                }
                (Door::Session, Some(text), _) | (Door::Events, _, Some(text)) => {
                    Out::Text(text.clone())
                }
                _ => return !seat.is_closed(),
            };
            seat.send(out).is_ok()
        });
    }

    /// A new socket: what it asked for of `events`, and how everything stands.
    pub fn join(
        &mut self,
        door: Door,
        after: Option<i64>,
        events: &[Value],
        snapshot: &Value,
    ) -> UnboundedReceiver<Out> {
        let (seat, receiver) = unbounded_channel();
        // The receiver is in our hands: sending cannot fail.
        let say = |value: &Value| {
            let _ = seat.send(Out::Text(value.to_string().into()));
        };
        if self.len() >= SEATS {
            let _ = seat.send(Out::Close(1013, "too_many_subscribers"));
            return receiver;
        }
        match door {
            Door::Session => {
                let newest = i64::try_from(events.len()).unwrap_or(i64::MAX) - 1;
                let newest = (newest >= 0).then_some(newest);
                let mut sync = json!({"type": "sync", "from_seq": after, "through_seq": newest});
                without_nulls(&mut sync);
                say(&sync);
                let first = after.map_or(usize::MAX, |after| {
                    usize::try_from(after.saturating_add(1)).unwrap_or(0)
                });
                for (seq, event) in events.iter().enumerate().skip(first) {
                    say(&json!({"type": "durable", "seq": seq, "event": event}));
                }
                say(&json!({"type": "transient", "event": snapshot}));
            }
            Door::Events => {
                say(snapshot);
                if after.is_some() {
                    // What is new overtakes what is old, and comes again in its place.
                    events.last().into_iter().chain(events).for_each(say);
                }
            }
        }
        self.seats.push((door, seat));
        receiver
    }
}
