//! Timeouts and intervals of a live connection.

use super::attempts::Backoff;
use super::http::SILENCE;
use std::time::Duration;

/// Timeouts and intervals of a live connection.
#[derive(Debug, Clone)]
pub(super) struct Timing {
    /// Timeouts of one Socket.IO connection (0.x).
    pub limits: Limits,
    /// See [`Backoff`].
    pub backoff: Backoff,
    /// A connection that lasted this long counts as successful, even if nothing arrived.
    pub stable_after: Duration,
    /// Shortest time between polls, as most gaps are transient; for 1.x also the interval while the socket is silent.
    pub poll: Duration,
    /// Debounce of reads that messages of the older WebSocket trigger (1.x).
    pub gather: Duration,
    /// Longest time between two polls.
    pub silence: Duration,
    /// See [`SILENCE`].
    pub pulse: Duration,
    /// The first release with the session WebSocket, which has a cursor (1.x).
    pub session_since: (u32, u32),
    /// The first release that forks at an event (1.x).
    pub fork_at_since: (u32, u32),
}

/// Timeouts of the steps of a Socket.IO connection.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    /// The TCP, TLS, WebSocket and Engine.IO handshakes.
    pub open: Duration,
    /// The response to CONNECT, which follows the whole replay (`docs/protocol/v0.md` section 3).
    pub connect: Duration,
    /// One write. Needed because a peer that does not read also blocks the watchdog of `rust_socketio`.
    pub write: Duration,
    /// A full channel to our own receiver. Must stay below the 20 s after which the server drops the connection.
    pub stall: Duration,
    /// One acknowledgement. 0.62 sends none if it rejects an event.
    pub ack: Duration,
}

impl Timing {
    /// The usual timing, with this time between two polls.
    pub(super) fn polling_every(poll: Duration) -> Self {
        let seconds = Duration::from_secs;
        Self {
            limits: Limits {
                open: seconds(15),
                connect: seconds(60),
                write: seconds(20),
                stall: seconds(10),
                ack: seconds(8),
            },
            backoff: (seconds(1), seconds(30)),
            stable_after: seconds(30),
            poll,
            gather: Duration::from_millis(100),
            silence: seconds(60),
            pulse: SILENCE,
            session_since: (1, 45),
            fork_at_since: (1, 34),
        }
    }
}
