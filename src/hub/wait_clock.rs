//! The clock by which approvals wait: the system's, and what waits in the journal moves with it when it is set.
//!
//! Times are stored, so a restart changes nothing. What was asked an hour ago, by a clock that is then set forward by a year,
//! has still waited for an hour: whoever reads this clock first moves the stored times by the difference to the monotonic
//! clock. That stands still while the machine sleeps, and nobody could have answered then.
//!
//! Invariant: a stored time and the time that it is compared with are of the same setting of the clock: whoever stores or
//! compares one holds a [`Reading`] meanwhile, and no time is moved as long as there is one.

use super::HubResult;
use crate::clock::now;
use crate::journal::Journal;
use tokio::sync::{RwLock, RwLockReadGuard};
use tokio::time::Instant;

/// A difference between the clocks that is taken for a change of the system's, in milliseconds: it is shorter than any time
/// that can be chosen.
const JUMP: i64 = 5_000;

/// The clock by which approvals wait.
pub(super) struct WaitClock {
    journal: Journal,
    /// The system's clock and the monotonic one, at the start or the last change.
    base: RwLock<(i64, Instant)>,
    /// Milliseconds that tests let pass, and by which they set the system's clock.
    #[cfg(test)]
    moved: std::sync::Mutex<(i64, i64)>,
}

/// The time, while it is used.
pub(super) struct Reading<'c> {
    /// Milliseconds since the Unix epoch.
    pub(super) now: i64,
    _base: RwLockReadGuard<'c, (i64, Instant)>,
}

impl WaitClock {
    pub(super) fn new(journal: Journal) -> Self {
        Self {
            journal,
            base: RwLock::new((now(), Instant::now())),
            #[cfg(test)]
            moved: std::sync::Mutex::default(),
        }
    }

    /// The time.
    ///
    /// Errors: the clock was changed, and what waits could not be moved.
    pub(super) async fn read(&self) -> HubResult<Reading<'_>> {
        loop {
            let base = self.base.read().await;
            let (wall, steady) = self.clocks();
            if jump(*base, (wall, steady)) == 0 {
                return Ok(Reading {
                    now: wall,
                    _base: base,
                });
            }
            drop(base);
            let mut base = self.base.write().await;
            let clocks = self.clocks();
            let by = jump(*base, clocks);
            if by != 0 {
                tracing::warn!(
                    milliseconds = by,
                    "the clock was changed: what waits for approval has waited as long as before"
                );
                self.journal.shift_waits(by).await?;
                *base = clocks;
            }
        }
    }

    #[cfg(not(test))]
    fn clocks(&self) -> (i64, Instant) {
        (now(), Instant::now())
    }

    #[cfg(test)]
    fn clocks(&self) -> (i64, Instant) {
        let (passed, set) = *super::lock(&self.moved);
        let more = std::time::Duration::from_millis(passed.unsigned_abs());
        (now() + passed + set, Instant::now() + more)
    }

    /// Lets so many milliseconds pass.
    #[cfg(test)]
    pub(super) fn pass(&self, milliseconds: i64) {
        super::lock(&self.moved).0 += milliseconds;
    }

    /// Sets the system's clock forward, or back, by so many milliseconds.
    #[cfg(test)]
    pub(super) fn set(&self, milliseconds: i64) {
        super::lock(&self.moved).1 += milliseconds;
    }
}

/// By how many milliseconds the system's clock was changed since; 0 for what is no change.
fn jump(base: (i64, Instant), now: (i64, Instant)) -> i64 {
    let steady = now.1.saturating_duration_since(base.1).as_millis();
    let steady = i64::try_from(steady).unwrap_or(i64::MAX);
    let by = now.0.saturating_sub(base.0).saturating_sub(steady);
    if by.abs() < JUMP { 0 } else { by }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_jump_is_what_the_monotonic_clock_does_not_know() {
        let base = (1_000_000, Instant::now());
        let year = 365 * 86_400_000;
        for (wall, steady, by) in [
            (0, 0, 0),
            (3_600_000, 3_600_000, 0),
            (3_604_000, 3_600_000, 0),
            (3_600_000 + year, 3_600_000, year),
            (3_600_000 - year, 3_600_000, -year),
            (0, 3_600_000, -3_600_000),
            (3_600_000, 0, 3_600_000),
        ] {
            let now = (base.0 + wall, base.1 + Duration::from_millis(steady));
            assert_eq!(jump(base, now), by, "{wall} {steady}");
        }
    }
}
