//! The server's time zone, which its event timestamps do not contain (`docs/protocol/v1.md` section 3).
//!
//! A conversation's creation time is in UTC, and the timestamp of its first event, a moment later, is in the server's
//! zone; their difference is the offset ([`Stamp::ahead_of`]).

use crate::conversation::Stamp;

/// Offset of the server's clock from UTC in minutes. `created_at` has a zone, `first` has none.
pub(super) fn learn(created_at: &str, first: &str) -> Option<i32> {
    let created = Stamp::read(created_at);
    created.zoned.then(|| since(created.millis, first))?
}

/// The same for a creation time in milliseconds since the Unix epoch.
pub(in crate::backend) fn since(created_at: i64, first: &str) -> Option<i32> {
    Stamp::read(first).ahead_of(created_at)
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
            // 2 h 20 min later is no plausible offset.
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
