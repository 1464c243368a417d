//! Parsing timestamps: ISO 8601 as both protocols write it, without a calendar crate.
//!
//! 0.x writes `2026-11-21T00:34:21.938076` in the server's time zone without naming it; it is read as UTC. Order and
//! durations are correct, and the journal corrects the time as soon as the zone is known ([`Stamp::ahead_of`]).

use super::Stamp;
use std::borrow::Cow;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const QUARTER: i64 = 15 * MINUTE;
/// Longest delay between a conversation's creation and its first event for which the difference is used.
const AT_ONCE: i64 = 3 * MINUTE;
/// The most that a clock is ahead of UTC, or behind it, in minutes.
const MOST_AHEAD: i64 = 14 * 60;

impl Stamp {
    /// Parses `YYYY-MM-DDTHH:MM:SS[.fraction][Z|±HH:MM]`, the same without separators, and seconds or milliseconds since the
    /// Unix epoch; returns the default for anything else.
    pub fn read(text: &str) -> Self {
        read(text.trim()).unwrap_or_default()
    }

    /// How far a clock is ahead of UTC, in minutes, if this time without a zone is that of the first event of a
    /// conversation that was created at `created_at`, in milliseconds since the Unix epoch.
    ///
    /// The first event follows at once, and offsets are multiples of 15 minutes. Any other difference means that it came
    /// much later or was copied from another conversation, so it says nothing about the zone.
    pub fn ahead_of(&self, created_at: i64) -> Option<i32> {
        if self.zoned || self.millis == 0 {
            return None;
        }
        let ahead = self.millis - created_at;
        // Allow a minute in which the first event may seem to precede the creation.
        let quarters = (ahead + MINUTE).div_euclid(QUARTER);
        let late = ahead - quarters * QUARTER;
        let minutes = quarters * QUARTER / MINUTE;
        (late <= AT_ONCE && minutes.abs() <= MOST_AHEAD).then(|| i32::try_from(minutes).ok())?
    }

    /// By how many minutes a clock that was `ahead` of UTC has been put forward, if this time of it was received at `now`: an
    /// hour, or half of one (Lord Howe Island), or nothing.
    pub fn put_forward(&self, ahead: i32, now: i64) -> i32 {
        let early = self.millis - i64::from(ahead) * MINUTE - now;
        let is_so = |minutes: &i32| {
            let late = i64::from(*minutes) * MINUTE - early;
            (-MINUTE..=AT_ONCE).contains(&late)
        };
        [60, 30].into_iter().find(is_so).unwrap_or_default()
    }

    /// Whether two times without a zone may be the same moment, told by clocks in different zones.
    pub fn may_equal(one: i64, other: i64) -> bool {
        let apart = (one - other).abs();
        apart % QUARTER == 0 && apart / MINUTE <= MOST_AHEAD
    }

    /// The timestamp in UTC, if it has no zone and its clock is known to be `ahead` minutes ahead of UTC; otherwise
    /// unchanged.
    pub fn in_zone(self, ahead: Option<i32>) -> Self {
        match ahead {
            Some(ahead) if !self.zoned && self != Self::default() => Self {
                millis: self.millis - i64::from(ahead) * MINUTE,
                zoned: true,
            },
            _ => self,
        }
    }
}

fn read(text: &str) -> Option<Stamp> {
    let Some((date, time)) = text.split_once(['T', 't', ' ']) else {
        return since_epoch(text);
    };
    let date = separated(date, 4, "-");
    let mut date = date.split('-');
    let (year, month, day) = (
        number(date.next()?, 4)?,
        number(date.next()?, 2)?,
        number(date.next()?, 2)?,
    );
    let (time, ahead) = without_zone(time)?;
    let (time, fraction) = time.split_once(['.', ',']).unwrap_or((time, ""));
    let time = separated(time, 2, ":");
    let mut time = time.split(':');
    let (hour, minute) = (number(time.next()?, 2)?, number(time.next()?, 2)?);
    let second = time.next().map_or(Some(0), |second| number(second, 2))?;
    let is_a_moment = (1..=12).contains(&month)
        && (1..=days_of_month(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60
        && date.next().is_none()
        && time.next().is_none()
        && fraction.bytes().all(|byte| byte.is_ascii_digit());
    is_a_moment.then(|| Stamp {
        millis: days_since_epoch(year, month, day) * DAY
            + hour * HOUR
            + minute * MINUTE
            + second * 1000
            + millis_of(fraction)
            - ahead.unwrap_or(0),
        zoned: ahead.is_some(),
    })
}

/// Seconds since the Unix epoch, perhaps with a fraction, or milliseconds: those of 2001 to 2286.
fn since_epoch(text: &str) -> Option<Stamp> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_fraction = fraction.bytes().all(|byte| byte.is_ascii_digit());
    let millis = match whole.len() {
        10 => number(whole, 10)? * 1000 + millis_of(fraction),
        _ => number(whole, 13)?,
    };
    is_fraction.then_some(Stamp {
        millis,
        zoned: true,
    })
}

/// Digits with their separators: `mark` behind the first so many, and behind each two of the others.
fn separated<'t>(text: &'t str, first: usize, mark: &str) -> Cow<'t, str> {
    let is_compact = [first + 2, first + 4].contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_compact {
        return Cow::Borrowed(text);
    }
    let (begin, rest) = text.split_at(first);
    let (middle, end) = rest.split_at(2);
    let parts = [begin, middle, end];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    Cow::Owned(parts.join(mark))
}

/// Splits off the time zone: its offset from UTC in milliseconds, if given.
fn without_zone(time: &str) -> Option<(&str, Option<i64>)> {
    let of_utc = ["UTC", "GMT", "Z", "z"];
    if let Some(time) = of_utc.iter().find_map(|zone| time.strip_suffix(zone)) {
        return Some((time.trim_end(), Some(0)));
    }
    let Some(at) = time.rfind(['+', '-']) else {
        return Some((time, None));
    };
    let (time, zone) = time.split_at(at);
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let zone = zone[1..].replace(':', "");
    let (hours, minutes) = (number(zone.get(..2)?, 2)?, number(zone.get(2..)?, 2)?);
    Some((time, Some(sign * (hours * HOUR + minutes * MINUTE))))
}

/// Parses a number of exactly `digits` digits.
fn number(text: &str, digits: usize) -> Option<i64> {
    let fits = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| text.parse().ok()).flatten()
}

/// Milliseconds from the first three digits of the fraction.
fn millis_of(fraction: &str) -> i64 {
    fraction
        .bytes()
        .chain(*b"000")
        .take(3)
        .fold(0, |millis, digit| millis * 10 + i64::from(digit - b'0'))
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of_month(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 to a date in the Gregorian calendar.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    // Leap days are counted up to the end of the previous year; 719_162 days lie before 1970.
    let past = year - 1;
    let years = past * 365 + past.div_euclid(4) - past.div_euclid(100) + past.div_euclid(400);
    let months: i64 = (1..month).map(|month| days_of_month(year, month)).sum();
    years + months + day - 1 - 719_162
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_they_are_written() {
        let cases = [
            ("1970-01-01T00:00:00", 0, false),
            ("1970-01-01T00:00:00Z", 0, true),
            ("2026-11-21T00:34:21.938076", 1_795_221_261_938, false),
            ("2026-11-21T00:34:21.938076Z", 1_795_221_261_938, true),
            ("2026-11-21T01:34:21.9+01:00", 1_795_221_261_900, true),
            ("2026-11-20T19:34:21-0500", 1_795_221_261_000, true),
            ("2024-02-29T12:00", 1_709_208_000_000, false),
            ("2000-03-01 00:00:00", 951_868_800_000, false),
            ("1969-12-31T23:59:59.999Z", -1, true),
            ("20261121T003421.938Z", 1_795_221_261_938, true),
            ("20261121T0034", 1_795_221_240_000, false),
            ("2026-11-21 00:34:21 UTC", 1_795_221_261_000, true),
            ("1795221261", 1_795_221_261_000, true),
            ("1795221261.938076", 1_795_221_261_938, true),
            ("1795221261938", 1_795_221_261_938, true),
        ];
        for (text, millis, zoned) in cases {
            assert_eq!(Stamp::read(text), Stamp { millis, zoned }, "{text}");
        }
    }

    #[test]
    fn rubbish_is_no_moment() {
        for text in [
            "",
            "yesterday",
            "2026-13-01T00:00:00",
            "2023-02-29T00:00:00",
            "2026-11-21",
            "2026-11-21T24:00:00",
            "2026-11-21T00:00:00.x",
            "2026-11-21T00:00:00+é1",
            "٢٠٢٦-11-21T00:00:00",
            "2026-11-21T1:2:3",
        ] {
            assert_eq!(Stamp::read(text), Stamp::default(), "{text}");
        }
    }

    #[test]
    fn a_day_is_no_zone() {
        assert!(Stamp::may_equal(5, 5 + 9 * HOUR) && Stamp::may_equal(0, -345 * MINUTE));
        assert!(!Stamp::may_equal(0, DAY) && !Stamp::may_equal(0, 9 * HOUR + 1));
    }

    #[test]
    fn a_zone_that_was_learnt_counts_where_none_was_written() {
        let naive = Stamp::read("1970-01-01T01:00:00");
        let utc = |millis| Stamp {
            millis,
            zoned: true,
        };
        assert_eq!(naive.clone().in_zone(Some(60)), utc(0));
        assert_eq!(naive.clone().in_zone(None), naive);
        assert_eq!(
            Stamp::read("1970-01-01T01:00:00Z").in_zone(Some(60)),
            utc(3_600_000)
        );
        assert_eq!(Stamp::default().in_zone(Some(60)), Stamp::default());
    }
}
