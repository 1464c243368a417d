//! Runs blocking or CPU-heavy work off the server's async threads.
//!
//! A simulation (`tests/sim`) has a single thread, so that its seed alone decides the order of all work. There the work
//! runs on that thread, after a delay in tokio's (virtual) time that stands for the simulated disk.

use std::cell::Cell;
use std::time::Duration;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::{JoinError, block_in_place, spawn, spawn_blocking};

/// Returns the delay of the next piece of work, in tokio's time.
pub type Latency = fn() -> Duration;

thread_local! {
    static HERE: Cell<Option<Latency>> = const { Cell::new(None) };
}

/// Makes this thread run blocking work itself from now on. For simulations only: it blocks everything else on the
/// thread.
pub fn work_here(latency: Latency) {
    HERE.set(Some(latency));
}

/// Runs `work`. It runs to completion even if the caller is dropped.
///
/// Errors: [`JoinError`] if `work` panicked or the runtime is shutting down.
pub(crate) async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    match HERE.get().map(|latency| latency()) {
        None => spawn_blocking(work).await,
        Some(Duration::ZERO) => Ok(work()),
        Some(latency) => {
            let late = async move {
                tokio::time::sleep(latency).await;
                work()
            };
            spawn(late).await
        }
    }
}

/// Runs `work`, which may take a while, on this thread. What else waits for the thread goes on another one where the runtime
/// has several.
pub(super) fn on_this_thread<T>(work: impl FnOnce() -> T) -> T {
    let flavor = Handle::try_current().map(|handle| handle.runtime_flavor());
    match flavor {
        Ok(RuntimeFlavor::MultiThread) => block_in_place(work),
        _ => work(),
    }
}
