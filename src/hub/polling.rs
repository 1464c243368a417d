//! Asking the backends for their lists, each on its own: one that does not answer keeps no other waiting.
//!
//! They are asked gently: every ten seconds while somebody looks, else every minute.

use super::looking::is_busy;
use super::room::Input;
use super::{Hub, HubError, lock, view};
use crate::backend::{Backend, BackendError, ConversationInfo, Runtime};
use crate::live::ConversationSummary;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Pages of the backend's list that are read: more conversations than a person looks through.
const PAGES: usize = 10;
/// So many conversations are looked into because the list says that something happens there.
const MOST_CURIOUS: usize = 16;

impl Hub {
    /// Asks the backends again and again, until the server ends.
    pub(super) async fn keep_list_current(&self) {
        loop {
            self.poll_what_is_old();
            tokio::select! {
                () = self.0.stopping.cancelled() => return,
                () = sleep(Duration::from_secs(1)) => {}
            }
        }
    }

    /// Asks each backend whose list is old: one that does not answer keeps no other waiting.
    pub(super) fn poll_what_is_old(&self) {
        let limit = self.0.list.limit();
        for one in self.connected() {
            let is_old = one.polled_at.is_none_or(|at| at.elapsed() >= limit);
            if is_old && one.polling.try_lock().is_ok() {
                let (hub, label) = (self.clone(), one.target.label());
                self.spawn(async move { hub.poll_list(&label).await });
            }
        }
    }

    /// Waits until each backend was asked once, whatever came of it.
    pub(super) async fn polled_once(&self) {
        for one in self.connected() {
            let label = one.target.label();
            while self
                .connected_as(&label)
                .is_some_and(|one| one.polled_at.is_none())
            {
                sleep(Duration::from_millis(20)).await;
            }
        }
    }

    /// Asks a backend once and takes over what it says.
    pub(super) async fn poll_list(&self, label: &str) {
        let Some(one) = self.connected_as(label) else {
            return;
        };
        let label = &one.target.label();
        let _one_at_a_time = one.polling.lock().await;
        let outcome = async {
            let backend = self.attach(label).await?;
            let listed = read_list(&*backend).await?;
            self.take_list(label, listed).await
        };
        let error = outcome.await.err();
        if let Some(error) = &error {
            tracing::info!(backend = label, %error, "the list could not be read");
        }
        let trouble = error.as_ref().map(|error| error.for_people().1);
        let failure = match error {
            Some(HubError::Backend(failure)) => Some(failure),
            _ => None,
        };
        self.connected_is(label, |one| {
            one.polled_at = Some(Instant::now());
            one.trouble = trouble;
            one.failure = failure;
        });
    }

    async fn take_list(&self, label: &str, listed: Vec<ConversationInfo>) -> Result<(), HubError> {
        let mut before = lock(&self.0.list.summaries).clone();
        before.retain(|_, summary| summary.backend == label);
        let changed: Vec<&ConversationInfo> = listed
            .iter()
            .filter(|info| {
                before
                    .get(&info.id)
                    .is_none_or(|known| differs(known, info))
            })
            .collect();
        let described = changed
            .iter()
            .map(|info| view::described(info, label))
            .collect();
        self.journal().describe(described).await?;
        let mut curious = 0;
        for info in changed {
            let newer = before
                .get(&info.id)
                .is_none_or(|known| known.updated_at < info.updated_at);
            let mut room = self.open_room(&info.id);
            if room.is_none() && newer && is_busy(info) && curious < MOST_CURIOUS {
                curious += 1;
                room = Some(self.room(&info.id).await?);
            }
            match room {
                // Its task knows more than the list does, and says what is so.
                Some(room) => drop(room.tell(Input::Listed(Box::new(info.clone()))).await),
                None => {
                    if let Some(known) = self.journal().conversation(&info.id).await? {
                        self.summary_is(view::listed(&known, info));
                    }
                }
            }
        }
        // What is not listed is not up. It is kept: 0.62 leaves out what is older than ten days.
        for (id, mut summary) in before {
            let unlisted = !listed.iter().any(|info| info.id == id);
            if unlisted && summary.runtime != Runtime::Stopped && self.open_room(&id).is_none() {
                summary.runtime = Runtime::Stopped;
                self.summary_is(summary);
            }
        }
        Ok(())
    }
}

/// All that a backend lists.
async fn read_list(backend: &dyn Backend) -> Result<Vec<ConversationInfo>, BackendError> {
    let mut listed = Vec::new();
    let mut page = None;
    for _ in 0..PAGES {
        let answer = backend.conversations(page).await?;
        listed.extend(answer.results);
        page = answer.next;
        if page.is_none() {
            break;
        }
    }
    listed.retain(|info| super::check_id(&info.id).is_ok());
    Ok(listed)
}

/// The backend says something that we do not know.
fn differs(known: &ConversationSummary, info: &ConversationInfo) -> bool {
    known.runtime != info.runtime
        || known.updated_at < info.updated_at
        || (!info.title.is_empty() && known.title != info.title)
        || known.repository != info.repository
        || known.branch != info.branch
        || known.tags != info.tags
        || info
            .status
            .as_ref()
            .is_some_and(|status| known.status != *status)
}
