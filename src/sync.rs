//! Locks, and limits of concurrent work.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Locks what a panic cannot leave half-changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A semaphore per key, each with the same number of permits. Unused keys are forgotten. Clones share their state.
#[derive(Debug, Clone, Default)]
pub struct KeyedSemaphore<K, const PERMITS: usize>(Arc<Mutex<HashMap<K, Weak<Semaphore>>>>);

impl<K: Eq + Hash, const PERMITS: usize> KeyedSemaphore<K, PERMITS> {
    /// Waits for a permit for this key.
    pub async fn take(&self, key: impl Into<K>) -> OwnedSemaphorePermit {
        let permit = self.semaphore(key.into()).acquire_owned().await;
        permit.expect("the semaphore is never closed")
    }

    /// A permit for this key; `None` if all are in use.
    pub fn try_take(&self, key: impl Into<K>) -> Option<OwnedSemaphorePermit> {
        self.semaphore(key.into()).try_acquire_owned().ok()
    }

    fn semaphore(&self, key: K) -> Arc<Semaphore> {
        let mut all = lock(&self.0);
        if let Some(used) = all.get(&key).and_then(Weak::upgrade) {
            return used;
        }
        all.retain(|_, semaphore| semaphore.strong_count() > 0);
        let new = Arc::new(Semaphore::new(PERMITS));
        all.insert(key, Arc::downgrade(&new));
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn each_key_has_its_permits_and_is_forgotten_when_nobody_uses_it() {
        let semaphore = KeyedSemaphore::<String, 2>::default();
        let first = semaphore.take("a").await;
        let second = semaphore.try_take("a");
        assert!(second.is_some() && semaphore.try_take("a").is_none());
        assert!(semaphore.take("a").now_or_never().is_none(), "it waits");
        assert!(semaphore.clone().try_take("b").is_some());
        drop(first);
        assert!(semaphore.take("a").now_or_never().is_some());
        drop(second);
        let _other = semaphore.take("c").await;
        assert_eq!(lock(&semaphore.0).len(), 1);
    }
}
