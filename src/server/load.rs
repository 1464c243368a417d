//! Concurrency limits per user and overall, so that no user exhausts the memory.

use super::budget::Budget;
use crate::api::{ApiError, ApiErrorKind};
use crate::people::Caller;
use crate::sync::KeyedSemaphore;
use axum::body::{Body, HttpBody};
use axum::http::StatusCode;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Concurrent requests of one user (several tabs and a script); each counts until its response has been read.
const REQUESTS: usize = 24;
/// Live connections of one user; far more tabs than a person uses.
const LIVE: usize = 64;
/// Those of all visitors, for each of whose links the same holds.
const LIVE_OF_VISITORS: usize = 512;
/// Those of all. The rest of the connections are for requests.
const LIVE_OF_ALL: usize = 1_536;
/// Concurrent exports of one user.
const EXPORTS: usize = 2;
/// Files of all users that are imported at a time, once they have arrived: each is copied and searched as a whole.
const IMPORTS: usize = 2;

/// The work in progress.
#[derive(Clone)]
pub struct Load {
    requests: KeyedSemaphore<i64, REQUESTS>,
    exports: KeyedSemaphore<i64, EXPORTS>,
    live: KeyedSemaphore<i64, LIVE>,
    live_of_visitors: Arc<Semaphore>,
    live_of_all: Arc<Semaphore>,
    imports: Arc<Semaphore>,
    /// The bytes of request bodies.
    pub bodies: Budget,
}

impl Default for Load {
    fn default() -> Self {
        Self {
            requests: KeyedSemaphore::default(),
            exports: KeyedSemaphore::default(),
            live: KeyedSemaphore::default(),
            live_of_visitors: Arc::new(Semaphore::new(LIVE_OF_VISITORS)),
            live_of_all: Arc::new(Semaphore::new(LIVE_OF_ALL)),
            imports: Arc::new(Semaphore::new(IMPORTS)),
            bodies: Budget::default(),
        }
    }
}

impl Load {
    /// A permit for a request by this user; `None` if the user has too many in progress.
    pub fn request(&self, by: &Caller) -> Option<OwnedSemaphorePermit> {
        self.requests.try_take(by.person)
    }

    /// Permits for a live connection of this user.
    ///
    /// # Errors
    /// A status and a sentence if the user, all visitors or all users have too many.
    pub fn live(
        &self,
        by: &Caller,
    ) -> Result<Vec<OwnedSemaphorePermit>, (StatusCode, &'static str)> {
        let own = self.live.try_take(by.person).ok_or((
            StatusCode::TOO_MANY_REQUESTS,
            "You have too many pages open. Close some, then reload this one.",
        ))?;
        let mut permits = vec![own];
        let of_visitors = by.visit().map(|_| &self.live_of_visitors);
        for shared in of_visitors.into_iter().chain([&self.live_of_all]) {
            let permit = Arc::clone(shared).try_acquire_owned();
            permits.push(permit.map_err(|_| {
                let text = "Too many pages are open on this server. Try again in a minute.";
                (StatusCode::SERVICE_UNAVAILABLE, text)
            })?);
        }
        Ok(permits)
    }

    /// A permit for an export by this user.
    ///
    /// # Errors
    /// A sentence if the user has too many exports in progress.
    pub fn export(&self, by: &Caller) -> Result<OwnedSemaphorePermit, ApiError> {
        self.exports.try_take(by.person).ok_or_else(|| {
            ApiError::new(
                ApiErrorKind::Conflict,
                "Your other exports are still downloading. Wait until one is finished.",
            )
        })
    }

    /// Waits for a permit to import a file that has arrived: no client can prolong how long it is held.
    pub async fn import(&self) -> OwnedSemaphorePermit {
        let permit = Arc::clone(&self.imports).acquire_owned().await;
        permit.expect("the semaphore is never closed")
    }
}

/// A body that holds a guard, such as a permit, until its client has taken it but for a buffer, or it is dropped.
///
/// hyper drops a body that says that it has ended, while all of it may still have to be sent: so this one does not say so.
pub fn holding(body: Body, guard: impl Send + Unpin + 'static) -> Body {
    Body::new(Holding {
        body,
        has_begun: false,
        _guard: guard,
    })
}

struct Holding<Guard> {
    body: Body,
    has_begun: bool,
    _guard: Guard,
}

impl<Guard: Unpin> HttpBody for Holding<Guard> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.has_begun = true;
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        !self.has_begun && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_permit_is_free_when_the_answer_was_read_or_given_up() {
        let limit = KeyedSemaphore::<i64, 1>::default();
        let enter = || limit.try_take(7);
        let body = holding(Body::from("x"), enter().expect("nobody is here"));
        assert!(enter().is_none());
        let read = axum::body::to_bytes(body, 10).await;
        assert_eq!(read.expect("it is short"), "x");
        let body = holding(Body::from("x"), enter().expect("it was read"));
        drop(body);
        assert!(enter().is_some());
    }

    #[test]
    fn a_third_export_of_one_person_is_refused_with_a_sentence() {
        let (load, by) = (Load::default(), Caller::at_the_machine());
        let permits: Vec<_> = (0..EXPORTS).map(|_| load.export(&by)).collect();
        assert!(permits.iter().all(Result::is_ok));
        let refused = load.export(&by).expect_err("there are two");
        assert!(refused.text.contains("Wait until"), "{refused}");
        drop(permits);
        assert!(load.export(&by).is_ok());
    }
}
