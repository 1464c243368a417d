//! Conversations that have changed in the list, for notifications.
//!
//! A change says what is so now, so that a slow reader misses none. What was so in between is lost, except that the
//! agent has worked.

use super::lock;
use std::collections::HashMap;
use std::sync::Mutex;
use tokio::sync::Notify;

/// The conversations whose changes were not read yet.
#[derive(Default)]
pub(super) struct Changes {
    since: Mutex<HashMap<String, Since>>,
    woken: Notify,
}

/// What has happened in a conversation since its last change was read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Since {
    pub(super) worked: bool,
    pub(super) created: bool,
}

impl Since {
    /// Only the list has changed.
    pub(super) const NOTHING: Self = Self {
        worked: false,
        created: false,
    };
    /// The agent has worked.
    pub(super) const WORKED: Self = Self {
        worked: true,
        created: false,
    };
    /// It was created here, with a task.
    pub(super) const CREATED: Self = Self {
        worked: true,
        created: true,
    };
}

impl Changes {
    /// Notes that a conversation has changed.
    pub(super) fn note(&self, id: &str, what: Since) {
        let mut since = lock(&self.since);
        let change = since.entry(id.to_owned()).or_default();
        change.worked |= what.worked;
        change.created |= what.created;
        drop(since);
        self.woken.notify_one();
    }

    /// Waits for changes, and returns all since the last call.
    pub(super) async fn next(&self) -> HashMap<String, Since> {
        loop {
            let changed = std::mem::take(&mut *lock(&self.since));
            if !changed.is_empty() {
                return changed;
            }
            self.woken.notified().await;
        }
    }
}
