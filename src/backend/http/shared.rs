//! Asking once for many: identical questions share one answer.
//!
//! Ten browsers that look at the same list must not cost ten requests out of a budget of eight a second.

use super::call::Call;
use super::rest::Rest;
use crate::backend::BackendError;
use futures_util::{
    FutureExt,
    future::{BoxFuture, Shared, WeakShared},
};
use serde_json::Value;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// How long a list may be old: ten browsers look at it, and it changes by the second at most.
pub(in crate::backend) const LIST_FRESH: Duration = Duration::from_secs(1);
/// How long what changes only with the server may be old.
pub(in crate::backend) const OPTIONS_FRESH: Duration = Duration::from_secs(300);

/// Answers in flight or still fresh, by URL.
pub(in crate::backend) type Kept = Mutex<HashMap<String, Entry>>;

type Flight = BoxFuture<'static, Result<Arc<Value>, BackendError>>;

/// An answer that others may use too.
pub(in crate::backend) enum Entry {
    /// Being asked.
    Flying(WeakShared<Flight>),
    /// Answered then.
    Answer(Instant, Arc<Value>),
}

impl Rest {
    /// Asks for what many ask for: joins a question in flight, takes an answer younger than `fresh`.
    pub(in crate::backend) async fn shared(
        self: &Arc<Self>,
        call: Call<'_>,
        fresh: Duration,
    ) -> Result<Arc<Value>, BackendError> {
        let key = self.connection().url(call.path, call.query).to_string();
        let flight = {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            let flying = match kept.get(&key) {
                Some(Entry::Answer(at, answer)) if at.elapsed() < fresh => {
                    return Ok(answer.clone());
                }
                Some(Entry::Flying(flight)) => flight.upgrade(),
                _ => None,
            };
            flying.unwrap_or_else(|| {
                kept.retain(|_, kept| !kept.is_stale());
                let flight = self.clone().fly(&call);
                if let Some(weak) = flight.downgrade() {
                    kept.insert(key.clone(), Entry::Flying(weak));
                }
                flight
            })
        };
        let answer = flight.await;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        match &answer {
            // Whoever comes first keeps it; the others find an answer and leave it.
            Ok(_) if fresh.is_zero() => drop(kept.remove(&key)),
            Ok(answer) if matches!(kept.get(&key), Some(Entry::Flying(_))) => {
                kept.insert(key, Entry::Answer(Instant::now(), answer.clone()));
            }
            Ok(_) => {}
            Err(_) => drop(kept.remove(&key)),
        }
        answer
    }

    /// What was kept is no longer so.
    pub(in crate::backend) fn forget(&self) {
        self.kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    fn fly(self: Arc<Self>, call: &Call<'_>) -> Shared<Flight> {
        let path: Vec<String> = call.path.iter().map(|part| (*part).to_owned()).collect();
        let query: Vec<(String, String)> = call
            .query
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let (patience, missing) = (call.patience, call.missing);
        async move {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            let query: Vec<(&str, &str)> = query
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect();
            self.json(Call {
                query: &query,
                patience,
                missing,
                ..Call::get(&path)
            })
            .await
            .map(Arc::new)
        }
        .boxed()
        .shared()
    }
}

impl Entry {
    fn is_stale(&self) -> bool {
        match self {
            Self::Flying(flight) => flight.upgrade().is_none(),
            Self::Answer(at, _) => at.elapsed() > Duration::from_secs(600),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::openhands::stub::Stub;

    #[tokio::test]
    async fn many_who_ask_at_once_ask_once() {
        let stub = Stub::start().await;
        let rest = Rest::new(stub.connection()).unwrap();
        let ask = || rest.shared(Call::get(&["count"]), Duration::from_secs(60));
        let answers = futures_util::future::join_all((0..20).map(|_| ask())).await;
        assert!(answers.iter().all(|answer| **answer.as_ref().unwrap() == 1));
        assert_eq!(*ask().await.unwrap(), 1, "and it is kept");
        assert_eq!(
            *rest
                .shared(Call::get(&["count"]), Duration::ZERO)
                .await
                .unwrap(),
            2,
            "but not for ever"
        );
    }
}
