//! Helpers of all files of the hub.

use super::{HubError, HubResult};
use crate::conversation::is_id;
use crate::journal::{Journal, Known, off_thread};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long a user waits for a command before it continues in the background.
pub(super) const A_MOMENT: Duration = Duration::from_millis(1500);

/// In place of a conversation's id: the draft of a new one.
pub const NEW_DRAFT: &str = "new";

/// The tasks of the hub, and its end. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Tasks {
    pub(super) tracker: TaskTracker,
    /// Cancelled when the server ends.
    pub(super) stopping: CancellationToken,
}

impl Tasks {
    /// Runs a task that the end of the server cuts short.
    pub(super) fn until_stopped<T: Send + 'static>(
        &self,
        task: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<Option<T>> {
        let stopping = self.stopping.clone();
        self.tracker
            .spawn(async move { stopping.run_until_cancelled(task).await })
    }
}

/// Rejects an invalid conversation id as not found.
pub(super) fn check_id(id: &str) -> HubResult {
    let known = is_id(id).then_some(());
    known.ok_or(HubError::NotFound("conversation"))
}

/// What the journal knows of a conversation.
pub(super) async fn known(journal: &Journal, id: &str) -> HubResult<Known> {
    check_id(id)?;
    let known = journal.conversation(id).await?;
    known.ok_or(HubError::NotFound("conversation"))
}

/// An error for invalid arguments, with a sentence for users.
pub(super) fn invalid<T>(text: impl Into<String>) -> HubResult<T> {
    Err(HubError::Invalid(text.into()))
}

/// A permit of a limit on concurrent work.
pub(super) async fn permit(permits: &Semaphore) -> SemaphorePermit<'_> {
    let permit = permits.acquire().await;
    permit.expect("the semaphore is never closed")
}

/// Runs long computations on other threads.
pub(super) async fn compute<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> HubResult<T> {
    off_thread(work).await.map_err(|_| HubError::Closed)
}
