//! Locks, and limits of concurrent work.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

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

/// A rate limit for each key: so many at once, and one more after each interval. Keys that have all again are forgotten.
/// Clones share their state.
#[derive(Debug, Clone)]
pub struct Bursts<K> {
    at_once: u32,
    each: Duration,
    /// When each key has all again.
    free_at: Arc<Mutex<HashMap<K, Instant>>>,
}

impl<K: Eq + Hash> Bursts<K> {
    /// A limit of `at_once`, and then one for each interval.
    pub fn new(at_once: u32, each: Duration) -> Self {
        Self {
            at_once,
            each,
            free_at: Arc::default(),
        }
    }

    /// Takes one.
    ///
    /// # Errors
    /// The time after which one is allowed again.
    pub fn take(&self, key: K) -> Result<(), Duration> {
        let now = Instant::now();
        let mut free_at = lock(&self.free_at);
        free_at.retain(|_, free_at| *free_at > now);
        let free = free_at.get(&key).copied().unwrap_or(now) + self.each;
        let latest = now + self.each * self.at_once;
        if free > latest {
            return Err(free - latest);
        }
        free_at.insert(key, free);
        Ok(())
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

    #[tokio::test(start_paused = true)]
    async fn a_key_has_a_burst_again_after_a_while() {
        const EACH: Duration = Duration::from_millis(50);
        let bursts = Bursts::new(300, EACH);
        for _ in 0..300 {
            assert!(bursts.take("a").is_ok());
        }
        let wait = bursts.take("a").expect_err("too many");
        assert!(wait <= EACH, "{wait:?}");
        assert!(bursts.take("b").is_ok(), "another");
        tokio::time::advance(wait).await;
        assert!(bursts.take("a").is_ok());
        assert!(bursts.take("a").is_err(), "one more, not two");
        tokio::time::advance(EACH * 600).await;
        assert!(bursts.take("a").is_ok());
        assert_eq!(lock(&bursts.free_at).len(), 1, "who waits is forgotten");
    }
}
