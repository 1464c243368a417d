//! Timestamps as OpenHands writes them.
//!
//! Events carry naive server-local times, REST bodies UTC with a `Z`. The server runs in UTC: the digits are the same.

use jiff::Timestamp;

/// The current time as an event's `timestamp`: `2026-11-21T00:34:21.938076`.
pub fn naive() -> String {
    let now = Timestamp::now();
    now.strftime("%Y-%m-%dT%H:%M:%S%.6f").to_string()
}

/// The current time in REST notation: the same with a `Z`.
pub fn utc() -> String {
    naive() + "Z"
}
