//! Polls the backends for their lists, each one independently, so that a slow one does not delay the others.
//!
//! The interval is ten seconds while a user views the list, otherwise a minute.

use super::deletions::Reading;
use super::message::ActorMessage;
use super::support::A_MOMENT;
use super::view::is_busy;
use super::{Hub, HubResult, lock, view};
use crate::backend::{Answer, Backend, ConversationInfo, Runtime};
use crate::conversation::{Status, is_id};
use crate::live::ConversationSummary;
use futures_util::future::join_all;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// Maximum number of list pages that are read.
const PAGES: usize = 10;
/// Maximum number of conversations of a backend's list: as many as these pages have.
const MOST_LISTED: usize = 1_000;
/// Minimum interval at which a backend that has failed is polled for readers of its settings.
const AGAIN: Duration = Duration::from_secs(1);
/// Maximum number of conversations that are opened because the list reports activity.
const MOST_OPENED: usize = 16;

impl Hub {
    /// Polls the backends until the server shuts down.
    pub(super) async fn keep_list_current(&self) {
        loop {
            self.poll_what_is_old();
            tokio::select! {
                () = self.0.stopping.cancelled() => return,
                () = sleep(Duration::from_secs(1)) => {}
            }
        }
    }

    /// Polls each backend whose list is too old.
    pub(super) fn poll_what_is_old(&self) {
        let limit = self.0.list.limit();
        for one in self.connected() {
            let is_old = one.polled_at.is_none_or(|at| at.elapsed() >= limit);
            if is_old && one.polling.try_lock().is_ok() {
                self.spawn(self.poll(one.target.label()));
            }
        }
    }

    /// Polls each backend that has failed, and waits a moment for the outcomes: who opens its settings, or opens them
    /// again, wants to know whether it still fails.
    pub(super) async fn poll_what_failed(&self) {
        let failed = self.connected().into_iter().filter(|one| {
            let is_old = one.polled_at.is_none_or(|at| at.elapsed() >= AGAIN);
            one.trouble.is_some() && is_old
        });
        let polls = failed.map(|one| self.0.tasks.spawn(self.poll(one.target.label())));
        let polls: Vec<_> = polls.collect();
        // A slower outcome is on the page the next time.
        let _ = timeout(A_MOMENT, join_all(polls)).await;
    }

    /// Waits until each backend was polled once, whatever the outcome.
    pub(super) async fn polled_once(&self) {
        let mut polled = self.0.list.polled.subscribe();
        let all = |(): &()| self.connected().iter().all(|one| one.polled_at.is_some());
        // The other end is part of the hub.
        let _ = polled.wait_for(all).await;
    }

    /// Polls a backend once, unless the server shuts down: its answer is not worth waiting for.
    fn poll(&self, label: String) -> impl Future<Output = ()> + Send + 'static {
        let (hub, stopping) = (self.clone(), self.0.stopping.clone());
        async move {
            stopping.run_until_cancelled(hub.poll_list(&label)).await;
        }
    }

    /// Polls a backend once and stores its list.
    pub(super) async fn poll_list(&self, label: &str) {
        let Ok(one) = self.connected_as(label) else {
            return;
        };
        let label = &one.target.label();
        let _one_at_a_time = one.polling.lock().await;
        let outcome = async {
            let backend = self.attach(label).await?;
            let reading = self.0.deletions.begin_reading();
            let (listed, left_out) = read_list(&*backend).await?;
            // What a backend lists that was removed meanwhile is not taken for its own.
            self.connected_as(label)?;
            self.connected_is(label, |one| one.left_out = left_out);
            self.take_list(label, &reading, listed).await
        };
        let error = outcome.await.err();
        if let Some(error) = &error {
            tracing::info!(backend = label, %error, "the list could not be read");
        }
        self.connected_is(label, |one| {
            one.polled_at = Some(Instant::now());
            one.failed(error);
        });
        self.0.list.polled.send_replace(());
    }

    async fn take_list(
        &self,
        label: &str,
        reading: &Arc<Reading>,
        mut listed: Vec<ConversationInfo>,
    ) -> HubResult {
        let mut before = lock(&self.0.list.summaries).clone();
        before.retain(|_, summary| summary.backend == label);
        if self.0.creations.is_under_way(label) {
            listed.retain(|info| before.contains_key(&info.id));
        }
        let is_changed = |info: &&ConversationInfo| {
            let known = before.get(&info.id);
            known.is_none_or(|known| differs(known, info))
        };
        let changed: Vec<&ConversationInfo> = listed.iter().filter(is_changed).collect();
        let meta = changed.iter().map(|info| view::meta_of(info, label));
        let meta = meta.collect();
        self.inherit(&listed).await?;
        self.describe(reading, meta).await?;
        let mut remote_activity = 0;
        for info in changed {
            let known = before.get(&info.id);
            let newer = known.is_none_or(|known| known.updated_at < info.updated_at);
            let mut handle = self.open_handle(&info.id);
            if handle.is_none()
                && let Some(known) = self.journal().conversation(&info.id).await?
            {
                // Before its task begins, which knows more than the list does.
                self.summary_is(view::listed(&known, info), Some(reading));
                if newer && is_busy(info) && remote_activity < MOST_OPENED {
                    remote_activity += 1;
                    // It may have been deleted since.
                    handle = self.handle(&info.id).await.ok();
                }
            }
            if let Some(handle) = handle {
                let listed = ActorMessage::Listed(Box::new(info.clone()));
                // The list's state of the conversation.
                let _ = handle.tell(listed).await;
            }
        }
        // What is not listed is not up. It is kept: 0.62 leaves out what is older than ten days.
        let ids: HashSet<&str> = listed.iter().map(|info| &*info.id).collect();
        for (id, mut summary) in before {
            let unlisted = !ids.contains(&*id);
            if unlisted && summary.runtime != Runtime::Stopped && self.open_handle(&id).is_none() {
                summary.runtime = Runtime::Stopped;
                self.summary_is(summary, Some(reading));
            }
        }
        Ok(())
    }
}

/// All conversations that a backend lists, and the number of those with an invalid id.
async fn read_list(backend: &dyn Backend) -> Answer<(Vec<ConversationInfo>, usize)> {
    let (mut listed, mut left_out) = (Vec::new(), 0);
    let mut page = None;
    for _ in 0..PAGES {
        let answer = backend.conversations(page).await?;
        listed.extend(answer.results);
        left_out += answer.left_out;
        page = answer.next;
        if page.is_none() {
            break;
        }
    }
    let all = listed.len();
    listed.retain(|info| is_id(&info.id));
    left_out += all - listed.len();
    if listed.len() > MOST_LISTED {
        tracing::warn!(
            listed = listed.len(),
            "the list is too long; its end is left out"
        );
        listed.truncate(MOST_LISTED);
    }
    Ok((listed, left_out))
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
