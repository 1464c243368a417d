//! How often we may ask: a budget that all of us share.
//!
//! 0.62 counts requests per client address, and we are one address for all browsers: more than ten in a
//! second are delayed, more than twenty refused (`protocol/v0.md` section 8).

use crate::backend::BackendError;
use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::Duration,
};
use tokio::{
    sync::Semaphore,
    time::{Instant, sleep_until},
};

/// Longer rests than this are told to the person instead of waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Lets at most so many requests begin in any window of time.
pub(in crate::backend) struct Budget {
    most: usize,
    window: Duration,
    /// When the newest requests began, oldest first. The lock is held while waiting: a fair queue.
    begun: tokio::sync::Mutex<VecDeque<Instant>>,
    /// Places in that queue. A crowd is turned away at once rather than answered minutes later.
    queue: Semaphore,
    /// The backend asked for rest until then.
    rest_until: Mutex<Option<Instant>>,
}

impl Budget {
    /// At most `most` requests in any `window`.
    pub(in crate::backend) fn new(most: usize, window: Duration) -> Self {
        Self {
            most,
            window,
            begun: tokio::sync::Mutex::default(),
            queue: Semaphore::new(64),
            rest_until: Mutex::default(),
        }
    }

    /// Waits for the right to send one request.
    pub(in crate::backend) async fn take(&self) -> Result<(), BackendError> {
        let _place = self
            .queue
            .try_acquire()
            .map_err(|_| BackendError::RateLimited(1))?;
        let mut begun = self.begun.lock().await;
        let rest_until = *self
            .rest_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(until) = rest_until {
            let left = until.saturating_duration_since(Instant::now());
            if left > PATIENCE {
                return Err(BackendError::RateLimited(left.as_secs_f64().ceil() as u64));
            }
            sleep_until(until).await;
        }
        if begun.len() == self.most
            && let Some(oldest) = begun.front()
        {
            sleep_until(*oldest + self.window).await;
            begun.pop_front();
        }
        begun.push_back(Instant::now());
        Ok(())
    }

    /// The backend wants no request for so long.
    pub(in crate::backend) fn rest(&self, time: Duration) {
        *self
            .rest_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(Instant::now() + time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn no_window_sees_more_than_the_budget() {
        let budget = Budget::new(4, Duration::from_millis(40));
        let mut at = Vec::new();
        for _ in 0..12 {
            budget.take().await.unwrap();
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

    #[tokio::test]
    async fn a_long_rest_is_told_and_a_short_one_waited_for() {
        let budget = Budget::new(4, Duration::from_millis(1));
        budget.rest(Duration::from_secs(30));
        assert!(matches!(
            budget.take().await,
            Err(BackendError::RateLimited(30))
        ));
        budget.rest(Duration::from_millis(20));
        let before = Instant::now();
        budget.take().await.unwrap();
        assert!(before.elapsed() >= Duration::from_millis(19));
    }
}
