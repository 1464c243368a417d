//! A scan in windows of ids, so that it can stop in time.
//!
//! SQLite intersects lists of words within one step of its virtual machine, and no handler can interrupt that. So each
//! query looks at a window of ids, and the next window is as large as the time that is left allows.

use std::time::{Duration, Instant};

/// Windows of ids in one direction, until all were given out or the time is up.
pub(super) struct Windows {
    next: i64,
    last: i64,
    size: i64,
    down: bool,
    until: Instant,
    begun: Option<Instant>,
}

/// How much larger a window may be than the one before it.
const GROWTH: i64 = 8;

impl Windows {
    /// Windows of the ids from `from` down to 1, the first with `size` ids.
    pub(super) fn down(from: i64, size: i64, until: Instant) -> Self {
        Self {
            next: from,
            last: 1,
            size,
            down: true,
            until,
            begun: None,
        }
    }

    /// Windows of the ids from `from` up to `last`.
    pub(super) fn up(from: i64, last: i64, size: i64, until: Instant) -> Self {
        Self {
            next: from,
            last,
            size,
            down: false,
            until,
            begun: None,
        }
    }

    /// Whether the time is up.
    pub(super) fn is_late(&self) -> bool {
        Instant::now() >= self.until
    }

    /// The first id that was not given out; `None` if all were.
    pub(super) fn rest(&self) -> Option<i64> {
        let is_over = match self.down {
            true => self.next < self.last,
            false => self.next > self.last,
        };
        (!is_over).then_some(self.next)
    }

    fn adapt(&mut self, now: Instant) {
        if let Some(begun) = self.begun.replace(now) {
            let took = (now - begun).max(Duration::from_micros(10));
            // Half of what the time that is left allows: the next window may hold more hits than this one.
            let left = self.until.saturating_duration_since(now).as_secs_f64() / 2.0;
            let fits = self.size as f64 * left / took.as_secs_f64();
            let most = self.size.saturating_mul(GROWTH);
            self.size = (fits as i64).clamp(1, most);
        }
    }
}

impl Iterator for Windows {
    /// The lowest and the highest id of a window.
    type Item = (i64, i64);

    fn next(&mut self) -> Option<(i64, i64)> {
        let next = self.rest()?;
        let now = Instant::now();
        if now >= self.until {
            return None;
        }
        self.adapt(now);
        Some(if self.down {
            let low = next.saturating_sub(self.size - 1).max(self.last);
            self.next = low - 1;
            (low, next)
        } else {
            let high = next.saturating_add(self.size - 1).min(self.last);
            self.next = high + 1;
            (next, high)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_cover_every_id_once_in_both_directions() {
        let until = Instant::now() + Duration::from_secs(60);
        let mut next = 1000;
        for (low, high) in Windows::down(1000, 7, until) {
            assert!(high == next && low <= high && low >= 1, "{low} {high}");
            next = low - 1;
        }
        assert_eq!(next, 0);
        let mut next = 11;
        for (low, high) in Windows::up(11, 1000, 7, until) {
            assert!(low == next && low <= high && high <= 1000, "{low} {high}");
            next = high + 1;
        }
        assert_eq!(next, 1001);
    }

    #[test]
    fn windows_end_when_the_time_is_up_and_say_where() {
        let mut late = Windows::down(9, 3, Instant::now());
        assert_eq!(late.next(), None);
        assert_eq!((late.is_late(), late.rest()), (true, Some(9)));
    }
}
