//! The zone of the server, which its events do not say (`protocol/v1.md` section 3).
//!
//! A conversation's own moment of creation is in UTC and its first event, a moment later, in the server's zone: the
//! difference is the zone. Zones are a whole number of quarters of an hour ahead, so what is no such number is not one:
//! the first event came much later, or was copied from another conversation.

use super::events::Events;
use crate::backend::BackendError;
use crate::conversation::Stamp;
use serde_json::Value;
use std::sync::{Mutex, PoisonError};

const MINUTE: i64 = 60_000;
const QUARTER: i64 = 15 * MINUTE;
/// How long after its creation a conversation's first event is taken for the first thing that happened in it.
const AT_ONCE: i64 = 3 * MINUTE;

/// The zone that a conversation tells, else the one that another of the same server has told.
pub(super) async fn of(
    known: &Mutex<Option<i32>>,
    events: &Events,
    info: &Value,
) -> Result<Option<i32>, BackendError> {
    let text = |key: &str| info.get(key).and_then(Value::as_str);
    let is_copy = text("forked_from_conversation_id").is_some();
    let learned = match (text("created_at"), is_copy) {
        (Some(created_at), false) => {
            let first = events.first().await?;
            let first = first
                .as_ref()
                .and_then(|event| event.get("timestamp")?.as_str());
            first.and_then(|first| learn(created_at, first))
        }
        _ => None,
    };
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    *known = learned.or(*known);
    Ok(*known)
}

/// How many minutes the server's clock is ahead of UTC. `created_at` has a zone, `first` has none.
pub(super) fn learn(created_at: &str, first: &str) -> Option<i32> {
    let (created, first) = (Stamp::read(created_at), Stamp::read(first));
    if !created.zoned || first.zoned || first.millis == 0 {
        return None;
    }
    let ahead = first.millis - created.millis;
    // The two moments are taken one after the other, by the same clock.
    let quarters = (ahead + MINUTE).div_euclid(QUARTER);
    let late = ahead - quarters * QUARTER;
    let minutes = quarters * QUARTER / MINUTE;
    (late <= AT_ONCE && minutes.abs() <= 14 * 60).then(|| i32::try_from(minutes).ok())?
}

#[cfg(test)]
mod tests {
    use super::learn;

    #[test]
    fn the_first_event_tells_how_far_the_clock_is_ahead() {
        for (first, minutes) in [
            ("2026-11-21T00:37:13.273888", Some(0)),
            ("2026-11-21T01:37:12.300000", Some(60)),
            ("2026-11-20T16:37:40", Some(-480)),
            ("2026-11-21T06:22:12.9", Some(345)),
            // Two hours and twenty minutes later nobody knows.
            ("2026-11-21T02:57:12", None),
            ("2026-12-21T00:37:12", None),
            ("2026-11-21T00:37:13Z", None),
            ("", None),
        ] {
            assert_eq!(
                learn("2026-11-21T00:37:12.356376Z", first),
                minutes,
                "{first}"
            );
        }
    }
}
