//! Cached responses of a client, and its requests in flight.

use crate::backend::Answer;
use futures_util::future::{BoxFuture, WeakShared};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Requests in flight and cached responses, by URL.
pub(in crate::backend) type Kept = Mutex<HashMap<String, Entry>>;

pub(super) type Flight = BoxFuture<'static, Answer<Arc<Value>>>;

pub(in crate::backend) enum Entry {
    /// The request is in flight.
    Flying(WeakShared<Flight>),
    /// The response and when it arrived.
    Answer(Instant, Arc<Value>),
}

impl Entry {
    pub(super) fn is_stale(&self) -> bool {
        match self {
            Self::Flying(flight) => flight.upgrade().is_none(),
            Self::Answer(at, _) => at.elapsed() > Duration::from_secs(600),
        }
    }
}
