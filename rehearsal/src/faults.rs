//! Fault injection, on the wire and in REST.

use std::sync::Mutex;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::sync::lock;

/// A fault, momentary or lasting. In JSON: `{"fault":"drop_sockets"}`, `{"fault":"delay","millis":500}`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum Fault {
    /// All sockets are dropped now, without a close frame.
    DropSockets,
    /// Each event is delayed.
    Delay {
        /// In milliseconds.
        millis: u64,
    },
    /// Each event is sent twice.
    Duplicate,
    /// Every second event overtakes the previous one.
    Reorder,
    /// Each open conversation gets one stored event of this size.
    HugeEvent {
        /// Size of the content in bytes.
        bytes: usize,
    },
    /// Each socket gets an invalid text frame, a default one if none is given.
    GarbageFrame {
        /// The frame, sent unchanged.
        #[serde(default)]
        frame: Option<String>,
    },
    /// Connections are refused with a CONNECT_ERROR.
    Refuse {
        /// The body of the packet: an object with `message` and optionally `data`.
        body: Value,
        /// How often; 0 means until [`Fault::Clear`].
        #[serde(default)]
        times: u32,
    },
    /// Connections are accepted at the TCP level and never answered.
    Hang,
    /// Sandboxes do not start: their conversations stay in "starting" until they are stopped.
    NoRuntime {
        /// How often; 0 means until [`Fault::Clear`].
        #[serde(default)]
        times: u32,
    },
    /// REST requests fail.
    Rest {
        /// The kind of failure.
        kind: RestFault,
        /// Only paths that contain this; empty for all.
        #[serde(default)]
        path: String,
        /// How often; 0 means until [`Fault::Clear`].
        #[serde(default)]
        times: u32,
    },
    /// The server restarts, see [`super::Rehearsal::restart`].
    Restart {
        /// What it still knows.
        #[serde(default)]
        memory: Memory,
    },
    /// Clears all faults.
    Clear,
}

/// The failure of a REST request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RestFault {
    /// 429 with `Retry-After`.
    TooManyRequests,
    /// 500 with plain text.
    ServerError,
    /// 200 with an HTML page instead of JSON, like a proxy's login page.
    Html,
    /// No response.
    Hang,
}

/// What a restarted server still knows of its conversations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Memory {
    /// Everything.
    #[default]
    All,
    /// Only this many first events of each conversation.
    First(usize),
    /// Everything, with all event ids increased by this number.
    Renumbered(i64),
}

/// The active lasting faults.
#[derive(Default)]
pub struct Armed(Mutex<Lasting>);

#[derive(Clone, Default)]
struct Lasting {
    wire: Wire,
    refuse: Option<(Value, u32)>,
    rest: Option<((RestFault, String), u32)>,
    no_runtime: Option<((), u32)>,
}

/// The faults of outgoing events and new connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wire {
    pub delay: Duration,
    pub duplicate: bool,
    pub reorder: bool,
    pub hang: bool,
}

impl Armed {
    /// Activates a lasting fault; returns `false` for a momentary one, which the caller must apply.
    pub fn arm(&self, fault: &Fault) -> bool {
        let mut inner = lock(&self.0);
        match fault {
            Fault::Delay { millis } => inner.wire.delay = Duration::from_millis(*millis),
            Fault::Duplicate => inner.wire.duplicate = true,
            Fault::Reorder => inner.wire.reorder = true,
            Fault::Hang => inner.wire.hang = true,
            Fault::Refuse { body, times } => inner.refuse = Some((body.clone(), *times)),
            Fault::NoRuntime { times } => inner.no_runtime = Some(((), *times)),
            Fault::Rest { kind, path, times } => inner.rest = Some(((*kind, path.clone()), *times)),
            Fault::Clear => *inner = Lasting::default(),
            _ => return false,
        }
        true
    }

    /// The active wire faults.
    pub fn wire(&self) -> Wire {
        lock(&self.0).wire
    }

    /// The body for refusing this connection, if it must be refused.
    pub fn refusal(&self) -> Option<Value> {
        use_once(&mut lock(&self.0).refuse)
    }

    /// Whether this sandbox must fail to start.
    pub fn no_runtime(&self) -> bool {
        use_once(&mut lock(&self.0).no_runtime).is_some()
    }

    /// The failure for this request, if any.
    pub fn rest(&self, path: &str) -> Option<RestFault> {
        let mut inner = lock(&self.0);
        let ((_, only), _) = inner.rest.as_ref()?;
        if !path.contains(only.as_str()) {
            return None;
        }
        use_once(&mut inner.rest).map(|(kind, _)| kind)
    }
}

/// Uses a fault that may have a number of remaining uses; 0 means any number.
fn use_once<T: Clone>(fault: &mut Option<(T, u32)>) -> Option<T> {
    let (what, times) = fault.as_mut()?;
    let what = what.clone();
    match times {
        0 => {}
        1 => *fault = None,
        _ => *times -= 1,
    }
    Some(what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn faults_are_read_from_json() {
        let read = |value: Value| serde_json::from_value::<Fault>(value).unwrap();
        assert_eq!(read(json!({"fault": "drop_sockets"})), Fault::DropSockets);
        let renumbered = Fault::Restart {
            memory: Memory::Renumbered(1000),
        };
        assert_eq!(
            read(json!({"fault": "restart", "memory": {"renumbered": 1000}})),
            renumbered
        );
        let rest = Fault::Rest {
            kind: RestFault::Html,
            path: String::new(),
            times: 2,
        };
        assert_eq!(
            read(json!({"fault": "rest", "kind": "html", "times": 2})),
            rest
        );
    }

    #[test]
    fn a_fault_with_a_count_ends_by_itself() {
        let armed = Armed::default();
        armed.arm(&Fault::Refuse {
            body: json!({"message": "no"}),
            times: 1,
        });
        assert_eq!(armed.refusal(), Some(json!({"message": "no"})));
        assert_eq!(armed.refusal(), None);
    }
}
