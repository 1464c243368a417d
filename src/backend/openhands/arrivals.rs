//! Which events of a conversation are here, by their positions: where to resume, and what may be missing.
//!
//! Ids are dense where they are stored and full of gaps where they are sent: null events are never sent,
//! recalls are left out of a replay, of the states only the newest is replayed (`protocol/v0.md` section 5).
//! So a gap in what the socket sends proves nothing; only stored pages fill it.

use crate::backend::Past;
use std::collections::BTreeSet;

/// How far behind the newest event a resume begins: live events overtake each other by one or two, and an
/// event that fell between replay and room is found again.
const OVERLAP: i64 = 20;

/// What has arrived of one conversation.
#[derive(Debug)]
pub(super) struct Arrivals {
    /// Everything up to this id is here or does not exist.
    solid: i64,
    /// Ids beyond it that are here.
    above: BTreeSet<i64>,
    /// A resume never begins before this: there is something that no socket survives.
    floor: i64,
}

impl Arrivals {
    /// `after` is the newest id that is held already. What lies close to it is looked at once more.
    pub(super) fn after(after: Option<i64>) -> Self {
        let newest = after.unwrap_or(-1).max(-1);
        Self {
            solid: back(newest),
            above: BTreeSet::from_iter((newest >= 0).then_some(newest)),
            floor: -1,
        }
    }

    /// Where a line begins: behind what is held, and never before a loss.
    pub(super) fn behind(past: &Past) -> Self {
        let mut arrivals = Self::after(past.after);
        if let Some(since) = past.shift.since {
            arrivals.filled(since);
        }
        arrivals
    }

    /// Takes an id in; `false` if it was here. The one that was held at the beginning counts as here.
    pub(super) fn take(&mut self, id: i64) -> bool {
        if id <= self.solid || !self.above.insert(id) {
            return false;
        }
        self.settle();
        true
    }

    /// Stored pages were read up to `id`: whatever is missing below does not exist.
    pub(super) fn filled(&mut self, id: i64) {
        self.solid = self.solid.max(id);
        self.above.retain(|above| *above > self.solid);
        self.settle();
    }

    /// What follows without a gap is solid, too.
    fn settle(&mut self) {
        while let Some(first) = self
            .above
            .first()
            .copied()
            .filter(|first| first - 1 == self.solid)
        {
            self.above.pop_first();
            self.solid = first;
        }
    }

    /// The newest id that is here; -1 for none.
    pub(super) fn newest(&self) -> i64 {
        self.above.last().copied().unwrap_or(-1).max(self.solid)
    }

    /// After which id stored pages are to be read; `None` for from the beginning.
    pub(super) fn solid(&self) -> Option<i64> {
        (self.solid >= 0).then_some(self.solid)
    }

    /// Whether something may be missing between what is here.
    pub(super) fn has_hole(&self) -> bool {
        !self.above.is_empty()
    }

    /// The `latest_event_id` to resume with.
    pub(super) fn resume_from(&self) -> i64 {
        back(self.newest()).max(self.floor)
    }

    /// Nothing that is here is asked for again.
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
    fn a_fresh_line_wants_everything() {
        let arrivals = Arrivals::after(None);
        assert_eq!(
            (
                arrivals.solid(),
                arrivals.newest(),
                arrivals.resume_from(),
                arrivals.has_hole()
            ),
            (None, -1, -1, false)
        );
    }

    #[test]
    fn a_resumed_line_looks_a_little_back() {
        let arrivals = Arrivals::after(Some(100));
        assert_eq!(
            (arrivals.solid(), arrivals.newest(), arrivals.resume_from()),
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
        assert_eq!(arrivals.solid(), Some(2));
    }

    #[test]
    fn a_filled_hole_is_closed_even_when_nothing_was_in_it() {
        let mut arrivals = Arrivals::after(None);
        arrivals.take(0);
        arrivals.take(4);
        arrivals.take(5);
        arrivals.filled(3);
        assert_eq!((arrivals.solid(), arrivals.has_hole()), (Some(5), false));
    }

    #[test]
    fn poison_is_never_asked_for_again() {
        let mut arrivals = Arrivals::after(Some(50));
        arrivals.filled(60);
        assert_eq!(arrivals.resume_from(), 40);
        arrivals.skip_known();
        assert_eq!(arrivals.resume_from(), 60);
    }

    #[test]
    fn absurd_ids_do_no_harm() {
        let mut arrivals = Arrivals::after(Some(i64::MIN));
        arrivals.take(i64::MAX);
        arrivals.filled(i64::MAX);
        assert!(!arrivals.take(i64::MAX) && !arrivals.has_hole());
        assert_eq!(arrivals.newest(), i64::MAX);
    }
}
