//! Workspace files, as shown on pages.

use crate::render::FileView;
use serde::{Deserialize, Serialize};

/// Entries of a part of a list.
const PART: usize = 200;

/// A part of a list that may be long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part<T> {
    /// Its entries.
    pub entries: Vec<T>,
    /// Number of entries before the next part; 0 at the end.
    pub more: usize,
}

impl<T> Part<T> {
    /// The part of a list that begins behind `from` entries. An entry that is `kept` is in each part, at its beginning.
    pub fn of(all: Vec<T>, from: usize, kept: impl Fn(&T) -> bool) -> Self {
        Self::of_size(PART, all, from, kept)
    }

    /// As [`Self::of`], with at most `size` entries.
    pub fn of_size(size: usize, all: Vec<T>, from: usize, kept: impl Fn(&T) -> bool) -> Self {
        let end = from.saturating_add(size);
        let more = if all.len() > end { end } else { 0 };
        let (mut entries, mut before) = (Vec::new(), None);
        for (at, entry) in all.into_iter().enumerate() {
            if (from..end).contains(&at) {
                entries.push(entry);
            } else if kept(&entry) {
                before = Some(entry);
            }
        }
        entries.splice(0..0, before);
        Self { entries, more }
    }
}

/// A file or directory in the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its name.
    pub name: String,
    /// Its path relative to the workspace root.
    pub path: String,
    /// Whether it is a directory.
    pub directory: bool,
}

/// Content of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileShown {
    /// Highlighted text.
    Text(FileView),
    /// Not text.
    Binary {
        /// Its size in bytes, if the file can be downloaded by itself.
        bytes: Option<u64>,
        /// Whether it is an image in a format that cannot contain scripts.
        picture: bool,
    },
    /// Too large to show; size in bytes.
    TooLarge(u64),
    /// Does not exist.
    Missing,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_list_have_each_entry_once_and_what_is_kept_always() {
        let all = || (0..10_000).collect::<Vec<usize>>();
        let (mut read, mut from, mut parts) = (Vec::new(), 0, 0);
        loop {
            let part = Part::of(all(), from, |_| false);
            read.extend(part.entries);
            parts += 1;
            from = part.more;
            if from == 0 {
                break;
            }
        }
        assert_eq!((read, parts), (all(), 50));
        let part = Part::of(all(), 400, |entry| *entry == 7);
        assert_eq!(
            (part.entries[..2].to_vec(), part.entries.len()),
            (vec![7, 400], 201)
        );
        let part = Part::of(all(), 0, |entry| *entry == 7);
        assert_eq!((part.entries.len(), part.more), (200, 200));
        let none = Part::of(all(), usize::MAX, |_| false);
        assert_eq!(none.entries.len(), 0);
    }
}
