//! Times and durations as text.
//!
//! The server knows the time but not the reader's time zone: it writes relative times, and other times in UTC. The page
//! carries the moment at which it was drawn, so the browser's first rendering is identical and hydration finds no
//! difference. After that an effect replaces them with local times, written as the reader's browser writes them; what a time
//! says on hover is replaced when somebody points at it.
//!
//! Long because server and browser must write the same, and the tests compare them.

use super::{text, varying};
use crate::store::drawn_at;
use js_sys::{Array, Function, Intl::DateTimeFormat, Object, Reflect};
use leptos::{ev, prelude::*};
use std::{cell::RefCell, time::Duration as Span};
use wasm_bindgen::{JsCast, JsValue};

const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;

/// A time. The exact time is always available, on hover and for machines.
#[component]
pub fn Time(
    /// Milliseconds since the Unix epoch, UTC; 0 if unknown, and then nothing is shown.
    at: i64,
    /// Show the time relative to now.
    #[prop(optional)]
    relative: bool,
    /// Show it as short as a row of a list has room for; screen readers say the exact time.
    #[prop(optional)]
    short: bool,
    /// Show the seconds, too.
    #[prop(optional)]
    seconds: bool,
    #[prop(optional)] class: &'static str,
    /// What is shown in place of the time, which remains on hover.
    #[prop(optional_no_strip)]
    instead: Option<String>,
) -> impl IntoView {
    if at == 0 {
        return None;
    }
    let utc = Moment::utc(at);
    let exact = text::utc(utc.whole());
    let label = short.then(|| exact.clone());
    let shown = match instead {
        Some(instead) => instead.into_any(),
        None => {
            let shown = RwSignal::new(match (short, relative) {
                (true, _) => age(at, Clock::at_first()).0,
                (false, true) => since(at, Clock::at_first()),
                (false, false) => text::utc(utc.whole_to(seconds)),
            });
            show_local(at, shown, (short, relative, seconds));
            varying(move || shown.get()).into_any()
        }
    };
    Some(view! {
        <time class=class datetime=utc.iso() title=exact aria-label=label>
            {shown}
        </time>
    })
}

/// Keeps a time as the reader's clock has it: short, relative or absolute, and then with seconds or without.
fn show_local(at: i64, shown: RwSignal<String>, (short, relative, seconds): (bool, bool, bool)) {
    Effect::new(move |_| {
        let show = move || {
            let now = js_sys::Date::now() as i64;
            shown.set(match (short, relative) {
                (true, _) => age(at, Clock::local(now)).0,
                (false, true) => since(at, Clock::local(now)),
                (false, false) => near(at, now, seconds),
            });
        };
        show();
        if (short || relative)
            && let Ok(timer) = set_interval_with_handle(show, Span::from_secs(60))
        {
            on_cleanup(move || timer.clear());
        }
    });
}

/// Writes what a time says on hover in the reader's time zone and format, as soon as somebody points at it: formatting all
/// times of a page would take longer than most of them are looked at.
pub fn localise_times() {
    Effect::new(move |_| {
        let listener = window_event_listener(ev::pointerover, |event| {
            let target = event.target();
            let target = target.and_then(|target| target.dyn_into::<web_sys::Element>().ok());
            let Some(time) = target.and_then(|target| target.closest("time[datetime]").ok()?)
            else {
                return;
            };
            let at = js_sys::Date::parse(&time.get_attribute("datetime").unwrap_or_default());
            if at.is_finite() {
                let _ = time.set_attribute("title", &local(at as i64, &DATE_AND_TIME));
            }
        });
        on_cleanup(move || listener.remove());
    });
}

/// How long something has been going on: minutes and seconds, which go on counting.
#[component]
pub fn Elapsed(
    /// Its beginning, milliseconds since the Unix epoch.
    since: i64,
    #[prop(default = "number")] class: &'static str,
) -> impl IntoView {
    let shown = RwSignal::new(stopwatch(drawn_at() - since));
    Effect::new(move || {
        let show = move || shown.set(stopwatch(js_sys::Date::now() as i64 - since));
        show();
        if let Ok(timer) = set_interval_with_handle(show, Span::from_secs(1)) {
            on_cleanup(move || timer.clear());
        }
    });
    view! {
        <span class=class role="timer">
            {varying(move || shown.get())}
        </span>
    }
}

/// Minutes and seconds, and hours if there are any; a clock that is ahead counts as the beginning.
fn stopwatch(millis: i64) -> String {
    let seconds = millis.max(0) / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// The current time and the reader's time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// Milliseconds since the Unix epoch.
    now: i64,
    /// The offset of local time from UTC, in milliseconds.
    offset: i64,
}

impl Clock {
    /// The moment at which the page was drawn, in UTC.
    fn at_first() -> Self {
        Self::utc(drawn_at())
    }

    /// This moment in UTC.
    pub fn utc(now: i64) -> Self {
        Self { now, offset: 0 }
    }

    /// In the browser's time zone; browser only.
    fn local(now: i64) -> Self {
        let date = js_sys::Date::new(&(now as f64).into());
        Self {
            now,
            offset: -(date.get_timezone_offset() as i64) * MINUTE,
        }
    }

    /// How many days ago a time was, by the calendar.
    fn days_since(self, at: i64) -> i64 {
        let day = |at: i64| at.saturating_add(self.offset).div_euclid(DAY);
        day(self.now) - day(at)
    }

    /// The day of a time: "Today", "Yesterday" or a date.
    pub fn day(self, at: i64) -> String {
        match self.days_since(at) {
            ..=0 => text::today().to_owned(),
            1 => text::yesterday().to_owned(),
            _ => self.date(at),
        }
    }

    /// The date of a time, with the year unless it is the current one.
    fn date(self, at: i64) -> String {
        let moment = |at: i64| Moment::utc(at.saturating_add(self.offset));
        let (then, today) = (moment(at), moment(self.now));
        if then.year == today.year {
            then.day_and_month()
        } else {
            format!("{} {}", then.day_and_month(), then.year)
        }
    }
}

/// The reader's clock, which goes on every minute. Until the page is alive it shows the moment at which it was drawn.
pub fn use_clock() -> RwSignal<Clock> {
    let clock = RwSignal::new(Clock::at_first());
    Effect::new(move |_| {
        let tick = move || clock.set(Clock::local(js_sys::Date::now() as i64));
        tick();
        if let Ok(timer) = set_interval_with_handle(tick, Span::from_secs(60)) {
            on_cleanup(move || timer.clear());
        }
    });
    clock
}

/// A calendar date and time in some time zone.
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
    /// The proleptic Gregorian calendar, by counting days in eras of 400 years with years that begin in March.
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
        self.whole_to(false)
    }

    /// Date and time, to the second or to the minute.
    fn whole_to(self, seconds: bool) -> String {
        let date = format!("{} {}", self.day_and_month(), self.year);
        text::date_and_time(date, self.clock(seconds))
    }

    fn day_and_month(self) -> String {
        let month = text::months().split(' ').nth((self.month + 11) % 12);
        format!("{} {}", self.day, month.unwrap_or_default())
    }

    fn clock(self, seconds: bool) -> String {
        let Self {
            hour,
            minute,
            second,
            ..
        } = self;
        if seconds {
            format!("{hour:02}:{minute:02}:{second:02}")
        } else {
            format!("{hour:02}:{minute:02}")
        }
    }
}

/// How a browser writes times: options of `Intl.DateTimeFormat`.
type Written = [(&'static str, &'static str)];

const DATE_AND_TIME: [(&str, &str); 2] = [("dateStyle", "medium"), ("timeStyle", "short")];
const WITH_SECONDS: [(&str, &str); 2] = [("dateStyle", "medium"), ("timeStyle", "medium")];

/// A local time in the format of the reader's browser; browser only.
fn local(at: i64, written: &Written) -> String {
    thread_local! {
        // Making one takes longer than using it a hundred times. There are at most four.
        static FORMATS: RefCell<Vec<(String, Function)>> = const { RefCell::new(Vec::new()) };
    }
    FORMATS.with_borrow_mut(|formats| {
        let key = format!("{written:?}");
        let place = formats.iter().position(|(known, _)| *known == key);
        let place = place.unwrap_or_else(|| {
            let options = Object::new();
            for (name, value) in written {
                // Only a frozen object refuses a property.
                let _ = Reflect::set(&options, &(*name).into(), &(*value).into());
            }
            let format = DateTimeFormat::new(&Array::new(), &options).format();
            formats.push((key, format));
            formats.len() - 1
        });
        let date = js_sys::Date::new(&(at as f64).into());
        let text = formats[place].1.call1(&JsValue::UNDEFINED, &date);
        text.ok()
            .and_then(|text| text.as_string())
            .unwrap_or_default()
    })
}

/// A local time, as short as the distance allows; browser only.
fn near(at: i64, now: i64, seconds: bool) -> String {
    let is_today = Clock::local(now).days_since(at) == 0;
    let written = if seconds { WITH_SECONDS } else { DATE_AND_TIME };
    local(at, if is_today { &written[1..] } else { &written })
}

/// The age of a time up to a week, and whether it has passed since; then the date. A clock that is slightly ahead counts as
/// now.
fn age(at: i64, clock: Clock) -> (String, bool) {
    match (clock.now.saturating_sub(at) / MINUTE, clock.days_since(at)) {
        (..1, _) => (text::now().to_owned(), false),
        (minutes @ ..60, _) => (text::whole_minutes(minutes), true),
        (minutes @ ..1440, _) => (text::whole_hours(minutes / 60), true),
        (_, ..=1) => (text::day_before().to_owned(), false),
        (_, days @ ..7) => (text::days(days), true),
        _ => (clock.date(at), false),
    }
}

/// The age of a time in a sentence.
fn since(at: i64, clock: Clock) -> String {
    match age(at, clock) {
        (age, true) => text::ago(age),
        (time, false) => time,
    }
}

/// A duration as text.
pub fn span(millis: i64) -> String {
    let millis = millis.max(0);
    match millis / 1000 {
        0 => text::millis(millis),
        seconds if seconds < 10 => text::tenths(seconds, millis % 1000 / 100),
        seconds if seconds < 60 => text::seconds(seconds),
        seconds if seconds < 3600 => text::minutes(seconds / 60, seconds % 60),
        seconds => text::hours(seconds / 3600, seconds / 60 % 60),
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
        let moment = Moment::utc(1_763_694_245_678);
        assert_eq!(moment.whole(), "21 Nov 2025, 03:04");
        assert_eq!(moment.whole_to(true), "21 Nov 2025, 03:04:05");
    }

    #[test]
    fn no_moment_is_too_strange_to_be_written() {
        for at in [i64::MIN, i64::MAX, -62_135_596_800_000] {
            assert!(Moment::utc(at).whole().contains(':'));
        }
    }

    #[test]
    fn a_stopwatch_counts_from_the_first_second() {
        for (millis, text) in [
            (-5_000, "0:00"),
            (9_400, "0:09"),
            (754_000, "12:34"),
            (3_605_000, "1:00:05"),
        ] {
            assert_eq!(stopwatch(millis), text);
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
    fn ages_count_up_to_a_week_and_then_give_the_date() {
        // 21 Nov 2025, 03:04
        let now = 1_763_694_245_678;
        let since = |millis: i64| since(now - millis, Clock::utc(now));
        for (millis, text) in [
            (-3_000, "now"),
            (5 * MINUTE, "5 min ago"),
            (23 * 60 * MINUTE, "23 h ago"),
            (25 * 60 * MINUTE, "yesterday"),
            // By the calendar: less than two days, but not of the day before.
            (DAY + 4 * 60 * MINUTE, "2 days ago"),
            (6 * DAY, "6 days ago"),
            (7 * DAY, "14 Nov"),
            (365 * DAY, "21 Nov 2024"),
        ] {
            assert_eq!(since(millis), text);
            let short = age(now - millis, Clock::utc(now)).0;
            assert_eq!(short, text.trim_end_matches(" ago"));
        }
        assert_eq!(since(now - i64::MAX), "now");
    }

    #[test]
    fn a_day_is_that_of_the_reader() {
        // 21 Nov 2025, 03:04 UTC, and five hours before it.
        let now = 1_763_694_245_678;
        let before = now - 5 * 60 * MINUTE;
        let day = |offset: i64, at: i64| Clock { now, offset }.day(at);
        assert_eq!(day(0, now), "Today");
        assert_eq!(day(0, before), "Yesterday");
        assert_eq!(day(-8 * 60 * MINUTE, before), "Today");
        assert_eq!(day(0, now - 3 * DAY), "18 Nov");
        assert_eq!(day(0, now + 3 * DAY), "Today");
    }
}
