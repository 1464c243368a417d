//! Deletions that happen while lists or conversations are read.
//!
//! Data that was read before a deletion would bring the conversation back. Each reader therefore registers a `Reading`
//! first and checks it before it stores anything. A conversation is outdated only for readings that began before its
//! deletion ended, so one that a backend has again later comes back. A deletion that no reading needs is forgotten.

use super::lock;
use std::collections::{BTreeMap, HashMap};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

/// A deletion that has not ended yet: all readings began before its end.
const UNDER_WAY: u64 = u64::MAX;

/// The deletions that readings may have missed. All clones share one state.
#[derive(Debug, Clone, Default)]
pub(super) struct Deletions(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// Notified whenever a deletion has ended.
    ended: Notify,
}

#[derive(Debug, Default)]
struct State {
    ended: u64,
    /// How many readings began when so many had ended.
    readings: BTreeMap<u64, usize>,
    /// The number of each deletion that some reading may have missed.
    gone: HashMap<String, u64>,
}

impl State {
    fn forget_what_nobody_needs(&mut self) {
        let oldest = self.readings.keys().next().copied();
        self.gone
            .retain(|_, at| *at == UNDER_WAY || oldest.is_some_and(|oldest| *at > oldest));
    }
}

impl Deletions {
    pub(super) fn begin_reading(&self) -> Arc<Reading> {
        let mut state = lock(&self.0.state);
        let since = state.ended;
        *state.readings.entry(since).or_default() += 1;
        drop(state);
        let deletions = self.clone();
        Arc::new(Reading { deletions, since })
    }

    /// A conversation is about to be removed from here. Waits for the end of another deletion of it: the second one
    /// would otherwise end while the actor that the first one has ended is still at work.
    pub(super) async fn start(&self, id: &str) -> Deletion {
        loop {
            let mut ended = pin!(self.0.ended.notified());
            ended.as_mut().enable();
            if self.claim(id) {
                let (deletions, id) = (self.clone(), id.to_owned());
                return Deletion { deletions, id };
            }
            ended.await;
        }
    }

    /// Whether no other deletion of this conversation is under way.
    fn claim(&self, id: &str) -> bool {
        let mut state = lock(&self.0.state);
        state.gone.insert(id.to_owned(), UNDER_WAY) != Some(UNDER_WAY)
    }
}

/// A reading of lists or conversations. Dropped when its results are stored.
#[derive(Debug)]
pub(super) struct Reading {
    deletions: Deletions,
    since: u64,
}

impl Reading {
    /// Whether the conversation was deleted after this reading began, so that the results for it must be dropped.
    pub(super) fn is_outdated(&self, id: &str) -> bool {
        let state = lock(&self.deletions.0.state);
        state.gone.get(id).is_some_and(|at| *at > self.since)
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        let mut state = lock(&self.deletions.0.state);
        if let Some(count) = state.readings.get_mut(&self.since) {
            *count -= 1;
            if *count == 0 {
                state.readings.remove(&self.since);
            }
        }
        state.forget_what_nobody_needs();
    }
}

/// A deletion under way. It ends when this is dropped.
pub(super) struct Deletion {
    deletions: Deletions,
    id: String,
}

impl Drop for Deletion {
    fn drop(&mut self) {
        let mut state = lock(&self.deletions.0.state);
        state.ended += 1;
        let ended = state.ended;
        state.gone.insert(std::mem::take(&mut self.id), ended);
        state.forget_what_nobody_needs();
        drop(state);
        self.deletions.0.ended.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    fn start(deletions: &Deletions, id: &str) -> Deletion {
        let began = deletions.start(id).now_or_never();
        began.expect("no other deletion is under way")
    }

    #[tokio::test]
    async fn a_second_deletion_waits_for_the_first() {
        let deletions = Deletions::default();
        let first = start(&deletions, "a");
        let mut second = pin!(deletions.start("a"));
        assert!(second.as_mut().now_or_never().is_none());
        drop(start(&deletions, "b"));
        assert!(second.as_mut().now_or_never().is_none());
        drop(first);
        assert!(second.now_or_never().is_some());
    }

    #[test]
    fn only_who_read_before_the_end_of_a_deletion_has_missed_it() {
        let deletions = Deletions::default();
        let before = deletions.begin_reading();
        let deletion = start(&deletions, "a");
        let meanwhile = deletions.begin_reading();
        assert!(before.is_outdated("a") && meanwhile.is_outdated("a"));
        drop(deletion);
        let after = deletions.begin_reading();
        assert!(before.is_outdated("a") && meanwhile.is_outdated("a"));
        assert!(!after.is_outdated("a") && !before.is_outdated("b"));
    }

    #[test]
    fn nothing_is_remembered_that_no_reading_needs() {
        let deletions = Deletions::default();
        for id in 0..1000 {
            drop(start(&deletions, &id.to_string()));
        }
        assert!(lock(&deletions.0.state).gone.is_empty());
        let (old, again) = (deletions.begin_reading(), deletions.begin_reading());
        drop(start(&deletions, "a"));
        let new = deletions.begin_reading();
        drop(old);
        assert_eq!(lock(&deletions.0.state).gone.len(), 1, "one still needs it");
        drop(again);
        assert!(lock(&deletions.0.state).gone.is_empty());
        drop(new);
        assert!(lock(&deletions.0.state).readings.is_empty());
    }
}
