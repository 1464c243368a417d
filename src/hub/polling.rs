//! Polls the backends for their lists, each one independently, so that a slow one does not delay the others.
//!
//! The interval is ten seconds while a user views the list, or if everything on the backend is followed, otherwise a minute.
//! Long because a list is read whole or only what has changed, and both take its pages.

use super::deletions::Reading;
use super::list::MAX_AGE_VIEWED;
use super::message::ActorMessage;
use super::support::A_MOMENT;
use super::sweep::Sweep;
use super::view::is_busy;
use super::{
    Actors, AuditTrail, BackendRegistry, Catalogue, HubResult, List, Target, Tasks, lock, view,
};
use crate::backend::{Answer, Backend, ConversationInfo, Runtime};
use crate::conversation::{Status, is_id};
use crate::live::ConversationSummary;
use futures_util::future::join_all;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

/// Pages of a list that are read at a time: a longer list is read on at the next poll.
const PAGES: usize = 10;
/// Maximum number of conversations of a backend's list: one without an end is read no further.
const MOST_LISTED: usize = 1_000_000;
/// Interval at which a list is read on that was never read to its end.
const READ_ON: Duration = Duration::from_secs(1);
/// Conversations with a sandbox that are compared with the list in one go.
const SLICE: u32 = 500;
/// Minimum interval at which a backend that has failed is polled for readers of its settings.
const AGAIN: Duration = Duration::from_secs(1);
/// Maximum number of conversations that are opened because the list reports activity.
const MOST_OPENED: usize = 16;

/// A page of a backend's list.
struct Page {
    listed: Vec<ConversationInfo>,
    left_out: usize,
    next: Option<String>,
    count: Option<usize>,
    changed_before: Option<String>,
}

impl Page {
    fn ids(&self) -> impl Iterator<Item = &str> {
        self.listed.iter().map(|info| info.id.as_str())
    }

    /// Whether it is no part of the whole list, but has what was changed last.
    fn is_by_change(&self) -> bool {
        self.count.is_some() && self.next.is_some()
    }

    /// When what it has was changed, the oldest and the newest.
    fn changes(&self) -> (i64, i64) {
        let changes = self.listed.iter().map(|info| info.updated_at);
        let oldest = changes.clone().min().unwrap_or(i64::MIN);
        (oldest, changes.max().unwrap_or(i64::MIN))
    }

    fn has_invalid_ids_alone(&self) -> bool {
        self.listed.is_empty() && self.left_out > 0
    }
}

/// The connections to the backends: their lists, addresses and settings.
#[derive(Clone)]
pub struct Connections {
    pub(super) audit: Arc<AuditTrail>,
    pub(super) backends: Arc<BackendRegistry>,
    pub(super) catalogue: Arc<Catalogue>,
    pub(super) list: Arc<List>,
    pub(super) actors: Arc<Actors>,
    pub(super) tasks: Tasks,
}

impl Connections {
    /// Polls the backends, as long as this is polled.
    pub(super) async fn keep_list_current(&self) {
        loop {
            self.poll_what_is_old();
            self.follow_what_waits().await;
            let _ = timeout(Duration::from_secs(1), self.list.viewed.notified()).await;
        }
    }

    /// Lists the conversations of the backends in use.
    pub(super) async fn remember_list(&self) -> HubResult {
        let targets = self.backends.targets();
        let labels = targets.iter().map(Target::label);
        let open = || self.actors.open_ids();
        self.list.remember(labels.collect(), open).await
    }

    /// Polls each backend whose list is too old.
    pub(super) fn poll_what_is_old(&self) {
        let limit = self.list.limit();
        for one in self.backends.connected() {
            let is_followed = lock(&one.following).is_on();
            let limit = if is_followed {
                limit.min(MAX_AGE_VIEWED)
            } else {
                limit
            };
            let limit = one.read_so_far.map_or(limit, |_| READ_ON);
            let is_old = one.polled_at.is_none_or(|at| at.elapsed() >= limit);
            if is_old && one.polling.try_lock().is_ok() {
                self.poll(one.target.label());
            }
        }
    }

    /// Polls each backend that has failed, and waits a moment for the outcomes: who opens its settings, or opens them
    /// again, wants to know whether it still fails.
    pub(super) async fn poll_what_failed(&self) {
        let failed = self.backends.connected().into_iter().filter(|one| {
            let is_old = one.polled_at.is_none_or(|at| at.elapsed() >= AGAIN);
            one.trouble.is_some() && is_old
        });
        let polls = failed.map(|one| self.poll(one.target.label()));
        let polls: Vec<_> = polls.collect();
        // A slower outcome is on the page the next time.
        let _ = timeout(A_MOMENT, join_all(polls)).await;
    }

    /// Polls a backend once, unless the server shuts down: its answer is not worth waiting for.
    pub(super) fn poll(&self, label: String) -> JoinHandle<Option<()>> {
        let own = self.clone();
        self.tasks
            .until_stopped(async move { own.poll_list(&label).await })
    }

    /// Polls a backend once and stores its list, or a part of it.
    pub(super) async fn poll_list(&self, label: &str) {
        let Ok(one) = self.backends.connected_as(label) else {
            return;
        };
        let label = &one.target.label();
        let mut sweep = one.polling.lock().await;
        if lock(&one.following).begins() {
            *sweep = Sweep::default();
        }
        let outcome = async {
            let backend = self.backends.attach(label).await?;
            self.read_list(label, &*backend, &mut sweep).await
        };
        let error = outcome.await.err();
        if let Some(error) = &error {
            tracing::info!(backend = label, %error, "the list could not be read");
            // The next page may be what cannot be read.
            sweep.restart();
        }
        let is_read_on = sweep.next.is_some() && !sweep.is_whole;
        self.backends.connected_is(label, |one| {
            one.polled_at = Some(Instant::now());
            one.read_so_far = is_read_on.then_some(sweep.count());
            if sweep.next.is_none() && error.is_none() {
                one.left_out = sweep.left_out;
            }
            one.failed(error);
        });
        self.backends.polled.send_replace(());
    }

    /// Reads the first page, which has what is new, and the next ones of the sweep. Of a list that was read to its end and
    /// that has what was changed last first, only what has changed is read.
    async fn read_list(&self, label: &str, backend: &dyn Backend, sweep: &mut Sweep) -> HubResult {
        let reading = self.list.deletions.begin_reading();
        let resumed = sweep.next.take();
        let first = read_page(backend, None).await?;
        let is_by_change = first.is_by_change();
        if is_by_change && resumed.is_none() && sweep.is_whole {
            return self
                .read_changes(label, backend, sweep, &reading, first)
                .await;
        }
        if resumed.is_none() {
            sweep.restart();
            sweep.newest = first.changes().1;
        }
        if is_by_change {
            sweep.take_changed(first.ids());
        } else {
            sweep.take(first.ids());
            if resumed.is_none() {
                sweep.left_out += first.left_out;
            }
        }
        let mut opened = 0;
        self.take_page(label, &reading, first.listed, &mut opened)
            .await?;
        let mut next = resumed.or(first.next);
        let mut is_whole = true;
        for _ in 1..PAGES {
            let Some(at) = next.take() else { break };
            let page = read_page(backend, Some(at.clone())).await?;
            let ids: Vec<String> = page.ids().map(str::to_owned).collect();
            let has_invalid_ids_alone = page.has_invalid_ids_alone();
            let is_taken = self.take_page(label, &reading, page.listed, &mut opened);
            if !is_taken.await? {
                next = Some(at);
                break;
            }
            // A list without an end repeats itself.
            is_whole = sweep.take(ids.iter().map(String::as_str)) || has_invalid_ids_alone;
            if !is_whole {
                break;
            }
            sweep.left_out += page.left_out;
            next = page.next;
        }
        if sweep.count() + sweep.left_out >= MOST_LISTED {
            tracing::warn!(backend = label, "the list is too long; its end is left out");
            (next, is_whole) = (None, false);
        }
        if next.is_none() {
            if is_whole {
                self.stop_unlisted(label, sweep, &reading).await?;
            }
            sweep.is_whole = true;
        }
        sweep.next = next;
        Ok(())
    }

    /// Reads what has changed since the last time. If the backend has more or fewer conversations than are known then, or
    /// too much has changed, the whole list is read again with the next polls.
    async fn read_changes(
        &self,
        label: &str,
        backend: &dyn Backend,
        sweep: &mut Sweep,
        reading: &Arc<Reading>,
        first: Page,
    ) -> HubResult {
        let (count, whole) = (first.count, first.next.clone());
        let (known, (mut oldest, newest)) = (sweep.newest, first.changes());
        let (mut opened, mut is_taken) = (0, true);
        let mut page = first;
        for _ in 0..PAGES {
            sweep.take_changed(page.ids());
            oldest = oldest.min(page.changes().0);
            let before = page.changed_before.take().filter(|_| oldest >= known);
            is_taken &= self
                .take_page(label, reading, page.listed, &mut opened)
                .await?;
            let Some(before) = before else {
                // What was not taken is read again.
                if is_taken {
                    sweep.newest = known.max(newest);
                }
                if count.is_some_and(|count| count != sweep.count() + sweep.left_out) {
                    sweep.restart();
                    sweep.next = whole;
                }
                return Ok(());
            };
            page = read_page(backend, Some(before)).await?;
        }
        sweep.restart();
        sweep.newest = known.max(newest);
        sweep.next = whole;
        Ok(())
    }

    /// Takes a page, and counts the conversations that are `opened` because of their activity. Returns whether all of it was
    /// taken: what is not known waits while a conversation is being created, which it may be.
    async fn take_page(
        &self,
        label: &str,
        reading: &Arc<Reading>,
        mut listed: Vec<ConversationInfo>,
        opened: &mut usize,
    ) -> HubResult<bool> {
        // What a backend lists that was removed meanwhile is not taken for its own.
        let one = self.backends.connected_as(label)?;
        let ids = listed.iter().map(|info| info.id.clone()).collect();
        let mut before = self.list.lines_of(ids).await?;
        before.retain(|_, summary| summary.backend == label);
        let all = listed.len();
        if self.catalogue.creations.is_under_way(label) {
            listed.retain(|info| before.contains_key(&info.id));
        }
        let mut is_whole = listed.len() == all;
        let is_newer = |info: &ConversationInfo| {
            let known = before.get(&info.id);
            known.is_none_or(|known| known.updated_at < info.updated_at)
        };
        let is_changed = |info: &&ConversationInfo| {
            let known = before.get(&info.id);
            known.is_none_or(|known| differs(known, info))
        };
        let changed: Vec<&ConversationInfo> = listed.iter().filter(is_changed).collect();
        let meta = changed.iter().map(|info| view::meta_of(info, label));
        let meta = meta.collect();
        self.catalogue.inherit(&listed).await?;
        self.catalogue.describe(reading, meta).await?;
        for info in &listed {
            let is_open = self.actors.open_handle(&info.id).is_some();
            is_whole &= is_open || lock(&one.following).listed(info, is_newer(info));
        }
        for info in changed {
            let newer = is_newer(info);
            let mut handle = self.actors.open_handle(&info.id);
            if handle.is_none()
                && let Some(known) = self.catalogue.journal.conversation(&info.id).await?
            {
                // Before its task begins, which knows more than the list does.
                let seq = Some(known.seq);
                self.list
                    .summary_is(view::listed(&known, info), seq, Some(reading));
                if newer && is_busy(info) && *opened < MOST_OPENED {
                    *opened += 1;
                    // It may have been deleted since.
                    handle = self.actors.handle(&info.id).await.ok();
                }
            }
            if let Some(handle) = handle {
                let listed = ActorMessage::Listed(Box::new(info.clone()));
                // The list's state of the conversation.
                let _ = handle.tell(listed).await;
            }
        }
        Ok(is_whole)
    }

    /// What is not listed is not up. It is kept: 0.62 leaves out what is older than ten days.
    async fn stop_unlisted(&self, label: &str, sweep: &Sweep, reading: &Reading) -> HubResult {
        let mut after = String::new();
        loop {
            let journal = &self.catalogue.journal;
            let up = journal.lines_up(label, &after, SLICE).await?;
            let Some(last) = up.last() else { return Ok(()) };
            after.clone_from(last);
            let unlisted = up
                .into_iter()
                .filter(|id| !sweep.has(id) && self.actors.open_handle(id).is_none());
            let lines = self.list.lines_of(unlisted.collect()).await?;
            for mut summary in lines.into_values() {
                summary.runtime = Runtime::Stopped;
                self.list.summary_is(summary, None, Some(reading));
            }
        }
    }
}

/// Reads a page of a backend's list. What has an invalid id is left out.
async fn read_page(backend: &dyn Backend, page: Option<String>) -> Answer<Page> {
    let answer = backend.conversations(page).await?;
    let all = answer.results.len();
    let mut listed = answer.results;
    listed.retain(|info| is_id(&info.id));
    let left_out = answer.left_out + all - listed.len();
    Ok(Page {
        listed,
        left_out,
        next: answer.next,
        count: answer.count,
        changed_before: answer.changed_before,
    })
}

/// Whether the backend's information is newer than the known one.
fn differs(known: &ConversationSummary, info: &ConversationInfo) -> bool {
    known.runtime != info.runtime
        || known.updated_at < info.updated_at
        || (!info.title.is_empty() && known.title != info.title)
        || known.repository != info.repository
        || known.branch != info.branch
        || known.tags != info.tags
        || matches!(&info.status, Some(status) if known.status != *status && !may_be(&known.status, status))
}

/// Whether a backend that says `told` may mean what the list shows: only Handrail knows that a running agent may be stuck.
fn may_be(shown: &Status, told: &Status) -> bool {
    (shown, told) == (&Status::Stuck, &Status::Running)
}
