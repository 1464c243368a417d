//! The rows of a timeline: each its own signal, so that a change touches one card only.
//!
//! The list contains every loaded row; the page shows a window of it. `list` is notified only
//! when rows are added, removed or moved: an update of a row notifies that row alone.

#[cfg(test)]
mod tests;

use crate::render::RowView;
use leptos::prelude::*;

/// Maximum number of cards in the page: more are slow on a phone.
pub const SHOWN: usize = 300;

/// Number of rows by which the window moves: a few screens.
const STEP: usize = 60;

/// Position and id of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowKey {
    /// Position in upstream's order.
    pub pos: i64,
    /// Id of the row.
    pub id: i64,
}

impl RowKey {
    fn of(view: &RowView) -> Self {
        Self {
            pos: view.pos,
            id: view.id,
        }
    }
}

/// A loaded row.
#[derive(Clone)]
pub struct Entry {
    /// Its position.
    pub key: RowKey,
    /// Its contents.
    pub view: ArcRwSignal<RowView>,
}

/// The loaded rows, oldest first, and the window that is shown.
#[derive(Clone, Copy)]
pub struct Rows {
    list: RwSignal<Vec<Entry>>,
    older: RwSignal<bool>,
    /// Number of the newest rows that are not shown because the reader is far above.
    below: RwSignal<usize>,
}

impl Rows {
    /// Starts with the given rows; `older`: there are more before them.
    pub fn new(rows: Vec<RowView>, older: bool) -> Self {
        let mut list = Vec::new();
        merge(&mut list, rows);
        Self {
            list: RwSignal::new(list),
            older: RwSignal::new(older),
            below: RwSignal::new(0),
        }
    }

    /// Every loaded row, oldest first.
    pub fn all(self) -> Vec<Entry> {
        self.list.get()
    }

    /// The rows to show, oldest first.
    pub fn shown(self) -> Vec<Entry> {
        let list = self.list.read();
        let end = list.len().saturating_sub(self.below.get());
        list[end.saturating_sub(SHOWN)..end].to_vec()
    }

    /// Notifies when other rows are shown.
    pub fn track(self) {
        self.list.track();
        self.below.track();
    }

    /// Whether there are rows before the window.
    pub fn has_older(self) -> bool {
        self.older.get() || self.list.read().len() > self.below.get() + SHOWN
    }

    /// The oldest loaded row: where the next older page ends.
    pub fn oldest(self) -> Option<RowKey> {
        self.list.read().first().map(|entry| entry.key)
    }

    /// The newest loaded row itself.
    pub fn last(self) -> Option<Entry> {
        self.list.read().last().cloned()
    }

    /// The newest loaded row.
    pub fn newest(self) -> Option<RowKey> {
        self.list.read_untracked().last().map(|entry| entry.key)
    }

    /// Whether there are loaded rows after the window; untracked.
    pub fn has_newer_now(self) -> bool {
        self.below.get_untracked() > 0
    }

    /// Moves the window towards the past. `false`: the rows there are not loaded yet.
    pub fn show_older(self) -> bool {
        let hidden = self
            .list
            .read_untracked()
            .len()
            .saturating_sub(self.below.get_untracked() + SHOWN);
        if hidden > 0 {
            self.below.update(|below| *below += hidden.min(STEP));
        }
        hidden > 0
    }

    /// Moves the window towards the present.
    pub fn show_newer(self) {
        self.below
            .update(|below| *below = below.saturating_sub(STEP));
    }

    /// Moves the window to the newest row.
    pub fn show_newest(self) {
        self.below.set(0);
    }

    /// Inserts a page of older rows.
    pub fn prepend(self, rows: Vec<RowView>, older: bool) {
        self.older.set(older);
        let came = rows.len();
        self.merge(rows);
        // The window is full: it moves up by the inserted rows, or none of them would be visible.
        if self.list.read_untracked().len() > SHOWN {
            self.below.update(|below| *below += came.min(STEP));
        }
    }

    /// Inserts new and changed rows; returns the number of rows added after the newest.
    ///
    /// While the reader is far above, new rows stay below the window. A changed row of a page that is not loaded is
    /// skipped: it comes with its page, and alone it would hide the rows between.
    pub fn upsert(self, mut rows: Vec<RowView>) -> usize {
        if self.older.get_untracked() {
            let list = self.list.read_untracked();
            let oldest = list.first().map(|entry| entry.key);
            let is_known = |row: &RowView| list.iter().any(|entry| entry.key.id == row.id);
            rows.retain(|row| {
                oldest.is_none_or(|oldest| RowKey::of(row) > oldest) || is_known(row)
            });
        }
        let added = self.merge(rows);
        if added > 0 && self.below.get_untracked() > 0 {
            self.below.update(|below| *below += added);
        }
        added
    }

    /// Replaces all rows with a new snapshot, which contains the newest rows.
    ///
    /// Older rows are dropped, and loaded again when needed: there may be a gap between them and the
    /// snapshot, even if a loaded row is in the snapshot, because the newest event can arrive before the history.
    pub fn refresh(self, rows: Vec<RowView>, older: bool) {
        self.list
            .update(|list| list.retain(|entry| rows.iter().any(|row| row.id == entry.key.id)));
        self.older.set(older);
        self.below.set(0);
        self.merge(rows);
    }

    fn merge(self, rows: Vec<RowView>) -> usize {
        let mut added = 0;
        self.list.maybe_update(|list| {
            let merged = merge(list, rows);
            added = merged.added;
            merged.moved
        });
        added
    }
}

/// Result of a merge.
#[derive(Debug, PartialEq)]
struct Merged {
    /// Number of rows added after the newest.
    added: usize,
    /// Whether rows were added or moved.
    moved: bool,
}

/// Merges rows into the sorted list: newer versions replace older ones.
fn merge(list: &mut Vec<Entry>, rows: Vec<RowView>) -> Merged {
    let newest = list.last().map(|entry| entry.key);
    let mut merged = Merged {
        added: 0,
        moved: false,
    };
    for view in rows {
        let key = RowKey::of(&view);
        // From the end: most changes are among the newest rows.
        if let Some(at) = list.iter().rposition(|entry| entry.key.id == key.id) {
            if list[at].view.read_untracked().seq > view.seq {
                continue;
            }
            if list[at].key == key {
                if *list[at].view.read_untracked() != view {
                    list[at].view.set(view);
                }
                continue;
            }
            list.remove(at);
        } else if newest.is_none_or(|newest| key > newest) {
            merged.added += 1;
        }
        let at = list.partition_point(|entry| entry.key < key);
        list.insert(
            at,
            Entry {
                key,
                view: ArcRwSignal::new(view),
            },
        );
        merged.moved = true;
    }
    merged
}
