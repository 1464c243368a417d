//! The conversations that are being created, and those that were created last.

use super::lock;
use crate::sync::KeyedSemaphore;
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// A request that repeats another one this soon is the second click of a double click.
const DOUBLE_CLICK: Duration = Duration::from_millis(500);

/// Conversations that were created last, by the request for them.
#[derive(Default)]
pub(super) struct Creations {
    /// Equal requests wait for each other.
    pub(super) turns: KeyedSemaphore<String, 1>,
    /// What was requested, when, and the id of the conversation.
    pub(super) last: Mutex<Vec<(String, Instant, String)>>,
    /// The number of creations under way on each backend, by its label.
    under_way: watch::Sender<HashMap<String, usize>>,
}

/// A creation that is under way.
pub(super) struct Creation<'a> {
    creations: &'a Creations,
    label: &'a str,
}

impl Drop for Creation<'_> {
    fn drop(&mut self) {
        self.creations.under_way.send_modify(|under_way| {
            if let Some(count) = under_way.get_mut(self.label) {
                *count -= 1;
            }
            under_way.retain(|_, count| *count > 0);
        });
    }
}

impl Creations {
    /// The conversation of an equal request just before one that arrived at `at`.
    pub(super) fn repeated(&self, request: &str, at: Instant) -> Option<String> {
        let mut last = lock(&self.last);
        last.retain(|(_, before, _)| at.saturating_duration_since(*before) < DOUBLE_CLICK);
        let found = last.iter().find(|(known, ..)| known == request);
        found.map(|(_, _, id)| id.clone())
    }

    /// Starts a creation. A backend may list the new conversation before it says which one it is. Until the creator and
    /// the first message are stored, nobody gets to know it from there.
    pub(super) fn start<'a>(&'a self, label: &'a str) -> Creation<'a> {
        self.under_way
            .send_modify(|under_way| *under_way.entry(label.to_owned()).or_default() += 1);
        let creations = self;
        Creation { creations, label }
    }

    /// Whether a new conversation on a backend may be one that is being created here.
    pub(super) fn is_under_way(&self, label: &str) -> bool {
        self.under_way.borrow().contains_key(label)
    }

    /// Waits until none is.
    pub(super) async fn ended(&self, label: &str) {
        let mut under_way = self.under_way.subscribe();
        // The other end is ours.
        let _ = under_way
            .wait_for(|under_way| !under_way.contains_key(label))
            .await;
    }
}
