//! Limits of each credential in the API: how many requests it makes, and how many streams it holds.

use crate::people::{Caller, Credential};
use crate::sync::{KeyedSemaphore, lock};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

/// Requests that a credential may make at once.
const AT_ONCE: u32 = 300;
/// Interval at which one more request is allowed.
const EACH: Duration = Duration::from_millis(50);
/// Streams of one credential.
const STREAMS: usize = 4;
/// Streams of one person.
const STREAMS_OF_ONE: usize = 8;
/// Streams of all people.
const STREAMS_OF_ALL: usize = 512;

/// What is in progress, and what was asked lately.
#[derive(Clone, Default)]
pub struct Limits {
    /// When each credential has all of its requests again.
    free_at: Arc<Mutex<HashMap<String, Instant>>>,
    streams: KeyedSemaphore<String, STREAMS>,
    streams_of_one: KeyedSemaphore<i64, STREAMS_OF_ONE>,
    streams_of_all: KeyedSemaphore<(), STREAMS_OF_ALL>,
    /// Requests under a key, one at a time for each.
    pub keys: KeyedSemaphore<(String, String), 1>,
}

impl Limits {
    /// Counts a request at `now`.
    ///
    /// # Errors
    /// The time after which one is allowed again.
    pub fn take(&self, client: &str, now: Instant) -> Result<(), Duration> {
        let mut free_at = lock(&self.free_at);
        free_at.retain(|_, free_at| *free_at > now);
        let free = free_at.get(client).copied().unwrap_or(now) + EACH;
        let latest = now + EACH * AT_ONCE;
        if free > latest {
            return Err(free - latest);
        }
        free_at.insert(client.to_owned(), free);
        Ok(())
    }

    /// Permits for a stream; `None` if too many are open.
    pub fn stream(&self, by: &Caller) -> Option<[OwnedSemaphorePermit; 3]> {
        Some([
            self.streams.try_take(client(by))?,
            self.streams_of_one.try_take(by.person)?,
            self.streams_of_all.try_take(())?,
        ])
    }
}

/// The credential of a caller, in words.
pub fn client(by: &Caller) -> String {
    match &by.credential {
        Credential::Machine => "machine".to_owned(),
        Credential::Login(number) => format!("login {number}"),
        Credential::Token(number) | Credential::ApiToken(number, _) => format!("token {number}"),
        Credential::Link(visit) => format!("link {}", visit.link),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_credential_has_its_requests_again_after_a_while() {
        let limits = Limits::default();
        let begun = Instant::now();
        for _ in 0..AT_ONCE {
            assert!(limits.take("a", begun).is_ok());
        }
        let wait = limits.take("a", begun).expect_err("too many");
        assert!(wait <= EACH, "{wait:?}");
        assert!(limits.take("b", begun).is_ok(), "another");
        assert!(limits.take("a", begun + wait).is_ok());
        let later = begun + EACH * AT_ONCE * 2;
        assert!(limits.take("a", later).is_ok());
        assert_eq!(lock(&limits.free_at).len(), 1, "who waits is forgotten");
    }
}
