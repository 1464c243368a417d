//! The list of conversations in memory, and its changes, live.
//!
//! The journal has a line for each conversation. In memory are the lines that changed last, until they are written and
//! for followers that begin just then, and those with a pending approval.
//! `polling.rs` asks the backends. 0.62 leaves out what is older than ten days; the journal still has it.
//!
//! Long because followers and changes have to agree.

use super::changes::{Changes, Since};
use super::deletions::{Deletions, Reading};
use super::follower::{Queue, encode, queue};
use super::recent::{Changed, KEPT, Recent};
use super::{Follower, HubError, HubResult, Sharings, lock};
use crate::journal::{Journal, LineFilter, Sight};
use crate::live::{
    ConversationSummary, FromServer, IMPORTED, MOST_WAITING, PAGE, Position, Sort, Verdict,
};
use crate::people::{Caller, Right, Role};
use bytes::Bytes;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Maximum age of the list while a user views it.
pub(super) const MAX_AGE_VIEWED: Duration = Duration::from_secs(10);
/// Maximum age of the list while no user views it.
const MAX_AGE_UNVIEWED: Duration = Duration::from_secs(60);
/// Lines that a new follower is sent: those that changed last.
const REPLAYED: usize = 2 * KEPT;

/// The list of conversations.
pub struct List {
    pub(super) journal: Journal,
    pub(super) sharings: Arc<Sharings>,
    pub(super) changes: Changes,
    pub(super) deletions: Deletions,
    pub(super) recent: Mutex<Recent>,
    followers: Mutex<Vec<Watcher>>,
    viewed_at: Mutex<Option<Instant>>,
    /// Held while changed lines are written, so that a reader can wait for them.
    pub(super) writing: tokio::sync::Mutex<()>,
    pub(super) changed: Notify,
    /// Notified when a user views it.
    pub(super) viewed: Notify,
}

/// A follower of the list. It receives only conversations that its user may see.
struct Watcher {
    by: Caller,
    queue: Queue,
}

impl List {
    pub(super) fn new(journal: Journal, sharings: Arc<Sharings>) -> Self {
        Self {
            journal,
            sharings,
            changes: Changes::default(),
            deletions: Deletions::default(),
            recent: Mutex::default(),
            followers: Mutex::default(),
            viewed_at: Mutex::default(),
            writing: tokio::sync::Mutex::default(),
            changed: Notify::default(),
            viewed: Notify::default(),
        }
    }

    /// A user views the list: from now on it is kept current.
    pub(super) fn is_viewed(&self) {
        *lock(&self.viewed_at) = Some(Instant::now());
        self.viewed.notify_one();
    }

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

    /// Whether a caller may answer the approvals of a conversation.
    pub(super) fn answers(&self, by: &Caller, id: &str) -> bool {
        let role = self.sharings.role_in(by, id);
        role.is_some_and(|role| role.may(Right::Answer))
    }

    /// Whether a conversation that waits for an answer calls for the attention of a caller: they may answer, and have not
    /// approved already.
    pub(super) fn calls(&self, by: &Caller, one: &ConversationSummary) -> bool {
        !one.is_approved_by(by.signature()) && self.answers(by, &one.id)
    }

    /// Brings a conversation back that is archived.
    pub(super) async fn bring_back(&self, id: &str) -> HubResult {
        match self.journal.is_archived(id)? {
            true => self.keep_archived(id, false).await,
            false => Ok(()),
        }
    }

    pub(super) async fn keep_archived(&self, id: &str, archived: bool) -> HubResult {
        // Lines that were made before are not written over this.
        let _writing = self.writing.lock().await;
        self.journal.archive(id, archived).await?;
        self.relist(id, Some(archived)).await;
        Ok(())
    }

    /// Changes of the list from now on, after the pending approvals and what has just changed. There is no cursor: a
    /// reader that is too slow gets [`Verdict::Gap`] about the conversation with the empty id, and reloads the list.
    pub fn follow_list(&self, by: &Caller) -> Follower {
        let (queue, follower) = queue("", Verdict::Ok, by.person, None);
        let mut followers = lock(&self.followers);
        let recent = lock(&self.recent);
        // A page that was read just before may have them.
        for (id, is_deleted) in &recent.hidden {
            if *is_deleted || !self.sharings.sees(by, id) {
                queue.push(&gone(id));
            }
        }
        let mut known: Vec<&Changed> = recent.lines.values().collect();
        known.sort_unstable_by_key(|one| one.number);
        for one in known.into_iter().rev().take(REPLAYED).rev() {
            if self.sharings.sees(by, &one.summary.id) {
                queue.push(&frame(&self.as_listed_for(by, one.summary.clone())));
            }
        }
        drop(recent);
        let by = by.clone();
        followers.push(Watcher { by, queue });
        follower
    }

    /// The conversations with a pending approval that a caller may see, the newest first, at most [`MOST_WAITING`].
    pub(super) fn waiting_lines(&self, by: &Caller) -> Vec<ConversationSummary> {
        let recent = lock(&self.recent);
        let lines = recent.lines.values().map(|one| &one.summary);
        let waiting = lines.filter(|one| one.waiting > 0 && self.sharings.sees(by, &one.id));
        let mut waiting: Vec<_> = waiting.collect();
        waiting.sort_unstable_by_key(|one| Position::of(one, Sort::Activity));
        waiting.into_iter().take(MOST_WAITING).cloned().collect()
    }

    /// All conversations with a pending approval whose repository is chosen.
    pub(super) fn waiting_ids(&self, is_chosen: impl Fn(Option<&str>) -> bool) -> Vec<String> {
        let recent = lock(&self.recent);
        let lines = recent.lines.values().map(|one| &one.summary);
        let waiting = lines.filter(|one| one.waiting > 0 && is_chosen(one.repository.as_deref()));
        waiting.map(|one| one.id.clone()).collect()
    }

    /// Number of conversations with a pending approval that a caller may answer and has not approved already, up to [`MOST_WAITING`].
    pub fn waiting(&self, by: &Caller) -> usize {
        let recent = lock(&self.recent);
        let lines = recent.lines.values().map(|one| &one.summary);
        let waiting = lines.filter(|one| one.waiting > 0 && self.calls(by, one));
        waiting.take(MOST_WAITING).count()
    }

    /// Updates a conversation in the list. With `reading`, only if it was not deleted since. `seq` as in `Line::seq`.
    pub(super) fn summary_is(
        &self,
        mut summary: ConversationSummary,
        seq: Option<i64>,
        reading: Option<&Reading>,
    ) {
        let outdated = |id: &str| reading.is_some_and(|reading| reading.is_outdated(id));
        summary.creator = self.sharings.of(&summary.id).creator;
        // Both locks in the order of `follow_list`: a new follower has a change or gets it.
        let mut followers = lock(&self.followers);
        let mut recent = lock(&self.recent);
        // Lines are forgotten under the same lock.
        if outdated(&summary.id) {
            return;
        }
        let known = recent
            .lines
            .get(&summary.id)
            .map(|known| known.summary.archived);
        let archived = known.map_or_else(|| self.journal.is_archived(&summary.id), Ok);
        // Rather too much is shown than too little.
        summary.archived = archived.unwrap_or_default() && !summary.asks();
        if recent.take(summary.clone(), seq) {
            self.tell_followers(&mut followers, &summary);
            self.changes.note(&summary.id, Since::NOTHING);
        }
        drop(recent);
        self.changed.notify_one();
    }

    /// Sends an entry to all followers who may see it.
    fn tell_followers(&self, followers: &mut Vec<Watcher>, summary: &ConversationSummary) {
        if followers.is_empty() {
            return;
        }
        let quiet = ConversationSummary {
            quiet: true,
            ..summary.clone()
        };
        let [quiet, frame] = [&quiet, summary].map(frame);
        followers.retain(
            |follower| match self.sharings.role_in(&follower.by, &summary.id) {
                Some(role)
                    if role.may(Right::Answer)
                        && !summary.is_approved_by(follower.by.signature()) =>
                {
                    follower.queue.push(&frame)
                }
                Some(_) => follower.queue.push(&quiet),
                None => !follower.queue.is_left(),
            },
        );
    }

    /// An entry as a caller gets it.
    fn as_listed_for(&self, by: &Caller, summary: ConversationSummary) -> ConversationSummary {
        let quiet = !self.calls(by, &summary);
        ConversationSummary { quiet, ..summary }
    }

    /// Updates all followers after access to a conversation has changed, or after it was archived or brought back.
    pub(super) async fn relist(&self, id: &str, archived: Option<bool>) {
        let reading = self.deletions.begin_reading();
        let entry = async {
            let known = self.journal.conversation(id).await?;
            Ok((self.line_of(id).await?, known.map(|known| known.seq)))
        };
        let (there, seq) = entry.await.unwrap_or_else(|error: HubError| {
            tracing::warn!(conversation = id, %error, "the list does not show a change");
            (None, None)
        });
        let creator = self.sharings.of(id).creator;
        let mut followers = lock(&self.followers);
        let mut recent = lock(&self.recent);
        if archived.is_none() {
            recent.hide(id, false);
        }
        let seq = recent.seq(id).or(seq);
        let known = recent.lines.get(id).map(|known| known.summary.clone());
        let there = known.or(there).filter(|_| !reading.is_outdated(id));
        let there = there.map(|mut entry| {
            entry.archived = archived.unwrap_or(entry.archived) && !entry.asks();
            ConversationSummary { creator, ..entry }
        });
        if let Some(there) = there.clone() {
            // Who reads the list now and follows it later is told, too.
            recent.take(there, seq);
        }
        drop(recent);
        if archived.is_none() {
            let gone = gone(id);
            followers.retain(|follower| {
                let stays = there.is_some() && self.sharings.sees(&follower.by, id);
                stays || follower.queue.push(&gone)
            });
        }
        if let Some(there) = &there {
            self.tell_followers(&mut followers, there);
        }
        drop(followers);
        self.changed.notify_one();
    }

    /// Tells the open lists of a person how far they have read a conversation.
    pub(super) async fn tell_seen(&self, by: &Caller, id: &str, seq: i64) {
        let own = |follower: &Watcher| follower.by.person == by.person && follower.by.keeps_place();
        if !lock(&self.followers).iter().any(own) {
            return;
        }
        let is_recent = lock(&self.recent).lines.contains_key(id);
        let stored = match is_recent {
            true => None,
            false => self.line_of(id).await.ok().flatten(),
        };
        // Both locks in the order of `follow_list`: a newer line is not followed by this one.
        let mut followers = lock(&self.followers);
        let recent = lock(&self.recent);
        let known = recent.lines.get(id).map(|known| known.summary.clone());
        let Some(line) = known.or(stored) else {
            return;
        };
        let seen = Some(seq);
        let line = self.as_listed_for(by, line);
        let frame = frame(&ConversationSummary { seen, ..line });
        followers.retain(
            |follower| match own(follower) && self.sharings.sees(&follower.by, id) {
                true => follower.queue.push(&frame),
                false => !follower.queue.is_left(),
            },
        );
    }

    pub(super) fn forget_summary(&self, id: &str) {
        let mut followers = lock(&self.followers);
        lock(&self.recent).forget(id);
        self.changes.note(id, Since::NOTHING);
        let gone = gone(id);
        followers.retain(|follower| follower.queue.push(&gone));
    }

    /// Lists the conversations of these backends, and begins with those that have a pending approval. What is `open` then
    /// stays as it is: the task of an open conversation knows more than the journal.
    pub(super) async fn remember(
        &self,
        labels: Vec<String>,
        open: impl FnOnce() -> Vec<String>,
    ) -> HubResult {
        let labels = labels.into_iter().chain([IMPORTED.to_owned()]).collect();
        let reading = self.deletions.begin_reading();
        self.write_lines().await;
        if let Err(error) = self.journal.list_backends(labels).await {
            // A full disk.
            tracing::warn!(%error, "the list may have conversations of backends that are not in use");
        }
        let waiting = self.summaries(self.journal.asking_lines().await?);
        let waiting = waiting.into_iter().filter(|one| one.waiting > 0);
        let top = (0, PAGE as u32);
        let needing = self
            .journal
            .lines_at_top(Sight::Everything, LineFilter::default(), top);
        for summary in self.summaries(needing.await?.0) {
            self.changes.note(&summary.id, Since::NOTHING);
        }
        let mut waiting: Vec<_> = waiting.collect();
        for summary in &waiting {
            self.changes.note(&summary.id, Since::NOTHING);
        }
        let open = open();
        let mut recent = lock(&self.recent);
        // Lines are forgotten under the same lock.
        waiting.retain(|one| !reading.is_outdated(&one.id));
        recent.restart(waiting, &open);
        drop(recent);
        for follower in lock(&self.followers).drain(..) {
            follower.queue.break_off();
        }
        Ok(())
    }
}

fn frame(summary: &ConversationSummary) -> Bytes {
    let summary = Box::new(summary.clone());
    encode(&FromServer::Summary { summary })
}

fn gone(id: &str) -> Bytes {
    let conversation = id.to_owned();
    encode(&FromServer::Gone { conversation })
}

/// Whose list a caller sees; `None` for visitors, who have none.
pub(super) fn sight(by: &Caller) -> Option<Sight> {
    match (by.visit(), by.role) {
        (Some(_), _) => None,
        (None, Role::Owner) => Some(Sight::Everything),
        (None, _) => Some(Sight::Of(by.name.clone())),
    }
}
