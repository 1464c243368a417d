//! The reading of a backend's list over several polls.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// How far a backend's list was read. A list with many pages takes several polls.
#[derive(Default)]
pub(super) struct Sweep {
    /// The next page; `None` before the first.
    pub(super) next: Option<String>,
    /// Hashes of the ids that were read, and whether the page was one of the whole list.
    seen: HashMap<u64, bool>,
    /// Number of conversations with an invalid id.
    pub(super) left_out: usize,
    /// Whether the list was read to its end before.
    pub(super) is_whole: bool,
    /// Time of the newest change that was read, of a list that has what was changed last first.
    pub(super) newest: i64,
}

impl Sweep {
    /// Begins with the first page.
    pub(super) fn restart(&mut self) {
        self.next = None;
        self.seen.clear();
        self.left_out = 0;
    }

    /// Takes the ids of a page; returns whether it has one that was on none before.
    pub(super) fn take<'i>(&mut self, ids: impl Iterator<Item = &'i str>) -> bool {
        let new = ids.filter(|id| self.seen.insert(hash(id), true) != Some(true));
        new.count() > 0
    }

    /// Takes the ids of a page that is no part of the whole list.
    pub(super) fn take_changed<'i>(&mut self, ids: impl Iterator<Item = &'i str>) {
        for id in ids {
            self.seen.entry(hash(id)).or_default();
        }
    }

    /// Whether a conversation was read.
    pub(super) fn has(&self, id: &str) -> bool {
        self.seen.contains_key(&hash(id))
    }

    /// Number of conversations that were read.
    pub(super) fn count(&self) -> usize {
        self.seen.len()
    }
}

pub(super) fn hash(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}
