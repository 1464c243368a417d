//! Moments and spans, in words.
//!
//! The server does not know the reader's zone: it writes UTC, whole, and the browser's first rendering
//! says the same, so that nothing differs when the page becomes alive. Only then an effect puts the
//! reader's own time there.

use leptos::prelude::*;
use std::time::Duration as Span;

const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// A moment. The exact one is always there, on hover and for machines.
#[component]
pub fn Time(
    /// Milliseconds since the Unix epoch, UTC; 0 when nobody knows: then nothing is shown.
    at: i64,
    /// Say how long ago it was.
    #[prop(optional)]
    relative: bool,
    #[prop(optional)] class: &'static str,
) -> impl IntoView {
    if at == 0 {
        return None;
    }
    let utc = Moment::utc(at);
    let exact = RwSignal::new(format!("{} UTC", utc.whole()));
    let text = RwSignal::new(format!("{} UTC", utc.whole()));
    Effect::new(move |_| {
        exact.set(Moment::local(at).whole());
        let show = move || text.set(near(at, js_sys::Date::now() as i64, relative));
        show();
        if relative && let Ok(timer) = set_interval_with_handle(show, Span::from_secs(60)) {
            on_cleanup(move || timer.clear());
        }
    });
    Some(view! {
        <time class=class datetime=utc.iso() title=move || exact.get()>{move || text.get()}</time>
    })
}

/// A span of time.
#[component]
pub fn Duration(millis: i64) -> impl IntoView {
    span(millis)
}

/// A moment of some zone, as a calendar and a clock show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Moment {
    year: i64,
    month: usize,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
}

impl Moment {
    /// The proleptic Gregorian calendar by counting days in eras of 400 years, a year beginning in March.
    fn utc(at: i64) -> Self {
        let (days, seconds) = (at.div_euclid(DAY), at.rem_euclid(DAY) / 1000);
        let shifted = days + 719_468;
        let (era, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let march = (5 * day + 2) / 153;
        let month = if march < 10 { march + 3 } else { march - 9 };
        Self {
            year: era * 400 + year + i64::from(month <= 2),
            month: month as usize,
            day: day - (153 * march + 2) / 5 + 1,
            hour: seconds / 3600,
            minute: seconds / 60 % 60,
            second: seconds % 60,
        }
    }

    /// In the zone of the browser; browser only.
    fn local(at: i64) -> Self {
        let date = js_sys::Date::new(&(at as f64).into());
        Self {
            year: i64::from(date.get_full_year()),
            month: date.get_month() as usize + 1,
            day: i64::from(date.get_date()),
            hour: i64::from(date.get_hours()),
            minute: i64::from(date.get_minutes()),
            second: i64::from(date.get_seconds()),
        }
    }

    fn iso(self) -> String {
        let Self {
            year,
            month,
            day,
            hour,
            minute,
            second,
        } = self;
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }

    fn whole(self) -> String {
        format!("{} {}, {}", self.day_and_month(), self.year, self.clock())
    }

    fn day_and_month(self) -> String {
        format!("{} {}", self.day, MONTHS[(self.month + 11) % 12])
    }

    fn clock(self) -> String {
        format!("{:02}:{:02}", self.hour, self.minute)
    }
}

/// As short as the distance allows; browser only.
fn near(at: i64, now: i64, relative: bool) -> String {
    if relative && let Some(text) = ago(now - at) {
        return text;
    }
    let (then, today) = (Moment::local(at), Moment::local(now));
    if (then.year, then.month, then.day) == (today.year, today.month, today.day) {
        then.clock()
    } else if then.year == today.year {
        format!("{}, {}", then.day_and_month(), then.clock())
    } else {
        then.whole()
    }
}

/// How long ago, up to a week. A clock that is a little ahead counts as now.
fn ago(millis: i64) -> Option<String> {
    match millis / MINUTE {
        minutes if minutes < 1 => Some("now".to_owned()),
        minutes if minutes < 60 => Some(format!("{minutes} min")),
        minutes if minutes < 24 * 60 => Some(format!("{} h", minutes / 60)),
        minutes if minutes < 7 * 24 * 60 => Some(format!("{} d", minutes / 60 / 24)),
        _ => None,
    }
}

fn span(millis: i64) -> String {
    let millis = millis.max(0);
    match millis / 1000 {
        0 => format!("{millis} ms"),
        seconds if seconds < 10 => format!("{}.{} s", seconds, millis % 1000 / 100),
        seconds if seconds < 60 => format!("{seconds} s"),
        seconds if seconds < 3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        seconds => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_reads_as_the_calendar_says() {
        for (at, iso) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_763_694_245_678, "2025-11-21T03:04:05Z"),
            (-1, "1969-12-31T23:59:59Z"),
            (4_102_444_799_999, "2099-12-31T23:59:59Z"),
        ] {
            assert_eq!(Moment::utc(at).iso(), iso);
        }
        assert_eq!(Moment::utc(1_763_694_245_678).whole(), "21 Nov 2025, 03:04");
    }

    #[test]
    fn no_moment_is_too_strange_to_be_written() {
        for at in [i64::MIN, i64::MAX, -62_135_596_800_000] {
            assert!(Moment::utc(at).whole().contains(':'));
        }
    }

    #[test]
    fn spans_are_as_exact_as_they_matter() {
        for (millis, text) in [
            (-5, "0 ms"),
            (840, "840 ms"),
            (1_240, "1.2 s"),
            (12_900, "12 s"),
            (184_000, "3 min 4 s"),
            (7_380_000, "2 h 3 min"),
        ] {
            assert_eq!(span(millis), text);
        }
    }

    #[test]
    fn ages_count_up_to_a_week() {
        assert_eq!(ago(-3_000).as_deref(), Some("now"));
        assert_eq!(ago(5 * MINUTE).as_deref(), Some("5 min"));
        assert_eq!(ago(DAY).as_deref(), Some("1 d"));
        assert_eq!(ago(7 * DAY), None);
    }
}
