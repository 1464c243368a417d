//! Things that go wrong on demand, on the wire and in REST.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

/// One thing to go wrong, now or from now on. In JSON: `{"fault":"drop_sockets"}`, `{"fault":"delay","millis":500}`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum Fault {
    /// All sockets end now, without a close frame.
    DropSockets,
    /// Each event is sent this much later.
    Delay {
        /// In milliseconds.
        millis: u64,
    },
    /// Each event is sent twice.
    Duplicate,
    /// Each second event overtakes the one before it.
    Reorder,
    /// Each open conversation gets one stored event of this size.
    HugeEvent {
        /// Of the content.
        bytes: usize,
    },
    /// Each socket gets a text frame which is no packet; a default one if none is given.
    GarbageFrame {
        /// Sent as it is.
        #[serde(default)]
        frame: Option<String>,
    },
    /// Connections are refused with a CONNECT_ERROR.
    Refuse {
        /// The body of the packet: an object with `message` and, if wanted, `data`.
        body: Value,
        /// How often; 0 means until [`Fault::Clear`].
        #[serde(default)]
        times: u32,
    },
    /// Connections are accepted by the network and never answered.
    Hang,
    /// Runtimes do not come up: their conversations say for ever that they are starting, until they are stopped.
    NoRuntime {
        /// How often; 0 means until [`Fault::Clear`].
        #[serde(default)]
        times: u32,
    },
    /// REST goes wrong.
    Rest {
        /// In which way.
        kind: RestFault,
        /// Only for paths which contain this; empty for all.
        #[serde(default)]
        path: String,
        /// How often; 0 means until [`Fault::Clear`].
        #[serde(default)]
        times: u32,
    },
    /// The server restarts, see [`super::Rehearsal::restart`].
    Restart {
        /// What it remembers.
        #[serde(default)]
        memory: Memory,
    },
    /// Everything works again.
    Clear,
}

/// How a REST answer goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RestFault {
    /// 429 with `Retry-After`.
    TooManyRequests,
    /// 500 with a plain text.
    ServerError,
    /// 200 with a page instead of JSON, as a proxy's login does it.
    Html,
    /// No answer.
    Hang,
}

/// What a restarted server remembers of its conversations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Memory {
    /// Everything.
    #[default]
    All,
    /// Only this many of the first events of each.
    First(usize),
    /// Everything, but all event ids are greater by this.
    Renumbered(i64),
}

/// The faults which last.
#[derive(Default)]
pub struct Armed {
    inner: Mutex<Lasting>,
}

#[derive(Clone, Default)]
struct Lasting {
    wire: Wire,
    refuse: Option<(Value, u32)>,
    rest: Option<(RestFault, String, u32)>,
    no_runtime: Option<u32>,
}

/// What happens to events on their way out, and to new connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wire {
    pub delay: Duration,
    pub duplicate: bool,
    pub reorder: bool,
    pub hang: bool,
}

impl Armed {
    fn inner(&self) -> MutexGuard<'_, Lasting> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a fault that lasts; false for one that happens at once and is someone else's to do.
    pub fn arm(&self, fault: &Fault) -> bool {
        let mut inner = self.inner();
        match fault {
            Fault::Delay { millis } => inner.wire.delay = Duration::from_millis(*millis),
            Fault::Duplicate => inner.wire.duplicate = true,
            Fault::Reorder => inner.wire.reorder = true,
            Fault::Hang => inner.wire.hang = true,
            Fault::Refuse { body, times } => inner.refuse = Some((body.clone(), *times)),
            Fault::NoRuntime { times } => inner.no_runtime = Some(*times),
            Fault::Rest { kind, path, times } => inner.rest = Some((*kind, path.clone(), *times)),
            Fault::Clear => *inner = Lasting::default(),
            _ => return false,
        }
        true
    }

    /// What the wire does at the moment.
    pub fn wire(&self) -> Wire {
        self.inner().wire
    }

    /// The body with which to refuse this connection.
    pub fn refusal(&self) -> Option<Value> {
        let mut inner = self.inner();
        let (body, times) = inner.refuse.as_mut()?;
        let body = body.clone();
        if used_up(times) {
            inner.refuse = None;
        }
        Some(body)
    }

    /// Whether this runtime does not come up.
    pub fn no_runtime(&self) -> bool {
        let mut inner = self.inner();
        let Some(times) = inner.no_runtime.as_mut() else {
            return false;
        };
        if used_up(times) {
            inner.no_runtime = None;
        }
        true
    }

    /// How to answer this request wrongly.
    pub fn rest(&self, path: &str) -> Option<RestFault> {
        let mut inner = self.inner();
        let (kind, only, times) = inner.rest.as_mut()?;
        if !path.contains(only.as_str()) {
            return None;
        }
        let kind = *kind;
        if used_up(times) {
            inner.rest = None;
        }
        Some(kind)
    }
}

/// Counts one use; true when it was the last one.
fn used_up(times: &mut u32) -> bool {
    *times = match *times {
        0 => return false,
        left => left - 1,
    };
    *times == 0
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
