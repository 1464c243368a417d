//! Tracks which positions of a conversation have arrived: where to resume, and what may be missing.
//!
//! Stored ids are dense, and sent ones have many gaps: null events are never sent, recalls are left out of a replay, and
//! of the agent states only the newest is replayed (`docs/protocol/v0.md` section 5). A gap in the socket's ids
//! therefore proves nothing; only stored pages fill it.

use crate::backend::ResumePoint;
use std::collections::BTreeSet;

/// How far before the newest event a resume starts: live events overtake each other, and some miss a replay.
const OVERLAP: i64 = 20;

#[derive(Debug)]
pub(super) struct Arrivals {
    /// All events up to this id have arrived or do not exist.
    contiguous_through: i64,
    /// Ids above it that have arrived.
    above: BTreeSet<i64>,
    /// No resume starts before this id, because the replay contains an event that breaks every connection.
    floor: i64,
}

impl Arrivals {
    /// `after` is the newest stored id. The ids just before it are read again.
    pub(super) fn after(after: Option<i64>) -> Self {
        let newest = after.unwrap_or(-1).max(-1);
        Self {
            contiguous_through: back(newest),
            above: BTreeSet::from_iter((newest >= 0).then_some(newest)),
            floor: -1,
        }
    }

    /// Starts after what the journal has, and never before a data loss.
    pub(super) fn behind(resume: &ResumePoint) -> Self {
        let mut arrivals = Self::after(resume.after);
        if let Some(since) = resume.offset.since {
            arrivals.backfilled(since);
        }
        arrivals
    }

    /// Records an id; `false` if it had arrived before. The newest id of the journal counts as arrived.
    pub(super) fn take(&mut self, id: i64) -> bool {
        if id <= self.contiguous_through || !self.above.insert(id) {
            return false;
        }
        self.advance();
        true
    }

    /// Records that stored pages were read up to `id`: missing ids below it do not exist.
    pub(super) fn backfilled(&mut self, id: i64) {
        self.contiguous_through = self.contiguous_through.max(id);
        self.above.retain(|above| *above > self.contiguous_through);
        self.advance();
    }

    /// Advances `contiguous_through` over the ids that follow it without a gap.
    fn advance(&mut self) {
        while let Some(first) = self.above.first()
            && first - 1 == self.contiguous_through
        {
            self.contiguous_through = *first;
            self.above.pop_first();
        }
    }

    /// The newest id that has arrived; -1 for none.
    pub(super) fn newest(&self) -> i64 {
        *self.above.last().unwrap_or(&self.contiguous_through)
    }

    /// The id after which stored pages have to be read; `None` to read from the beginning.
    pub(super) fn contiguous_through(&self) -> Option<i64> {
        (self.contiguous_through >= 0).then_some(self.contiguous_through)
    }

    /// Whether events may be missing between those that have arrived.
    pub(super) fn has_hole(&self) -> bool {
        !self.above.is_empty()
    }

    /// The `latest_event_id` for a resume.
    pub(super) fn resume_from(&self) -> i64 {
        back(self.newest()).max(self.floor)
    }

    /// Excludes all known ids from resumes.
    pub(super) fn skip_known(&mut self) {
        self.floor = self.newest();
    }
}

fn back(id: i64) -> i64 {
    id.saturating_sub(OVERLAP).max(-1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_connection_wants_everything() {
        let arrivals = Arrivals::after(None);
        assert_eq!(
            (
                arrivals.contiguous_through(),
                arrivals.newest(),
                arrivals.resume_from(),
                arrivals.has_hole()
            ),
            (None, -1, -1, false)
        );
    }

    #[test]
    fn a_resumed_connection_looks_a_little_back() {
        let arrivals = Arrivals::after(Some(100));
        assert_eq!(
            (
                arrivals.contiguous_through(),
                arrivals.newest(),
                arrivals.resume_from()
            ),
            (Some(80), 100, 80)
        );
        assert_eq!(Arrivals::after(Some(5)).resume_from(), -1);
    }

    #[test]
    fn out_of_order_is_no_hole_once_both_are_here() {
        let mut arrivals = Arrivals::after(None);
        assert!(arrivals.take(0) && arrivals.take(2));
        assert!(arrivals.has_hole());
        assert!(arrivals.take(1) && !arrivals.take(1) && !arrivals.take(2));
        assert!(!arrivals.has_hole());
        assert_eq!(arrivals.contiguous_through(), Some(2));
    }

    #[test]
    fn a_filled_hole_is_closed_even_when_nothing_was_in_it() {
        let mut arrivals = Arrivals::after(None);
        arrivals.take(0);
        arrivals.take(4);
        arrivals.take(5);
        arrivals.backfilled(3);
        assert_eq!(
            (arrivals.contiguous_through(), arrivals.has_hole()),
            (Some(5), false)
        );
    }

    #[test]
    fn poison_is_never_asked_for_again() {
        let mut arrivals = Arrivals::after(Some(50));
        arrivals.backfilled(60);
        assert_eq!(arrivals.resume_from(), 40);
        arrivals.skip_known();
        assert_eq!(arrivals.resume_from(), 60);
    }

    #[test]
    fn absurd_ids_do_no_harm() {
        let mut arrivals = Arrivals::after(Some(i64::MIN));
        arrivals.take(i64::MAX);
        arrivals.backfilled(i64::MAX);
        assert!(!arrivals.take(i64::MAX) && !arrivals.has_hole());
        assert_eq!(arrivals.newest(), i64::MAX);
    }
}
