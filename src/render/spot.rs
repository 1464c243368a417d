//! Where a line of a change is: what a comment on it refers to.

use super::{Change, DiffLine};
use crate::words::words;
use serde::{Deserialize, Serialize};

/// A line of a change.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DiffSpot {
    /// Hash of the commit that has changed it; empty if the change is not committed.
    pub commit: String,
    /// Path of the file.
    pub file: String,
    /// The text that has the line.
    pub side: DiffSide,
    /// Its line number there.
    pub number: u32,
}

/// One of the two texts of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiffSide {
    /// The text before the change.
    Old,
    /// The text after the change.
    New,
}

words! { DiffSide, word: Old "old", New "new" }

impl DiffLine {
    /// Its side and its number there: a line that was removed is one of the old text. `None` without a number.
    pub fn place(&self) -> Option<(DiffSide, u32)> {
        let (side, number) = match self.change {
            Change::Removed => (DiffSide::Old, self.old),
            _ => (DiffSide::New, self.new),
        };
        number.map(|number| (side, number))
    }
}
