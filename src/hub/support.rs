//! Helpers of all files of the hub.

use super::{HubError, HubResult};
use crate::conversation::is_id;
use crate::journal::off_thread;
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};

/// How long a user waits for a command before it continues in the background.
pub(super) const A_MOMENT: Duration = Duration::from_millis(1500);

/// In place of a conversation's id: the draft of a new one.
pub const NEW_DRAFT: &str = "new";

/// Rejects an invalid conversation id as not found.
pub(super) fn check_id(id: &str) -> HubResult {
    let known = is_id(id).then_some(());
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
