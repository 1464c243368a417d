//! Requests that change something and pages run to completion, even if the client disconnects.
//!
//! Dropping a connection drops the futures of its requests, which could leave a change half done. It also disposes the
//! signals of a page while other tasks still render its parts, which then panic. Such a request therefore runs in its own
//! task; a disconnect only drops the future that waits for this task.

use super::budget::Reservation;
use crate::api::wants_page;
use crate::people::Caller;
use crate::request_id::carried;
use crate::sync::KeyedSemaphore;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use tokio_util::task::TaskTracker;

/// Concurrent changes and pages per user; all callers without a login share one limit. Further ones are queued, and
/// dropped if the client disconnects first. Without this limit, clients that disconnect could queue unbounded work.
const MOST: usize = 128;
/// Key of the callers without a login; no user has this id.
pub const NOBODY: i64 = i64::MIN;

/// The changes and pages in progress.
#[derive(Debug, Clone, Default)]
pub struct Completion {
    tasks: TaskTracker,
    permits: KeyedSemaphore<i64, MOST>,
}

impl Completion {
    /// Waits until all changes and pages in progress have finished.
    pub async fn ended(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }
}

/// Runs a request that changes something or wants a page in its own task.
pub async fn run(State(completion): State<Completion>, request: Request, next: Next) -> Response {
    if !changes_something(&request) && !wants_page(request.headers()) {
        return next.run(request).await;
    }
    let caller = request.extensions().get::<Caller>();
    let person = caller.map_or(NOBODY, |by| by.person);
    let permit = completion.permits.take(person).await;
    let reservation = request.extensions().get::<Arc<Reservation>>().cloned();
    let work = async move {
        let response = next.run(request).await;
        drop((permit, reservation));
        response
    };
    let done = completion.tasks.spawn(carried(work)).await;
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

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::http::header;
    use axum::routing::any;
    use axum::{Router, middleware};
    use std::sync::atomic::{AtomicBool, Ordering};
    use tokio::sync::Notify;
    use tower::ServiceExt;

    /// Whether such a request finishes although its client disconnects in the middle.
    async fn finishes(method: Method, accept: &str) -> bool {
        let completion = Completion::default();
        let (begun, may_end) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let ended = Arc::new(AtomicBool::new(false));
        let handler = {
            let (begun, may_end, ended) = (begun.clone(), may_end.clone(), ended.clone());
            async move || {
                begun.notify_one();
                may_end.notified().await;
                ended.store(true, Ordering::SeqCst);
            }
        };
        let layer = middleware::from_fn_with_state(completion.clone(), run);
        let router = Router::new().route("/", any(handler)).layer(layer);
        let request = Request::builder()
            .method(method)
            .header(header::ACCEPT, accept);
        let request = request.body(Body::empty()).expect("a request");
        let response = tokio::spawn(router.oneshot(request));
        begun.notified().await;
        response.abort();
        assert!(response.await.is_err_and(|error| error.is_cancelled()));
        may_end.notify_one();
        completion.ended().await;
        ended.load(Ordering::SeqCst)
    }

    #[tokio::test]
    async fn only_reads_of_scripts_end_with_their_client() {
        assert!(finishes(Method::POST, "application/json").await);
        assert!(finishes(Method::GET, "text/html,*/*").await);
        assert!(!finishes(Method::GET, "application/json").await);
    }
}
