//! How far each person has read each conversation.
//!
//! Opening a conversation, and looking at it while something arrives, marks it as read. Marks are kept in memory and written
//! together every few seconds: at most one for each person and conversation. A crash loses those of the last seconds.

use super::{HubResult, List, lock};
use crate::clock::now;
use crate::journal::{Journal, Seen, SeenBy};
use crate::people::Caller;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::sleep;

/// Least pause between two writes.
const WRITTEN_EVERY: Duration = Duration::from_secs(3);
/// A visit ends when nothing was shown for so long, in milliseconds: a page that is loaded again shows the same as new.
const VISIT: i64 = 60_000;
/// Marks in memory. With a full disk the others are forgotten.
const MOST: usize = 10_000;

/// The marks that were made last, by person and conversation.
pub(super) struct Unread {
    journal: Journal,
    list: Arc<List>,
    marks: Mutex<HashMap<(i64, String), Mark>>,
    changed: Notify,
}

#[derive(Debug, Clone, Copy)]
struct Mark {
    seen: Seen,
    is_written: bool,
}

/// What a person has seen after `seq` was shown to them at a time in milliseconds since the Unix epoch.
fn after(known: Option<Seen>, seq: i64, at: i64) -> Seen {
    match known {
        None => Seen { seq, since: 0, at },
        Some(known) => Seen {
            seq: seq.max(known.seq),
            since: match at - known.at < VISIT {
                true => known.since,
                false => known.seq,
            },
            at: at.max(known.at),
        },
    }
}

impl Unread {
    pub(super) fn new(journal: Journal, list: Arc<List>) -> Self {
        Self {
            journal,
            list,
            marks: Mutex::default(),
            changed: Notify::default(),
        }
    }

    /// A person who keeps their place was shown an open conversation up to `seq`.
    pub(super) async fn attend(&self, by: &Caller, id: &str, seq: i64) {
        // Without the journal, the next look marks it.
        if let Ok(known) = self.seen_by_caller(by, id).await
            && self.list.sharings.sees(by, id)
        {
            self.mark(by, id, after(known, seq, now())).await;
        }
    }

    /// A person opens a conversation and is shown all up to `seq`. Returns what they had seen before this visit; `None` at
    /// the first visit, and for callers without such a state.
    pub(super) async fn visited(&self, by: &Caller, id: &str, seq: i64) -> HubResult<Option<i64>> {
        if !by.keeps_place() {
            return Ok(None);
        }
        let seen = after(self.seen_by_caller(by, id).await?, seq, now());
        self.mark(by, id, seen).await;
        Ok(Some(seen.since).filter(|since| *since > 0))
    }

    /// The newest `seq` that a caller was shown of each of these conversations that they have opened.
    pub(super) async fn seen_of(
        &self,
        by: &Caller,
        ids: Vec<String>,
    ) -> HubResult<HashMap<String, i64>> {
        if !by.keeps_place() {
            return Ok(HashMap::new());
        }
        let mut seen = self.journal.seen_among(by.person, ids.clone()).await?;
        let marks = lock(&self.marks);
        for id in ids {
            if let Some(mark) = marks.get(&(by.person, id.clone())) {
                seen.insert(id, mark.seen.seq);
            }
        }
        Ok(seen)
    }

    async fn seen_by_caller(&self, by: &Caller, id: &str) -> HubResult<Option<Seen>> {
        let key = (by.person, id.to_owned());
        let recent = lock(&self.marks).get(&key).map(|mark| mark.seen);
        match recent {
            Some(seen) => Ok(Some(seen)),
            None => Ok(self.journal.seen(by.person, id).await?),
        }
    }

    async fn mark(&self, by: &Caller, id: &str, seen: Seen) {
        if self.take_mark((by.person, id.to_owned()), seen) {
            self.changed.notify_one();
            self.list.tell_seen(by, id, seen.seq).await;
        }
    }

    /// Takes a mark; returns whether there is something to write.
    fn take_mark(&self, key: (i64, String), seen: Seen) -> bool {
        let mut marks = lock(&self.marks);
        let known = marks.get(&key).copied();
        let of = |seen: Seen| (seen.seq, seen.since);
        let is_same = known.is_some_and(|known| of(known.seen) == of(seen));
        let is_written = is_same && known.is_some_and(|known| known.is_written);
        if marks.len() < MOST || known.is_some() {
            marks.insert(key, Mark { seen, is_written });
        }
        !is_same
    }

    /// Forgets the marks of a conversation that was deleted.
    pub(super) fn forget_seen(&self, id: &str) {
        lock(&self.marks).retain(|(_, known), _| known != id);
    }

    /// Writes marks to the journal, as long as this is polled.
    pub(super) async fn keep_seen_written(&self) {
        loop {
            self.changed.notified().await;
            sleep(WRITTEN_EVERY).await;
            self.write_seen().await;
        }
    }

    /// Writes marks to the journal. Those that could not be written are written with the next ones.
    pub(super) async fn write_seen(&self) {
        let unwritten: Vec<SeenBy> = {
            let marks = lock(&self.marks);
            let unwritten = marks.iter().filter(|(_, mark)| !mark.is_written);
            let of = |((person, id), mark): (&(i64, String), &Mark)| SeenBy {
                person: *person,
                conversation: id.clone(),
                seen: mark.seen,
            };
            unwritten.map(of).collect()
        };
        if unwritten.is_empty() {
            return;
        }
        if let Err(error) = self.journal.keep_seen(unwritten.clone()).await {
            tracing::warn!(%error, "what people have read could not be written");
            return;
        }
        let over = now() - VISIT;
        let mut marks = lock(&self.marks);
        for one in unwritten {
            if let Some(mark) = marks.get_mut(&(one.person, one.conversation))
                && (mark.seen.seq, mark.seen.since) == (one.seen.seq, one.seen.since)
            {
                mark.is_written = true;
            }
        }
        marks.retain(|_, mark| !mark.is_written || mark.seen.at > over);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_new_stays_new_for_a_visit() {
        let first = after(None, 10, 1_000);
        assert_eq!((first.seq, first.since), (10, 0));
        let again = after(Some(first), 10, 2_000);
        assert_eq!(again.since, 0, "the same visit");
        let later = after(Some(again), 25, 2_000 + VISIT);
        assert_eq!((later.seq, later.since), (25, 10));
        let reloaded = after(Some(later), 27, 3_000 + VISIT);
        assert_eq!((reloaded.seq, reloaded.since), (27, 10));
    }

    #[test]
    fn nobody_reads_backwards() {
        let known = Seen {
            seq: 9,
            since: 3,
            at: 5_000,
        };
        assert_eq!(after(Some(known), 4, 1_000), known);
    }
}
