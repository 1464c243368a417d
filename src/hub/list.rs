//! The list of conversations: what backends say, the journal remembers and open conversations know better, live.
//!
//! `polling.rs` asks the backends. 0.62 leaves out what is older than ten days; the journal still has it.

use super::changes::Since;
use super::connected::Connected;
use super::deletions::Reading;
use super::follower::{Queue, encode, queue};
use super::{Follower, Hub, HubResult, NEW_DRAFT, check_id, lock, view};
use crate::journal::Known;
use crate::live::{ConversationSummary, FromServer, IMPORTED, ListView, Verdict};
use crate::people::Caller;
use bytes::Bytes;
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

/// Maximum age of the list while a user views it.
const MAX_AGE_VIEWED: Duration = Duration::from_secs(10);
/// Maximum age of the list while no user views it.
const MAX_AGE_UNVIEWED: Duration = Duration::from_secs(60);
/// How long the very first list waits for the backend.
const FIRST: Duration = Duration::from_secs(2);
/// Lines that a new follower is sent: those behind them change rarely, and a page that was just read knows them.
const REPLAYED: usize = 200;

#[derive(Default)]
pub(super) struct List {
    pub(super) summaries: Mutex<HashMap<String, ConversationSummary>>,
    followers: Mutex<Vec<Watcher>>,
    viewed_at: Mutex<Option<Instant>>,
    /// Changes whenever a backend was asked for its list, whatever came of it.
    pub(super) polled: watch::Sender<()>,
}

/// A follower of the list. It receives only conversations that its user may see.
struct Watcher {
    by: Caller,
    queue: Queue,
}

impl List {
    /// How old the list may be.
    pub(super) fn limit(&self) -> Duration {
        let mut viewed_at = lock(&self.viewed_at);
        let mut followers = lock(&self.followers);
        followers.retain(|follower| !follower.queue.is_left());
        if !followers.is_empty() {
            *viewed_at = Some(Instant::now());
        }
        match *viewed_at {
            Some(at) if at.elapsed() < MAX_AGE_VIEWED => MAX_AGE_VIEWED,
            _ => MAX_AGE_UNVIEWED,
        }
    }
}

impl Hub {
    /// The conversations whose title, repository or tags contain `search`: those that need a person first, then
    /// the last changed. Returns the known state at once; the backends are polled in the background.
    pub async fn list(&self, by: &Caller, search: &str) -> HubResult<ListView> {
        let list = &self.0.list;
        *lock(&list.viewed_at) = Some(Instant::now());
        self.poll_what_is_old();
        // Until a backend has responded once, nothing may be known about it.
        let _ = timeout(FIRST, self.polled_once()).await;
        let mut conversations = self.lines(by, |one| one.holds(search));
        sort(&mut conversations);
        let name = by.signature();
        let is_mine =
            |one: &&ConversationSummary| !name.is_empty() && self.sharing(&one.id).creator == name;
        let mine = conversations.iter().filter(is_mine);
        let mine = mine.map(|one| one.id.clone()).collect();
        let mut pinned = self.journal().pins(by.person).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the pins could not be read; the list is shown without them");
            Vec::new()
        });
        pinned.retain(|id| self.sees(by, id));
        Ok(ListView {
            conversations,
            mine,
            pinned,
            draft: self.draft(by, NEW_DRAFT).await.unwrap_or_default(),
            backends: self.connected().iter().map(Connected::view).collect(),
        })
    }

    /// Pins a conversation to the top of the caller's list, or unpins it.
    pub async fn pin(&self, by: &Caller, id: &str, pinned: bool) -> HubResult {
        check_id(id)?;
        Ok(self.journal().pin(id, by.person, pinned).await?)
    }

    /// Changes of the list from now on, newest first. There is no cursor: a reader that is too slow
    /// gets [`Verdict::Gap`] about the conversation with the empty id, and reloads the list.
    pub fn follow_list(&self, by: &Caller) -> Follower {
        let (queue, follower) = queue("", Verdict::Ok, by.person, None);
        let mut followers = lock(&self.0.list.followers);
        let mut newest = self.lines(by, |_| true);
        sort(&mut newest);
        for summary in newest.iter().take(REPLAYED) {
            queue.push(&line(summary));
        }
        let by = by.clone();
        followers.push(Watcher { by, queue });
        follower
    }

    /// The conversations of the list that match and that the user may see.
    pub(super) fn lines(
        &self,
        by: &Caller,
        is_wanted: impl Fn(&ConversationSummary) -> bool,
    ) -> Vec<ConversationSummary> {
        let summaries = lock(&self.0.list.summaries);
        let seen = |one: &&ConversationSummary| is_wanted(one) && self.sees(by, &one.id);
        summaries.values().filter(seen).cloned().collect()
    }

    /// Updates a conversation in the list. With `reading`, only if it was not deleted since.
    pub(super) fn summary_is(&self, summary: ConversationSummary, reading: Option<&Reading>) {
        let outdated = |id: &str| reading.is_some_and(|reading| reading.is_outdated(id));
        // Both locks in the order of `follow_list`: a new follower has a change or gets it.
        let mut followers = lock(&self.0.list.followers);
        let mut summaries = lock(&self.0.list.summaries);
        // Lines are forgotten under the same lock.
        if outdated(&summary.id) {
            return;
        }
        if summaries.get(&summary.id) != Some(&summary) {
            if !followers.is_empty() {
                let frame = line(&summary);
                followers.retain(|follower| {
                    let sees = self.sees(&follower.by, &summary.id);
                    match sees {
                        true => follower.queue.push(&frame),
                        false => !follower.queue.is_left(),
                    }
                });
            }
            self.0.changes.note(&summary.id, Since::NOTHING);
            summaries.insert(summary.id.clone(), summary);
        }
    }

    /// Updates all followers after access to a conversation has changed.
    pub(super) fn sight_changed(&self, id: &str) {
        let mut followers = lock(&self.0.list.followers);
        let there = lock(&self.0.list.summaries).get(id).map(line);
        let gone = gone(id);
        followers.retain(|follower| match &there {
            Some(there) if self.sees(&follower.by, id) => follower.queue.push(there),
            _ => follower.queue.push(&gone),
        });
    }

    pub(super) fn forget_summary(&self, id: &str) {
        lock(&self.0.list.summaries).remove(id);
        self.0.changes.note(id, Since::NOTHING);
        let gone = gone(id);
        lock(&self.0.list.followers).retain(|follower| follower.queue.push(&gone));
    }

    /// Takes what the journal remembers of the conversations of all backends.
    pub(super) async fn remember_list(&self) -> HubResult {
        let mut remembered = HashMap::new();
        let backends = self.connected().into_iter();
        let labels = backends.map(|one| one.target.label());
        for label in labels.chain([IMPORTED.to_owned()]) {
            let known = self.journal().conversations(&label).await?;
            let summary = |known: &Known| (known.meta.id.clone(), view::summary(known));
            remembered.extend(known.iter().map(summary));
        }
        let known: Vec<String> = remembered.keys().cloned().collect();
        let open = self.open_ids();
        let mut summaries = lock(&self.0.list.summaries);
        // The task of an open conversation knows more than the journal.
        for id in open {
            if remembered.contains_key(&id) {
                remembered.extend(summaries.remove_entry(&id));
            }
        }
        *summaries = remembered;
        drop(summaries);
        let changes = &self.0.changes;
        known.iter().for_each(|id| changes.note(id, Since::NOTHING));
        for follower in lock(&self.0.list.followers).drain(..) {
            follower.queue.break_off();
        }
        Ok(())
    }
}

fn line(summary: &ConversationSummary) -> Bytes {
    let summary = Box::new(summary.clone());
    encode(&FromServer::Summary { summary })
}

fn gone(id: &str) -> Bytes {
    let conversation = id.to_owned();
    encode(&FromServer::Gone { conversation })
}

fn sort(conversations: &mut [ConversationSummary]) {
    conversations.sort_by(|a, b| {
        let key = |one: &ConversationSummary| (!one.needs_you(), std::cmp::Reverse(one.updated_at));
        key(a).cmp(&key(b)).then_with(|| a.id.cmp(&b.id))
    });
}
