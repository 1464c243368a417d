//! Requests that change something run to completion, even if the client disconnects.
//!
//! Dropping a connection drops the futures of its requests, which could leave a change half done. A request that
//! changes something therefore runs in its own task; a disconnect only drops the future that waits for this task.

use crate::people::Caller;
use crate::sync::KeyedSemaphore;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio_util::task::TaskTracker;
use tracing::Instrument;

/// Concurrent changes per user; all callers without a login share one limit. Further changes are queued, and dropped if
/// the client disconnects first. Without this limit, clients that post and disconnect could queue unbounded work.
const MOST: usize = 128;
/// Key of the callers without a login; no user has this id.
const NOBODY: i64 = i64::MIN;

/// The changes in progress.
#[derive(Debug, Clone, Default)]
pub struct Completion {
    tasks: TaskTracker,
    permits: KeyedSemaphore<i64, MOST>,
}

impl Completion {
    /// Waits until all changes in progress have finished.
    pub async fn ended(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }
}

/// Runs a request that changes something in its own task.
pub async fn run(State(completion): State<Completion>, request: Request, next: Next) -> Response {
    if !changes_something(&request) {
        return next.run(request).await;
    }
    let caller = request.extensions().get::<Caller>();
    let person = caller.map_or(NOBODY, |by| by.person);
    let permit = completion.permits.take(person).await;
    let work = async move {
        let response = next.run(request).await;
        drop(permit);
        response
    };
    let done = completion.tasks.spawn(work.in_current_span()).await;
    match done.map_err(tokio::task::JoinError::try_into_panic) {
        Ok(response) => response,
        // `CatchPanicLayer` handles and reports it.
        Err(Ok(panic)) => std::panic::resume_unwind(panic),
        // The runtime is shutting down.
        Err(Err(_)) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

/// Whether a request may change something: every method but GET and HEAD, and the OpenID Connect callback.
fn changes_something(request: &Request) -> bool {
    let route = request.extensions().get::<MatchedPath>();
    !matches!(*request.method(), Method::GET | Method::HEAD)
        || route.is_some_and(|route| route.as_str() == "/login/openid/callback")
}
