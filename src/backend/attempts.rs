//! The attempts of a live connection: one after the other, with backoff, or when a user asks for one.

use super::ConnectionState;
use super::ending::End;
use crate::metrics;
use std::{sync::Arc, time::Duration};
use tokio::sync::{Notify, watch};
use tokio::time::sleep;

/// Shortest and longest delay between attempts.
pub(super) type Backoff = (Duration, Duration);

/// Tells the state of a connection between its attempts, and paces them.
pub(super) struct Attempts {
    pub(super) conversation: String,
    pub(super) backoff: Backoff,
    pub(super) state: watch::Sender<ConnectionState>,
    /// See [`super::LiveStream::retry`].
    pub(super) retry: Arc<Notify>,
    /// Number of failures since the last success.
    pub(super) failed: u32,
}

impl Attempts {
    /// Runs one attempt. A user's retry ends it while the connection is not up; the next one then starts at once.
    pub(super) async fn run(&self, attempt: impl Future<Output = End>) -> End {
        let state = self.state.subscribe();
        let is_asked_for = async {
            loop {
                self.retry.notified().await;
                if *state.borrow() != ConnectionState::Live {
                    return self.retry.notify_one();
                }
            }
        };
        tokio::select! {
            end = attempt => end,
            () = is_asked_for => End::GivenUp,
        }
    }

    /// Tells that there is no connection any more.
    pub(super) fn end(self) {
        self.state.send_replace(ConnectionState::Idle);
    }

    /// Records that a connection received something new or lasted.
    pub(super) fn succeeded(&mut self) {
        self.failed = 0;
    }

    /// Tells why an attempt ended, and waits for a user's retry if the end is for good, else for the backoff.
    pub(super) async fn pause(&mut self, end: End, for_good: bool) {
        if for_good {
            let (why, code) = match end {
                End::Refused { why, code } => (why, code),
                end => (end.to_string(), String::new()),
            };
            self.state
                .send_replace(ConnectionState::Refused { why, code });
            self.retry.notified().await;
            self.state.send_replace(ConnectionState::Connecting);
            self.failed = 0;
            return;
        }
        self.failed += 1;
        metrics::RECONNECTS.add(1);
        let (conversation, attempt) = (&self.conversation, self.failed);
        tracing::info!(conversation, attempt, %end, "live connection lost");
        let wait = delay(self.backoff, attempt);
        self.state.send_replace(ConnectionState::Reconnecting {
            attempt,
            why: end.to_string(),
            retry_in: wait.as_secs_f64().ceil() as u32,
        });
        tokio::select! {
            () = sleep(wait) => {}
            () = self.retry.notified() => {}
        }
    }
}

/// Delay before the next attempt: exponential backoff with jitter, so that many connections do not reconnect in lockstep.
fn delay((least, most): Backoff, attempt: u32) -> Duration {
    let full = least.saturating_mul(1 << attempt.saturating_sub(1).min(16));
    full.min(most).mul_f64(rand::random_range(0.5..1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::Instant;

    #[tokio::test(start_paused = true)]
    async fn the_pauses_grow_and_start_anew_after_a_success_and_after_a_person_has_asked() {
        let least = Duration::from_secs(1);
        let (state, seen) = watch::channel(ConnectionState::Connecting);
        let mut attempts = Attempts {
            conversation: "c".to_owned(),
            backoff: (least, Duration::from_secs(60)),
            state,
            retry: Arc::default(),
            failed: 0,
        };
        let is_first = |seen: &watch::Receiver<ConnectionState>| {
            matches!(
                *seen.borrow(),
                ConnectionState::Reconnecting { attempt: 1, .. }
            )
        };
        for again in [false, true] {
            for attempt in 1..6 {
                let began = Instant::now();
                attempts.pause(End::GivenUp, false).await;
                let full = least * 2_u32.pow(attempt - 1);
                assert!((full / 2..=full).contains(&began.elapsed()), "{attempt}");
                assert_eq!(is_first(&seen), attempt == 1);
            }
            match again {
                false => attempts.succeeded(),
                true => {
                    attempts.retry.notify_one();
                    attempts.pause(End::GivenUp, true).await;
                }
            }
        }
        attempts.pause(End::GivenUp, false).await;
        assert!(is_first(&seen));
    }
}
