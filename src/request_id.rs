//! The id of a request: it is in the response, in each line of the log about it, and in what a backend is asked for it.

use rand::distr::{Alphanumeric, SampleString as _};
use std::fmt;
use std::sync::Arc;
use tracing::Instrument as _;

/// Length of an id, in characters.
const LENGTH: usize = 16;

/// The header of an id, of responses and of requests to backends.
pub(crate) const HEADER: &str = "x-request-id";

tokio::task_local! {
    static CURRENT: RequestId;
}

/// The id of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(Arc<str>);

impl RequestId {
    /// A new id. Ids that browsers send are ignored: they could be those of others.
    pub(crate) fn new() -> Self {
        Self(Alphanumeric.sample_string(&mut rand::rng(), LENGTH).into())
    }

    /// The request that the current task works for.
    pub(crate) fn current() -> Option<Self> {
        CURRENT.try_with(Clone::clone).ok()
    }

    /// The id as a text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Runs `work` for this request.
    pub(crate) async fn scope<T>(self, work: impl Future<Output = T>) -> T {
        CURRENT.scope(self, work).await
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Runs `work` for a request that another task has received; its lines in the log have the id.
pub(crate) async fn within<T>(request: Option<RequestId>, work: impl Future<Output = T>) -> T {
    match request {
        None => work.await,
        Some(id) => {
            let span = tracing::info_span!("request", %id);
            id.scope(work).instrument(span).await
        }
    }
}

/// `work` for another task, which works for the current request there.
pub(crate) fn carried<T>(work: impl Future<Output = T>) -> impl Future<Output = T> {
    let request = RequestId::current();
    let work = async move {
        match request {
            Some(id) => id.scope(work).await,
            None => work.await,
        }
    };
    work.in_current_span()
}
