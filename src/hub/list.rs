//! The list of conversations: a page of it from the journal, and its changes, live.
//!
//! The journal has a line for each conversation. In memory are the lines that changed last, until they are written and
//! for followers that begin just then, and those with a pending approval.
//! `polling.rs` asks the backends. 0.62 leaves out what is older than ten days; the journal still has it.
//!
//! Long because pages, followers and changes have to agree.

use super::backends::Connected;
use super::changes::Since;
use super::deletions::Reading;
use super::follower::{Queue, encode, queue};
use super::recent::{Changed, KEPT, Recent};
use super::{Follower, Hub, HubError, HubResult, NEW_DRAFT, check_id, lock};
use crate::journal::{Archived, LineFilter, LineOrder, Place, Sight};
use crate::live::{
    ConversationSummary, FromServer, IMPORTED, ListAsk, ListView, MOST_WAITING, OWN_ORDER, PAGE,
    Position, Show, Sort, Verdict,
};
use crate::people::{AuditAction, Caller, Right, Role};
use bytes::Bytes;
use std::collections::HashSet;
use std::sync::Mutex;
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout};

/// Maximum age of the list while a user views it.
const MAX_AGE_VIEWED: Duration = Duration::from_secs(10);
/// Maximum age of the list while no user views it.
const MAX_AGE_UNVIEWED: Duration = Duration::from_secs(60);
/// How long the very first list waits for the backend.
const FIRST: Duration = Duration::from_secs(2);
/// Lines that a new follower is sent: those that changed last.
const REPLAYED: usize = 2 * KEPT;
/// Running conversations of a backend that are counted.
const MOST_RUNNING: u32 = 1_000;

#[derive(Default)]
pub(super) struct List {
    pub(super) recent: Mutex<Recent>,
    followers: Mutex<Vec<Watcher>>,
    viewed_at: Mutex<Option<Instant>>,
    /// Held while changed lines are written, so that a reader can wait for them.
    pub(super) writing: tokio::sync::Mutex<()>,
    pub(super) changed: Notify,
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
    /// A page of the conversations that are asked for and that the caller may see. Returns the known state at once; the
    /// backends are polled in the background.
    pub async fn list(&self, by: &Caller, ask: impl Into<ListAsk>) -> HubResult<ListView> {
        let mut ask = ask.into();
        if ask.sort == OWN_ORDER {
            let chosen = self.journal().setting(&order_key(by)).await?;
            ask.sort = chosen.unwrap_or_default();
        }
        let list = &self.0.list;
        *lock(&list.viewed_at) = Some(Instant::now());
        self.poll_what_is_old();
        // Until a backend has responded once, nothing may be known about it.
        let _ = timeout(FIRST, self.polled_once()).await;
        self.lines_written().await;
        let mut view = ListView {
            backends: self.connected().iter().map(Connected::view).collect(),
            sort: ask.sort.clone(),
            ..ListView::default()
        };
        let labels = view.backends.iter().map(|one| one.label.clone()).collect();
        let running = self.journal().running(labels, MOST_RUNNING).await?;
        for (backend, running) in view.backends.iter_mut().zip(running) {
            backend.running = running;
        }
        let Some((sight, filter)) = filter(by, &ask) else {
            return Ok(view);
        };
        let after = Position::read(&ask.before);
        let mut at_top = Vec::new();
        if after.is_none() {
            let limit = PAGE as u32 + 1;
            let top =
                self.journal()
                    .lines_at_top(sight.clone(), filter.clone(), (by.person, limit));
            let (needing, mut pinned) = top.await?;
            view.more_need_you = needing.len() > PAGE;
            pinned.truncate(PAGE);
            let needing = self.summaries(needing.into_iter().take(PAGE)).into_iter();
            // What the caller cannot answer stands in its place.
            at_top.extend(needing.filter(|one| self.answers(by, &one.id)));
            at_top.extend(self.summaries(pinned));
        }
        if !ask.open.is_empty() && self.sees(by, &ask.open) {
            let open = self.journal().lines_of(vec![ask.open.clone()]).await?;
            let open = self.summaries(open).into_iter();
            at_top.extend(open.filter(|one| ask.takes(one, by.signature())));
        }
        let order = Sort::of(&ask.sort);
        let place = |Position { text, at, id }| Place { text, at, id };
        let page = (after.map(place), PAGE as u32 + 1);
        let lines = self.journal().lines(sight, filter, line_order(order), page);
        let mut page = self.summaries(lines.await?);
        if page.len() > PAGE {
            page.truncate(PAGE);
            let last = page.last().map(|last| Position::of(last, order));
            view.older = last.map(|last| last.in_address()).unwrap_or_default();
        }
        // A slow disk keeps what has just changed from the journal, not from the page.
        let late = match ask.before.is_empty() {
            true => lock(&list.recent).late(PAGE),
            false => Vec::new(),
        };
        let is_asked = |one: &ConversationSummary| {
            let is_in_use = view.backends.iter().any(|known| known.label == one.backend);
            (is_in_use || one.is_imported())
                && self.sees(by, &one.id)
                && ask.takes(one, by.signature())
        };
        at_top.extend(late.into_iter().filter(is_asked));
        let mut ids = HashSet::new();
        let all = at_top.into_iter().chain(page);
        let mut all: Vec<_> = all.filter(|one| ids.insert(one.id.clone())).collect();
        // A full disk keeps the changes from the journal, not from the page.
        lock(&list.recent).bring_up_to_date(&mut all);
        let ids: Vec<_> = all.iter().map(|one| one.id.clone()).collect();
        let seen = self.seen_of(by, ids.clone()).await?;
        for one in &mut all {
            one.seen = seen.get(&one.id).copied();
            one.quiet = !self.answers(by, &one.id);
        }
        view.pinned = self.journal().pinned(by.person, ids).await?;
        view.conversations = all;
        view.draft = self.draft(by, NEW_DRAFT).await.unwrap_or_default();
        Ok(view)
    }

    /// Sorts the caller's list from now on, on all devices.
    pub async fn sort_list(&self, by: &Caller, order: Sort) -> HubResult {
        let key = order_key(by);
        Ok(self.journal().keep_setting(&key, order.word()).await?)
    }

    /// Pins a conversation to the top of the caller's list, or unpins it.
    pub async fn pin(&self, by: &Caller, id: &str, pinned: bool) -> HubResult {
        check_id(id)?;
        Ok(self.journal().pin(id, by.person, pinned).await?)
    }

    /// Whether a caller may answer the approvals of a conversation.
    fn answers(&self, by: &Caller, id: &str) -> bool {
        let role = self.role_in(by, id);
        role.is_some_and(|role| role.may(Right::Answer))
    }

    /// Archives a conversation, or brings it back. A pending approval is never hidden: a later one brings it back.
    ///
    /// Errors: [`HubError::AnswerFirst`] while an approval is pending.
    pub async fn set_archived(&self, by: &Caller, id: &str, archived: bool) -> HubResult {
        self.known(id).await?;
        let entry = self.line_of(id).await?;
        if archived && entry.is_some_and(|entry| entry.asks()) {
            return Err(HubError::AnswerFirst);
        }
        let action = match archived {
            true => "archive",
            false => "bring back",
        };
        let kept = self.keep_archived(id, archived);
        self.audited(by, AuditAction::new(action).within(id), kept)
            .await
    }

    /// Brings a conversation back that is archived.
    pub(super) async fn bring_back(&self, id: &str) -> HubResult {
        match self.journal().is_archived(id)? {
            true => self.keep_archived(id, false).await,
            false => Ok(()),
        }
    }

    async fn keep_archived(&self, id: &str, archived: bool) -> HubResult {
        // Lines that were made before are not written over this.
        let _writing = self.0.list.writing.lock().await;
        self.journal().archive(id, archived).await?;
        self.relist(id, Some(archived)).await;
        Ok(())
    }

    /// Changes of the list from now on, after the pending approvals and what has just changed. There is no cursor: a
    /// reader that is too slow gets [`Verdict::Gap`] about the conversation with the empty id, and reloads the list.
    pub fn follow_list(&self, by: &Caller) -> Follower {
        let (queue, follower) = queue("", Verdict::Ok, by.person, None);
        let mut followers = lock(&self.0.list.followers);
        let recent = lock(&self.0.list.recent);
        // A page that was read just before may have them.
        for (id, is_deleted) in &recent.hidden {
            if *is_deleted || !self.sees(by, id) {
                queue.push(&gone(id));
            }
        }
        let mut known: Vec<&Changed> = recent.lines.values().collect();
        known.sort_unstable_by_key(|one| one.number);
        for one in known.into_iter().rev().take(REPLAYED).rev() {
            if self.sees(by, &one.summary.id) {
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
        let recent = lock(&self.0.list.recent);
        let lines = recent.lines.values().map(|one| &one.summary);
        let waiting = lines.filter(|one| one.waiting > 0 && self.sees(by, &one.id));
        let mut waiting: Vec<_> = waiting.collect();
        waiting.sort_unstable_by_key(|one| Position::of(one, Sort::Activity));
        waiting.into_iter().take(MOST_WAITING).cloned().collect()
    }

    /// Number of conversations with a pending approval that a caller may answer, up to [`MOST_WAITING`].
    pub(super) fn count_waiting(&self, by: &Caller) -> usize {
        let recent = lock(&self.0.list.recent);
        let lines = recent.lines.values().map(|one| &one.summary);
        let waiting = lines.filter(|one| one.waiting > 0 && self.answers(by, &one.id));
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
        summary.creator = self.sharing(&summary.id).creator;
        // Both locks in the order of `follow_list`: a new follower has a change or gets it.
        let mut followers = lock(&self.0.list.followers);
        let mut recent = lock(&self.0.list.recent);
        // Lines are forgotten under the same lock.
        if outdated(&summary.id) {
            return;
        }
        let known = recent
            .lines
            .get(&summary.id)
            .map(|known| known.summary.archived);
        let archived = known.map_or_else(|| self.journal().is_archived(&summary.id), Ok);
        // Rather too much is shown than too little.
        summary.archived = archived.unwrap_or_default() && !summary.asks();
        if recent.take(summary.clone(), seq) {
            self.tell_followers(&mut followers, &summary);
            self.0.changes.note(&summary.id, Since::NOTHING);
        }
        drop(recent);
        self.0.list.changed.notify_one();
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
        followers.retain(|follower| match self.role_in(&follower.by, &summary.id) {
            Some(role) if role.may(Right::Answer) => follower.queue.push(&frame),
            Some(_) => follower.queue.push(&quiet),
            None => !follower.queue.is_left(),
        });
    }

    /// An entry as a caller gets it.
    fn as_listed_for(&self, by: &Caller, summary: ConversationSummary) -> ConversationSummary {
        let quiet = !self.answers(by, &summary.id);
        ConversationSummary { quiet, ..summary }
    }

    /// Updates all followers after access to a conversation has changed, or after it was archived or brought back.
    pub(super) async fn relist(&self, id: &str, archived: Option<bool>) {
        let reading = self.0.deletions.begin_reading();
        let entry = async {
            let known = self.journal().conversation(id).await?;
            Ok((self.line_of(id).await?, known.map(|known| known.seq)))
        };
        let (there, seq) = entry.await.unwrap_or_else(|error: HubError| {
            tracing::warn!(conversation = id, %error, "the list does not show a change");
            (None, None)
        });
        let creator = self.sharing(id).creator;
        let mut followers = lock(&self.0.list.followers);
        let mut recent = lock(&self.0.list.recent);
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
                let stays = there.is_some() && self.sees(&follower.by, id);
                stays || follower.queue.push(&gone)
            });
        }
        if let Some(there) = &there {
            self.tell_followers(&mut followers, there);
        }
        drop(followers);
        self.0.list.changed.notify_one();
    }

    /// Tells the open lists of a person how far they have read a conversation.
    pub(super) async fn tell_seen(&self, by: &Caller, id: &str, seq: i64) {
        let own = |follower: &Watcher| follower.by.person == by.person && follower.by.keeps_place();
        if !lock(&self.0.list.followers).iter().any(own) {
            return;
        }
        let is_recent = lock(&self.0.list.recent).lines.contains_key(id);
        let stored = match is_recent {
            true => None,
            false => self.line_of(id).await.ok().flatten(),
        };
        // Both locks in the order of `follow_list`: a newer line is not followed by this one.
        let mut followers = lock(&self.0.list.followers);
        let recent = lock(&self.0.list.recent);
        let known = recent.lines.get(id).map(|known| known.summary.clone());
        let Some(line) = known.or(stored) else {
            return;
        };
        let seen = Some(seq);
        let line = self.as_listed_for(by, line);
        let frame = frame(&ConversationSummary { seen, ..line });
        followers.retain(
            |follower| match own(follower) && self.sees(&follower.by, id) {
                true => follower.queue.push(&frame),
                false => !follower.queue.is_left(),
            },
        );
    }

    pub(super) fn forget_summary(&self, id: &str) {
        let mut followers = lock(&self.0.list.followers);
        lock(&self.0.list.recent).forget(id);
        self.0.changes.note(id, Since::NOTHING);
        let gone = gone(id);
        followers.retain(|follower| follower.queue.push(&gone));
    }

    /// Lists the conversations of the backends in use, and begins with those that have a pending approval.
    pub(super) async fn remember_list(&self) -> HubResult {
        let backends = self.connected().into_iter();
        let labels = backends.map(|one| one.target.label());
        let labels = labels.chain([IMPORTED.to_owned()]).collect();
        let reading = self.0.deletions.begin_reading();
        self.write_lines().await;
        if let Err(error) = self.journal().list_backends(labels).await {
            // A full disk.
            tracing::warn!(%error, "the list may have conversations of backends that are not in use");
        }
        let waiting = self.summaries(self.journal().asking_lines().await?);
        let waiting = waiting.into_iter().filter(|one| one.waiting > 0);
        let top = (0, PAGE as u32);
        let needing = self
            .journal()
            .lines_at_top(Sight::Everything, LineFilter::default(), top);
        for summary in self.summaries(needing.await?.0) {
            self.0.changes.note(&summary.id, Since::NOTHING);
        }
        let mut waiting: Vec<_> = waiting.collect();
        for summary in &waiting {
            self.0.changes.note(&summary.id, Since::NOTHING);
        }
        // The task of an open conversation knows more than the journal.
        let open = self.open_ids();
        let mut recent = lock(&self.0.list.recent);
        // Lines are forgotten under the same lock.
        waiting.retain(|one| !reading.is_outdated(&one.id));
        recent.restart(waiting, &open);
        drop(recent);
        for follower in lock(&self.0.list.followers).drain(..) {
            follower.queue.break_off();
        }
        Ok(())
    }
}

/// Whose list it is and what is asked, for the journal; `None` if nothing can match.
fn filter(by: &Caller, ask: &ListAsk) -> Option<(Sight, LineFilter)> {
    let show = Show::of(&ask.show);
    let state = match show {
        Show::All | Show::Mine | Show::Unanswered | Show::Archived => "",
        state => state.word(),
    };
    let archived = match show {
        Show::Archived => Archived::Only,
        _ if ask.is_search() => Archived::Too,
        _ => Archived::No,
    };
    let sight = match (show, sight(by)?) {
        (Show::Mine, _) if by.signature().is_empty() => return None,
        (Show::Mine, _) => Sight::CreatedBy(by.signature().to_owned()),
        (_, sight) => sight,
    };
    let filter = LineFilter {
        words: ask.q.trim().to_lowercase(),
        state: state.to_owned(),
        lapsed: show == Show::Unanswered,
        archived,
        place: ask.repository.clone(),
        tag: ask.tag.clone(),
        backend: ask.backend.clone(),
    };
    Some((sight, filter))
}

/// The setting with the order that a person has chosen.
fn order_key(by: &Caller) -> String {
    format!("order of {}", by.person)
}

fn line_order(sort: Sort) -> LineOrder {
    match sort {
        Sort::Activity => LineOrder::Change,
        Sort::Created => LineOrder::Creation,
        Sort::Title => LineOrder::Title,
        Sort::Repository => LineOrder::Home,
        Sort::Backend => LineOrder::Backend,
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
