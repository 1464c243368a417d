//! Limits of requests to the backends for a reader, and the ids that no backend knows.

use super::lock;
use crate::sync::KeyedSemaphore;
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;
use tokio::time::Instant;

/// Concurrent requests per user; further ones wait.
const AT_A_TIME: usize = 4;
/// How long an id that no backend knows is not requested again. A list may bring it before.
const MISSING: Duration = Duration::from_secs(30);
/// Maximum number of these ids.
const REMEMBERED: usize = 4096;

/// The requests for readers.
#[derive(Default)]
pub(super) struct Finding {
    missing: Mutex<HashMap<String, Instant>>,
    pub(super) permits: KeyedSemaphore<i64, AT_A_TIME>,
    /// Requests for unknown ids, apart from the others, so that a user's pages do not wait for them.
    pub(super) guesses: KeyedSemaphore<i64, 1>,
}

impl Finding {
    /// Whether all backends have just reported that this id does not exist.
    pub(super) fn is_missing(&self, id: &str) -> bool {
        let missing = lock(&self.missing);
        missing.get(id).is_some_and(|at| at.elapsed() < MISSING)
    }

    pub(super) fn miss(&self, id: &str) {
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
