//! How many calls may wait for the step of one conversation.
//!
//! The server holds a conversation locked while one of its tools runs, and everybody who waits for that lock occupies
//! one of the few threads that all its conversations share: five of them were seen to stop the whole server
//! (`protocol/v1.md` section 3). So at most two of ours wait, whoever they are.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Calls that wait for one conversation at most: one that opens its socket, and one that wants something.
const MOST: usize = 2;

/// Who waits for which conversation.
#[derive(Default)]
pub(super) struct Locks(Mutex<HashMap<String, Weak<Semaphore>>>);

impl Locks {
    /// Waits for the right to wait for a step of this conversation.
    pub(super) async fn take(&self, conversation: &str) -> OwnedSemaphorePermit {
        let places = {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.retain(|_, places| places.strong_count() > 0);
            match all.get(conversation).and_then(Weak::upgrade) {
                Some(places) => places,
                None => {
                    let places = Arc::new(Semaphore::new(MOST));
                    all.insert(conversation.to_owned(), Arc::downgrade(&places));
                    places
                }
            }
        };
        places
            .acquire_owned()
            .await
            .expect("the semaphore is never closed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn a_third_waits_and_another_conversation_does_not() {
        let locks = Locks::default();
        let first = locks.take("a").await;
        let _second = locks.take("a").await;
        assert!(locks.take("a").now_or_never().is_none());
        assert!(locks.take("b").now_or_never().is_some());
        drop(first);
        assert!(locks.take("a").now_or_never().is_some());
    }
}
