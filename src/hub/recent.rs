//! The lines of the list that are in memory: those that changed last, those that are not written yet, and those with a
//! pending approval.

use super::view;
use crate::journal::Line;
use crate::live::ConversationSummary;
use std::collections::{HashMap, HashSet, VecDeque};

/// Changed lines that are kept in memory: a page that was just read knows what has changed before them.
pub(super) const KEPT: usize = 256;

/// The lines in memory.
#[derive(Default)]
pub(super) struct Recent {
    pub(super) lines: HashMap<String, Changed>,
    /// The lines by their last change, with its number; outdated entries are skipped.
    order: VecDeque<(u64, String)>,
    unwritten: HashSet<String>,
    /// The last conversations that were deleted or whose access has changed, and whether they were deleted.
    pub(super) hidden: VecDeque<(String, bool)>,
    count: u64,
}

/// A line in memory.
pub(super) struct Changed {
    pub(super) summary: ConversationSummary,
    /// As [`Line::seq`].
    seq: Option<i64>,
    /// The number of its last change.
    pub(super) number: u64,
}

impl Recent {
    /// Takes a line. Returns whether it differs from the known one.
    pub(super) fn take(&mut self, summary: ConversationSummary, seq: Option<i64>) -> bool {
        let known = self.lines.get(&summary.id);
        let is_same = known.is_some_and(|known| known.summary == summary);
        if is_same && known.is_some_and(|known| known.seq >= seq) {
            return false;
        }
        self.count += 1;
        let (id, number) = (summary.id.clone(), self.count);
        self.order.push_back((number, id.clone()));
        self.unwritten.insert(id.clone());
        self.hidden
            .retain(|(known, is_deleted)| !(*is_deleted && *known == id));
        let changed = Changed {
            summary,
            seq,
            number,
        };
        self.lines.insert(id, changed);
        self.forget_old();
        !is_same
    }

    pub(super) fn forget(&mut self, id: &str) {
        self.lines.remove(id);
        self.unwritten.remove(id);
        self.hide(id, true);
    }

    /// The seq of a line in memory.
    pub(super) fn seq(&self, id: &str) -> Option<i64> {
        self.lines.get(id).and_then(|known| known.seq)
    }

    pub(super) fn bring_up_to_date(&self, all: &mut [ConversationSummary]) {
        for one in all {
            if let Some(known) = self.lines.get(&one.id) {
                one.clone_from(&known.summary);
            }
        }
    }

    pub(super) fn hide(&mut self, id: &str, is_deleted: bool) {
        self.hidden.retain(|(known, _)| known != id);
        self.hidden.push_back((id.to_owned(), is_deleted));
        if self.hidden.len() > KEPT {
            self.hidden.pop_front();
        }
    }

    /// Forgets written lines that have not changed lately, except those with a pending approval.
    pub(super) fn forget_old(&mut self) {
        while self.order.len() > KEPT
            && let Some((number, id)) = self.order.front()
        {
            if self.unwritten.contains(id) {
                return;
            }
            let known = self.lines.get(id);
            if known.is_some_and(|known| known.number == *number && known.summary.waiting == 0) {
                self.lines.remove(id);
            }
            self.order.pop_front();
        }
    }

    /// What has changed and is not in the journal yet, at most `limit`.
    pub(super) fn late(&self, limit: usize) -> Vec<ConversationSummary> {
        let late = self.unwritten.iter().filter_map(|id| self.lines.get(id));
        late.take(limit).map(|one| one.summary.clone()).collect()
    }

    /// The changed lines, with the number of each change.
    pub(super) fn unwritten(&self) -> Vec<(u64, Line)> {
        let changed = self.unwritten.iter().filter_map(|id| self.lines.get(id));
        let line = |one: &Changed| (one.number, view::line(&one.summary, one.seq));
        changed.map(line).collect()
    }

    pub(super) fn written(&mut self, number: u64, id: &str) {
        if self
            .lines
            .get(id)
            .is_some_and(|known| known.number == number)
        {
            self.unwritten.remove(id);
        }
    }

    /// Begins anew with the lines that have a pending approval, the newest first. The lines of open conversations stay as
    /// they are.
    pub(super) fn restart(&mut self, waiting: Vec<ConversationSummary>, open: &[String]) {
        let before = std::mem::take(self);
        self.count = before.count;
        // The newest change is the last.
        for summary in waiting.into_iter().rev() {
            self.count += 1;
            let changed = Changed {
                seq: None,
                number: self.count,
                summary,
            };
            self.lines.insert(changed.summary.id.clone(), changed);
        }
        let mut lines = before.lines;
        for (id, line) in open.iter().filter_map(|id| lines.remove_entry(id)) {
            if before.unwritten.contains(&id) {
                self.unwritten.insert(id.clone());
            }
            self.order.push_back((line.number, id.clone()));
            self.lines.insert(id, line);
        }
    }
}
