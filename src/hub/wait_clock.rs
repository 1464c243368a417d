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
use crate::journal::{Journal, JournalError};
use tokio::sync::{RwLock, RwLockReadGuard};
use tokio::time::Instant;

/// A difference between the clocks that is taken for a change of the system's, in milliseconds: it is shorter than any time
/// that can be chosen.
const JUMP: i64 = 5_000;

/// The clock by which approvals wait.
pub(super) struct WaitClock {
    journal: Journal,
    /// When Handrail was started.
    started: Instant,
    base: RwLock<Base>,
    /// Milliseconds that tests let pass, and by which they set the system's clock.
    #[cfg(test)]
    moved: std::sync::Mutex<(i64, i64)>,
}

/// What the clocks are compared with.
struct Base {
    /// The system's clock and the monotonic one, at the start or the last change.
    clocks: (i64, Instant),
    /// Whether times have perhaps moved already, as the journal was lost meanwhile.
    is_unsure: bool,
}

/// The time, in milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    pub(super) now: i64,
    /// Since when Handrail runs.
    pub(super) running_since: i64,
}

/// The time, while it is used.
pub(super) struct Reading<'c> {
    pub(super) at: Times,
    _base: RwLockReadGuard<'c, Base>,
}

impl WaitClock {
    pub(super) fn new(journal: Journal) -> Self {
        let started = Instant::now();
        let base = Base {
            clocks: (now(), started),
            is_unsure: false,
        };
        Self {
            journal,
            started,
            base: RwLock::new(base),
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
            if !base.is_unsure && jump(base.clocks, (wall, steady)) == 0 {
                let at = Times {
                    now: wall,
                    running_since: wall.saturating_sub(between(self.started, steady)),
                };
                return Ok(Reading { at, _base: base });
            }
            drop(base);
            let mut base = self.base.write().await;
            let clocks = self.clocks();
            let by = jump(base.clocks, clocks);
            if base.is_unsure {
                self.journal.all_wait_anew(clocks.0).await?;
            } else if by != 0 {
                tracing::warn!(
                    milliseconds = by,
                    "the clock was changed: what waits for approval has waited as long as before"
                );
                let shifted = self.journal.shift_waits(by).await;
                // Twice would be too much: everything waits anew as soon as the journal is there.
                base.is_unsure = matches!(shifted, Err(JournalError::Indeterminate(_)));
                shifted?;
            } else {
                continue;
            }
            (base.clocks, base.is_unsure) = (clocks, false);
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
    let by = now.0.saturating_sub(base.0);
    let by = by.saturating_sub(between(base.1, now.1));
    if by.abs() < JUMP { 0 } else { by }
}

/// The milliseconds between two times of the monotonic clock.
fn between(from: Instant, to: Instant) -> i64 {
    let passed = to.saturating_duration_since(from).as_millis();
    i64::try_from(passed).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{Around, ConversationMeta, Question};
    use std::time::Duration;

    #[tokio::test]
    async fn what_was_perhaps_moved_is_not_moved_again() {
        let folder = tempfile::TempDir::new().expect("a temporary folder");
        let journal = crate::journal::tests::sample::journal_in(folder.path()).await;
        let meta = ConversationMeta {
            id: "c1".to_owned(),
            ..ConversationMeta::default()
        };
        journal.describe(vec![meta]).await.expect("healthy");
        let question = Question {
            token: "t".to_owned(),
            question: "q".to_owned(),
            shown: String::new(),
            rating: String::new(),
        };
        journal.ask("c1", question, now()).await.expect("healthy");
        let since = async || {
            let facts = journal.unanswered("c1", "t", Around::default()).await;
            facts.expect("healthy").expect("it waits").since
        };
        let clock = WaitClock::new(journal.clone());
        let asked = since().await;
        // The journal was lost while the hour was added.
        journal.shift_waits(3_600_000).await.expect("healthy");
        clock.set(3_600_000);
        clock.base.write().await.is_unsure = true;
        let time = clock.read().await.expect("healthy").at;
        assert!(since().await >= asked + 3_600_000 && since().await <= time.now);
        clock.read().await.expect("healthy");
        assert!(since().await <= time.now, "once");
    }

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
