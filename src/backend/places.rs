//! Places for events that the journal lacks among those that it took from a copy.
//!
//! A copy of a log may lack events in the middle. What was taken from it has dense positions, which are lower than
//! those in the log behind each such hole. When the log can be read again, an event that belongs into a hole takes the
//! position of the event before it: rows with one position stand in the order of their arrival.

use super::{ReceivedEvent, ResumePoint};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Stored events that are compared. Of a longer copy only the newest ones are.
const MOST: i64 = 10_000;

/// The stored events among which others are placed.
#[derive(Debug, Default)]
pub(super) struct EventPlaces {
    /// Times and positions by key.
    stored: HashMap<String, (i64, i64)>,
    /// Stored events not yet found in the log or copy that is read, by time.
    unmet: BTreeSet<(i64, String)>,
    /// Time and position of stored events that the copy lacks.
    apart: BTreeSet<(i64, i64)>,
    /// Position of the last one that was met.
    last_met: i64,
    newest: i64,
}

impl EventPlaces {
    /// Stored events behind position `after` that are not older than `since` (milliseconds since the Unix epoch).
    pub(super) async fn behind(resume: &ResumePoint, after: i64, since: i64) -> Self {
        let newest = resume.newest.unwrap_or(-1).max(after);
        let mut places = Self {
            last_met: newest,
            newest,
            ..Self::default()
        };
        for pos in (after.saturating_add(1).max(newest - MOST)..=newest).rev() {
            let Some(recorded) = (resume.recorded)(pos).await else {
                continue;
            };
            if recorded.at < since {
                break;
            }
            places.unmet.insert((recorded.at, recorded.key.clone()));
            places.stored.insert(recorded.key, (recorded.at, pos));
            places.last_met = pos - 1;
        }
        places.last_met = places.last_met.max(-1);
        places
    }

    /// Of the stored events only these will be met: the others are not in the copy.
    pub(super) fn meet_only(&mut self, keys: &HashSet<&str>) {
        let unmet = std::mem::take(&mut self.unmet);
        let (copied, apart) = unmet
            .into_iter()
            .partition(|(_, key)| keys.contains(&**key));
        let apart: BTreeSet<(i64, String)> = apart;
        self.unmet = copied;
        self.apart = apart.iter().map(|(_, key)| self.stored[key]).collect();
    }

    /// Whether the journal has the event with this key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.stored.contains_key(key)
    }

    /// The position of the next event in the order of the log. `rank` is its position if it is newer than all stored ones.
    pub(super) fn place(&mut self, key: Option<&str>, at: i64, rank: i64) -> i64 {
        let known = key.and_then(|key| self.stored.get_key_value(key));
        if let Some((key, (at, pos))) = known {
            let pos = *pos;
            self.unmet.remove(&(*at, key.clone()));
            self.last_met = self.last_met.max(pos);
            return pos;
        }
        let is_before = self.unmet.last().is_some_and(|(newest, _)| *newest >= at)
            || self.apart.last().is_some_and(|(newest, _)| *newest > at);
        if is_before {
            let passed = self.apart.range(..=(at, i64::MAX)).map(|(_, pos)| *pos);
            return passed.max().max(Some(self.last_met)).unwrap_or(0).max(0);
        }
        self.newest = self.newest.max(rank);
        self.newest
    }

    /// Moves the next event of the log to its place.
    pub(super) fn assign(&mut self, event: &mut ReceivedEvent) {
        let item = &mut event.item;
        if let Some(rank) = item.pos {
            item.pos = Some(self.place(item.key.as_deref(), item.at.millis, rank));
        }
    }

    /// The position behind all others. The first one is left for a hole at the beginning.
    pub(super) fn next(&self) -> i64 {
        self.newest.max(0) + 1
    }
}
