//! Times as OpenHands writes them.
//!
//! Events carry naive server-local time, REST bodies carry UTC with a `Z`. The rehearsal server lives in UTC, so both
//! are the same digits.

use std::time::{SystemTime, UNIX_EPOCH};

const DAY: u64 = 86_400;

/// The present as an event's `timestamp`: `2026-11-21T00:34:21.938076`.
pub fn naive() -> String {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let (year, month, day) = date(since.as_secs() / DAY);
    let second = since.as_secs() % DAY;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:06}",
        since.subsec_micros()
    )
}

/// The present as REST writes it: the same with a `Z`.
pub fn utc() -> String {
    naive() + "Z"
}

/// The Gregorian date of a day counted from 1970-01-01.
fn date(mut day: u64) -> (u64, u64, u64) {
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while day >= 365 + u64::from(leap(year)) {
        day -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [
        31,
        28 + u64::from(leap(year)),
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ];
    let mut month = 0;
    while day >= lengths[month] {
        day -= lengths[month];
        month += 1;
    }
    (year, month as u64 + 1, day + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates_across_leap_years() {
        assert_eq!(date(0), (1970, 1, 1));
        assert_eq!(date(11_016), (2000, 2, 29));
        assert_eq!(date(20_778), (2026, 11, 21));
    }
}
