//! Limits of each credential in the API: how many requests it makes, and how many streams it holds.

use crate::people::{Caller, Credential};
use crate::sync::{Bursts, KeyedSemaphore};
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;

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
#[derive(Clone)]
pub struct Limits {
    /// Requests of each credential.
    pub requests: Bursts<String>,
    streams: KeyedSemaphore<String, STREAMS>,
    streams_of_one: KeyedSemaphore<i64, STREAMS_OF_ONE>,
    streams_of_all: KeyedSemaphore<(), STREAMS_OF_ALL>,
    /// Requests under a key, one at a time for each.
    pub keys: KeyedSemaphore<(String, String), 1>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            requests: Bursts::new(AT_ONCE, EACH),
            streams: KeyedSemaphore::default(),
            streams_of_one: KeyedSemaphore::default(),
            streams_of_all: KeyedSemaphore::default(),
            keys: KeyedSemaphore::default(),
        }
    }
}

impl Limits {
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
