//! Rate limit for requests to a backend, shared by all of Handrail, with priorities.
//!
//! 0.62 counts requests per client address, and all browsers reach it through this one: it delays more than ten requests
//! per second and rejects more than twenty (`docs/protocol/v0.md` section 8). So that readers cannot delay an approval,
//! one part of the limit is reserved for commands, and another one for commands and upkeep.

use crate::backend::{Answer, BackendError};
use crate::sync::lock;
use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep_until};

/// A longer pause than this is an error instead of a wait.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// Queue length per priority. An overload is rejected at once instead of served minutes later.
const QUEUE_LENGTH: usize = 64;

/// Priority of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rank {
    /// For a user's command.
    Order,
    /// For keeping conversations up to date.
    Upkeep,
    /// For a user who reads something.
    Reader,
    /// For an id that nothing is known of: anybody can make up as many as they like.
    Guess,
}

tokio::task_local! {
    static RANK: Rank;
}

/// Runs `work` for a user's command: its requests have the highest priority.
pub async fn for_order<T>(work: impl Future<Output = T>) -> T {
    RANK.scope(Rank::Order, work).await
}

/// Runs `work` for a user who reads: its requests have the lowest priority.
pub async fn for_reader<T>(work: impl Future<Output = T>) -> T {
    RANK.scope(Rank::Reader, work).await
}

/// Runs `work` for an id that nothing is known of: its requests do not delay those of readers.
pub async fn for_guess<T>(work: impl Future<Output = T>) -> T {
    RANK.scope(Rank::Guess, work).await
}

/// Whether the current task has the highest priority.
#[cfg(test)]
pub(crate) fn goes_first() -> bool {
    RANK.try_with(|rank| *rank == Rank::Order).unwrap_or(false)
}

/// Limits the number of requests in a sliding window.
pub(in crate::backend) struct RateLimiter {
    most: usize,
    window: Duration,
    /// Start times of the newest requests, oldest first.
    begun: Mutex<VecDeque<Instant>>,
    /// A fair queue per priority: its permits, and the turn of the first in it.
    permits: [Semaphore; 4],
    turns: [tokio::sync::Mutex<()>; 4],
    /// The backend has asked for no requests until this time.
    rest_until: Mutex<Option<Instant>>,
}

impl RateLimiter {
    /// Allows `most` requests in any `window`.
    pub(in crate::backend) fn new(most: usize, window: Duration) -> Self {
        Self {
            most,
            window,
            begun: Mutex::default(),
            permits: std::array::from_fn(|_| Semaphore::new(QUEUE_LENGTH)),
            turns: Default::default(),
            rest_until: Mutex::default(),
        }
    }

    /// Waits until one request may be sent. Errors: `RateLimited` if the queue is full or the backend's pause is long.
    pub(in crate::backend) async fn take(&self) -> Answer<()> {
        let rank = RANK.try_with(|rank| *rank).unwrap_or(Rank::Upkeep);
        let permit = self.permits[rank as usize].try_acquire();
        let _permit = permit.map_err(|_| BackendError::RateLimited(1))?;
        let _turn = self.turns[rank as usize].lock().await;
        loop {
            let rest_until = *lock(&self.rest_until);
            if let Some(until) = rest_until {
                let left = until.saturating_duration_since(Instant::now());
                if left > LONGEST_WAIT {
                    return Err(BackendError::RateLimited(left.as_secs_f64().ceil() as u64));
                }
                sleep_until(until).await;
            }
            match self.begin(rank) {
                Ok(()) => return Ok(()),
                Err(later) => sleep_until(later).await,
            }
        }
    }

    /// Starts a request if the limit of its priority allows it; else returns when to try again.
    fn begin(&self, rank: Rank) -> Result<(), Instant> {
        let kept = (self.most / 4).max(1);
        let most = match rank {
            Rank::Order => self.most,
            Rank::Upkeep => self.most.saturating_sub(kept).max(1),
            Rank::Reader => self.most.saturating_sub(2 * kept).max(1),
            Rank::Guess => self.most.saturating_sub(3 * kept).max(1),
        };
        let (now, mut begun) = (Instant::now(), lock(&self.begun));
        while begun.front().is_some_and(|at| *at + self.window <= now) {
            begun.pop_front();
        }
        if begun.len() >= most {
            return Err(begun[begun.len() - most] + self.window);
        }
        begun.push_back(now);
        Ok(())
    }

    /// Pauses all requests for this time.
    pub(in crate::backend) fn rest(&self, time: Duration) {
        *lock(&self.rest_until) = Some(Instant::now() + time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[tokio::test]
    async fn no_window_sees_more_than_the_limit() {
        let rate_limiter = RateLimiter::new(4, Duration::from_millis(40));
        let mut at = Vec::new();
        for _ in 0..12 {
            for_order(rate_limiter.take()).await.unwrap();
            at.push(Instant::now());
        }
        assert!(
            at[3] - at[0] < Duration::from_millis(40),
            "the first ones do not wait"
        );
        for window in at.windows(5) {
            assert!(
                window[4] - window[0] >= Duration::from_millis(39),
                "{:?}",
                window[4] - window[0]
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_crowd_of_readers_keeps_no_order_and_no_connection_waiting() {
        let rate_limiter = Arc::new(RateLimiter::new(8, Duration::from_secs(1)));
        let mut readers = tokio::task::JoinSet::new();
        for _ in 0..QUEUE_LENGTH {
            let rate_limiter = Arc::clone(&rate_limiter);
            readers.spawn(async move { for_reader(rate_limiter.take()).await });
        }
        // The readers are still queued seconds later.
        for _ in 0..5 {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let begun = Instant::now();
            for_order(rate_limiter.take()).await.unwrap();
            rate_limiter.take().await.unwrap();
            for_order(rate_limiter.take()).await.unwrap();
            assert_eq!(begun.elapsed(), Duration::ZERO);
        }
        while readers.try_join_next().is_some() {}
        assert!(!readers.is_empty(), "they still wait");
        while let Some(read) = readers.join_next().await {
            read.unwrap().unwrap();
        }
    }

    #[tokio::test]
    async fn a_long_rest_is_told_and_a_short_one_waited_for() {
        let rate_limiter = RateLimiter::new(4, Duration::from_millis(1));
        rate_limiter.rest(Duration::from_secs(30));
        assert!(matches!(
            rate_limiter.take().await,
            Err(BackendError::RateLimited(30))
        ));
        rate_limiter.rest(Duration::from_millis(20));
        let before = Instant::now();
        rate_limiter.take().await.unwrap();
        assert!(before.elapsed() >= Duration::from_millis(19));
    }

    #[tokio::test(start_paused = true)]
    async fn made_up_ids_do_not_delay_a_reader() {
        let rate_limiter = Arc::new(RateLimiter::new(10, Duration::from_secs(1)));
        let mut guesses = tokio::task::JoinSet::new();
        for _ in 0..QUEUE_LENGTH {
            let rate_limiter = Arc::clone(&rate_limiter);
            guesses.spawn(async move { for_guess(rate_limiter.take()).await });
        }
        for _ in 0..3 {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let begun = Instant::now();
            for_reader(rate_limiter.take()).await.unwrap();
            assert_eq!(begun.elapsed(), Duration::ZERO);
        }
        while guesses.try_join_next().is_some() {}
        assert!(!guesses.is_empty(), "they still wait");
    }
}
