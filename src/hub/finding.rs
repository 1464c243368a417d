//! Requests to the backends for a reader: unlisted conversations, files and changes.
//!
//! Commands and polling go first, and each user has a limit of concurrent requests: readers never delay commands.

use super::deletions::Reading;
use super::{Hub, HubError, HubResult, lock, view};
use crate::backend::{BackendError, for_guess, for_reader};
use crate::journal::ConversationMeta;
use crate::people::Caller;
use crate::sync::KeyedSemaphore;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;

/// Concurrent requests per user; further ones wait.
const AT_A_TIME: usize = 4;
/// How long an id that no backend knows is not requested again. A list may bring it before.
const MISSING: Duration = Duration::from_secs(30);
/// Maximum number of these ids.
const REMEMBERED: usize = 4096;

/// A request, and its user.
#[derive(Default)]
pub(super) struct Finding {
    missing: Mutex<HashMap<String, Instant>>,
    permits: KeyedSemaphore<i64, AT_A_TIME>,
    /// Requests for unknown ids, apart from the others, so that a user's pages do not wait for them.
    guesses: KeyedSemaphore<i64, 1>,
}

impl Finding {
    /// Whether all backends have just reported that this id does not exist.
    fn is_missing(&self, id: &str) -> bool {
        let missing = lock(&self.missing);
        missing.get(id).is_some_and(|at| at.elapsed() < MISSING)
    }

    fn miss(&self, id: &str) {
        let mut missing = lock(&self.missing);
        if missing.len() >= REMEMBERED {
            missing.retain(|_, at| at.elapsed() < MISSING);
        }
        // What is still too much is not worth its memory.
        if missing.len() >= REMEMBERED {
            missing.clear();
        }
        missing.insert(id.to_owned(), Instant::now());
    }
}

impl Hub {
    /// Runs a request for a user, within the user's limit and with low priority.
    pub async fn look_up<T>(&self, by: &Caller, work: impl Future<Output = T>) -> T {
        let _permit = self.0.finding.permits.take(by.person).await;
        for_reader(work).await
    }

    /// Looks for an unknown id for a user, one at a time and after everything else.
    pub(super) async fn guess<T>(&self, by: &Caller, work: impl Future<Output = T>) -> T {
        let _permit = self.0.finding.guesses.take(by.person).await;
        for_guess(work).await
    }

    /// Adds an unlisted conversation if a backend knows it.
    pub(super) async fn query_all_backends(&self, id: &str, reading: &Arc<Reading>) -> HubResult {
        if self.0.finding.is_missing(id) {
            return Err(HubError::NotFound("conversation"));
        }
        let mut missing = HubError::NotFound("conversation");
        for one in self.connected() {
            let label = one.target.label();
            let found = async {
                let backend = self.backend(&label).await?;
                backend.conversation(id).await.map_err(HubError::from)
            };
            match found.await {
                // Backends know some ids under other spellings too: there is one of each conversation.
                Ok(Some(info)) if info.id == id => {
                    self.0.creations.ended(&label).await;
                    self.inherit(std::slice::from_ref(&info)).await?;
                    let meta = vec![view::meta_of(&info, &label)];
                    return self.describe(reading, meta).await;
                }
                Ok(_) | Err(HubError::Backend(BackendError::Invalid(_))) => {}
                // It may well be there.
                Err(error) => missing = error,
            }
        }
        if matches!(missing, HubError::NotFound(_)) {
            self.0.finding.miss(id);
        }
        Err(missing)
    }

    /// Stores what was read of conversations, except those that were deleted since.
    pub(super) async fn describe(
        &self,
        reading: &Arc<Reading>,
        meta: Vec<ConversationMeta>,
    ) -> HubResult {
        let reading = Arc::clone(reading);
        let outdated = move |id: &str| reading.is_outdated(id);
        Ok(self.journal().describe_unless(meta, outdated).await?)
    }
}
