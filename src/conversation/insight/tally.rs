//! Counting by name, with a bounded number of names.

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Names that are counted one by one.
const NAMES: usize = 200;
/// Names in a report.
const SHOWN: usize = 20;

/// A file with the number of its edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Its path, cut if it is long. Not sanitised.
    pub path: String,
    /// The number of edits.
    pub edits: u64,
}

/// A command with the number of its failures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Its first line, cut if it is long. Not sanitised.
    pub line: String,
    /// How often it ended.
    pub runs: u64,
    /// How often it failed.
    pub failures: u64,
}

/// Counts by name.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    counts: BTreeMap<String, (u64, u64)>,
    /// Whether a name was not counted, since there are too many.
    overflows: bool,
}

impl Tally {
    pub(super) fn overflows(&self) -> bool {
        self.overflows
    }

    pub(super) fn count(&mut self, name: &str) {
        self.end(name, false);
    }

    pub(super) fn end(&mut self, name: &str, has_failed: bool) {
        if self.counts.len() >= NAMES && !self.counts.contains_key(name) {
            self.overflows = true;
            // A name that was seen once and did not fail makes room.
            let spare = self.counts.iter().find(|(_, counts)| **counts == (1, 0));
            let Some(spare) = spare.map(|(name, _)| name.clone()) else {
                return;
            };
            self.counts.remove(&spare);
        }
        let (all, failed) = self.counts.entry(name.to_owned()).or_default();
        *all += 1;
        *failed += u64::from(has_failed);
    }

    pub(super) fn changes(&self) -> Vec<Change> {
        let mut all: Vec<_> = self.counts.iter().collect();
        all.sort_by_key(|(_, (edits, _))| Reverse(*edits));
        let change = |(path, (edits, _)): (&String, &(u64, u64))| Change {
            path: path.clone(),
            edits: *edits,
        };
        all.into_iter().take(SHOWN).map(change).collect()
    }

    pub(super) fn failures(&self) -> Vec<Command> {
        let mut all: Vec<_> = self.counts.iter().collect();
        all.retain(|(_, (_, failures))| *failures > 0);
        all.sort_by_key(|(_, (_, failures))| Reverse(*failures));
        let command = |(line, (runs, failures)): (&String, &(u64, u64))| Command {
            line: line.clone(),
            runs: *runs,
            failures: *failures,
        };
        all.into_iter().take(SHOWN).map(command).collect()
    }
}
