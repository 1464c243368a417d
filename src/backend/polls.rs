//! Polls of stored pages in parallel to a connection, one at a time.

use futures_util::future::BoxFuture;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// When the next poll begins, and the one in flight.
pub(super) struct Polls<T> {
    at: Instant,
    in_flight: Option<BoxFuture<'static, T>>,
}

impl<T> Polls<T> {
    /// The first poll begins after this time.
    pub(super) fn new(first: Duration) -> Self {
        let (at, in_flight) = (Instant::now() + first, None);
        Self { at, in_flight }
    }

    /// Lets the next poll begin within this time.
    pub(super) fn within(&mut self, time: Duration) {
        self.at = self.at.min(Instant::now() + time);
    }

    /// Drops the poll in flight; `false` if there is none.
    pub(super) fn cancel(&mut self) -> bool {
        self.in_flight.take().is_some()
    }

    /// Waits for a poll's result; the next begins within `silence`. Dropping this future drops no poll.
    pub(super) async fn next(
        &mut self,
        silence: Duration,
        ask: impl FnOnce() -> BoxFuture<'static, T>,
    ) -> T {
        if self.in_flight.is_none() {
            sleep_until(self.at).await;
            self.at = Instant::now() + silence;
        }
        let answer = self.in_flight.get_or_insert_with(ask).await;
        self.in_flight = None;
        answer
    }
}
