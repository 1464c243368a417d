//! The list of conversations: what the backends say, what the journal remembers, and what open
//! conversations know better, in one place and live.
//!
//! `polling.rs` asks the backends. 0.62 leaves conversations out that are older than ten days; the journal
//! still has them.

use super::connected::Connected;
use super::follower::{Queue, encode, queue};
use super::{Follower, Hub, HubError, lock, view};
use crate::live::{ConversationSummary, FromServer, ListView, Verdict};
use crate::people::Caller;
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// How old the list may be while somebody looks.
const WHILE_LOOKING: Duration = Duration::from_secs(10);
/// How old the list may be while nobody does.
const WHILE_AWAY: Duration = Duration::from_secs(60);
/// How long the very first list waits for the backend.
const FIRST: Duration = Duration::from_secs(2);
/// Lines of the list that a new follower is sent: those behind them change rarely, and a page that has
/// just been read knows them.
const REPLAYED: usize = 200;

/// The list as it is known.
#[derive(Default)]
pub(super) struct List {
    pub(super) summaries: Mutex<HashMap<String, ConversationSummary>>,
    followers: Mutex<Vec<Watcher>>,
    looked_at: Mutex<Option<Instant>>,
}

/// Somebody who follows the list, and hears of what they see.
struct Watcher {
    by: Caller,
    queue: Queue,
}

impl List {
    fn broadcast(&self, frame: &FromServer) {
        let mut followers = lock(&self.followers);
        if !followers.is_empty() {
            let frame = encode(frame);
            followers.retain(|follower| follower.queue.push(&frame));
        }
    }

    /// How old the list may be.
    pub(super) fn limit(&self) -> Duration {
        let mut looked_at = lock(&self.looked_at);
        let mut followers = lock(&self.followers);
        followers.retain(|follower| !follower.queue.is_left());
        if !followers.is_empty() {
            *looked_at = Some(Instant::now());
        }
        match *looked_at {
            Some(at) if at.elapsed() < WHILE_LOOKING => WHILE_LOOKING,
            _ => WHILE_AWAY,
        }
    }
}

impl Hub {
    /// The conversations whose title, repository or tags hold `search`: those that need a person first, then
    /// the last changed. Answers at once with what is known; the backend is asked beside it.
    pub async fn list(&self, by: &Caller, search: &str) -> Result<ListView, HubError> {
        let list = &self.0.list;
        *lock(&list.looked_at) = Some(Instant::now());
        self.poll_what_is_old();
        // Until a backend has answered once, what we remember of it may be nothing at all.
        let _ = timeout(FIRST, self.polled_once()).await;
        let search = search.trim().to_lowercase();
        let holds = |text: &str| text.to_lowercase().contains(&search);
        let mut conversations: Vec<ConversationSummary> = lock(&list.summaries)
            .values()
            .filter(|one| self.sees(by, &one.id))
            .filter(|one| {
                holds(&one.title)
                    || one.repository.as_deref().is_some_and(holds)
                    || one.tags.labels().any(|label| holds(&label))
            })
            .cloned()
            .collect();
        sort(&mut conversations);
        Ok(ListView {
            conversations,
            backends: self.connected().iter().map(Connected::view).collect(),
        })
    }

    /// Changes of the list from now on, the newest lines first. It has no cursor: a reader who is too slow
    /// is told [`Verdict::Gap`] about the conversation with the empty id, and reads the list anew.
    pub fn follow_list(&self, by: &Caller) -> Follower {
        let (queue, follower) = queue("", Verdict::Ok, None);
        let mut followers = lock(&self.0.list.followers);
        let mut newest: Vec<ConversationSummary> = lock(&self.0.list.summaries)
            .values()
            .filter(|one| self.sees(by, &one.id))
            .cloned()
            .collect();
        sort(&mut newest);
        newest.truncate(REPLAYED);
        for summary in newest {
            queue.push(&encode(&FromServer::Summary {
                summary: Box::new(summary),
            }));
        }
        followers.push(Watcher {
            by: by.clone(),
            queue,
        });
        follower
    }

    /// A line of the list is so now.
    pub(super) fn summary_is(&self, summary: ConversationSummary) {
        // Both locks in the order of `follow_list`: a new follower has a change or gets it.
        let mut followers = lock(&self.0.list.followers);
        let mut summaries = lock(&self.0.list.summaries);
        if summaries.get(&summary.id) != Some(&summary) {
            if !followers.is_empty() {
                let frame = encode(&FromServer::Summary {
                    summary: Box::new(summary.clone()),
                });
                followers.retain(|follower| {
                    let sees = self.sees(&follower.by, &summary.id);
                    if sees {
                        follower.queue.push(&frame)
                    } else {
                        !follower.queue.is_left()
                    }
                });
            }
            summaries.insert(summary.id.clone(), summary);
        }
    }

    /// Some see a conversation now who did not, or the other way round.
    pub(super) fn sight_changed(&self, id: &str) {
        let mut followers = lock(&self.0.list.followers);
        let summary = lock(&self.0.list.summaries).get(id).cloned();
        let there = summary.map(|summary| {
            encode(&FromServer::Summary {
                summary: Box::new(summary),
            })
        });
        let gone = encode(&FromServer::Gone {
            conversation: id.to_owned(),
        });
        followers.retain(|follower| match &there {
            Some(there) if self.sees(&follower.by, id) => follower.queue.push(there),
            _ => follower.queue.push(&gone),
        });
    }

    /// A conversation is no more.
    pub(super) fn forget_summary(&self, id: &str) {
        lock(&self.0.list.summaries).remove(id);
        self.0.list.broadcast(&FromServer::Gone {
            conversation: id.to_owned(),
        });
    }

    /// Takes what the journal remembers of the conversations of all backends.
    pub(super) async fn remember_list(&self) -> Result<(), HubError> {
        let mut remembered = HashMap::new();
        for one in self.connected() {
            let known = self.journal().conversations(&one.target.label()).await?;
            remembered.extend(
                known
                    .iter()
                    .map(|known| (known.described.id.clone(), view::summary(known))),
            );
        }
        *lock(&self.0.list.summaries) = remembered;
        lock(&self.0.list.followers)
            .drain(..)
            .for_each(|follower| follower.queue.break_off());
        Ok(())
    }
}

fn sort(conversations: &mut [ConversationSummary]) {
    conversations.sort_by(|a, b| {
        let key = |one: &ConversationSummary| (!one.needs_you(), std::cmp::Reverse(one.updated_at));
        key(a).cmp(&key(b)).then_with(|| a.id.cmp(&b.id))
    });
}
