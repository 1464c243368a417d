//! Limits concurrent requests to one conversation.
//!
//! The server locks a conversation while one of its tools runs, and every request that waits for this lock blocks one of
//! the few threads that all conversations share: five of them were seen to block the whole server
//! (`docs/protocol/v1.md` section 3). Handrail therefore lets at most two requests wait per conversation. Of the requests
//! that can let a pending call run there is one at a time, from its last look at what is pending on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Requests per conversation that may wait for its step: one that opens the WebSocket, and one for a command.
pub(super) const STEP: usize = 2;

pub(super) struct Locks {
    /// Number of permits for each.
    most: usize,
    conversations: Mutex<HashMap<String, Weak<Semaphore>>>,
}

impl Locks {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            conversations: Mutex::default(),
        }
    }

    /// Waits for a permit for this conversation.
    pub(super) async fn take(&self, conversation: &str) -> OwnedSemaphorePermit {
        let places = {
            let mut all = (self.conversations.lock()).unwrap_or_else(PoisonError::into_inner);
            all.retain(|_, places| places.strong_count() > 0);
            match all.get(conversation).and_then(Weak::upgrade) {
                Some(places) => places,
                None => {
                    let places = Arc::new(Semaphore::new(self.most));
                    all.insert(conversation.to_owned(), Arc::downgrade(&places));
                    places
                }
            }
        };
        let place = places.acquire_owned().await;
        place.expect("the semaphore is never closed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn a_third_waits_and_another_conversation_does_not() {
        let locks = Locks::new(STEP);
        let first = locks.take("a").await;
        let _second = locks.take("a").await;
        assert!(locks.take("a").now_or_never().is_none());
        assert!(locks.take("b").now_or_never().is_some());
        drop(first);
        assert!(locks.take("a").now_or_never().is_some());
    }
}
