//! Request coalescing: identical requests share one response.
//!
//! Ten browsers with the same list must not cost ten requests out of a limit of eight per second.

use super::call::Call;
use super::kept::{Entry, Flight};
use super::rest::Rest;
use crate::backend::Answer;
use crate::backend::json::filled;
use crate::backend::live_stream::weight;
use crate::sync::lock;
use futures_util::FutureExt;
use futures_util::future::Shared;
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum age of a shared list, which changes about once per second at most.
pub(in crate::backend) const LIST_FRESH: Duration = Duration::from_secs(1);
/// Maximum age of data that changes only when the server does.
pub(in crate::backend) const OPTIONS_FRESH: Duration = Duration::from_secs(300);

/// Number of cached responses.
const MOST_KEPT: usize = 64;
/// Approximate size limit of a cached response, in bytes; a list of a hundred conversations takes a tenth of it.
const LARGEST_KEPT: usize = 512 << 10;

impl Rest {
    /// Sends a GET request, or joins an identical one in flight, or returns a cached response younger than `fresh`.
    pub(in crate::backend) async fn shared(
        self: &Arc<Self>,
        call: Call,
        fresh: Duration,
    ) -> Answer<Arc<Value>> {
        let key = self.connection().url(&call.path, &call.query).to_string();
        let flight = {
            let mut kept = lock(&self.kept);
            let flying = match kept.get(&key) {
                Some(Entry::Answer(at, answer)) if at.elapsed() < fresh => {
                    return Ok(answer.clone());
                }
                Some(Entry::Flying(flight)) => flight.upgrade(),
                _ => None,
            };
            flying.unwrap_or_else(|| {
                kept.retain(|_, kept| !kept.is_stale());
                let rest = self.clone();
                let flight = async move { rest.json(call).await.map(Arc::new) };
                let flight: Shared<Flight> = flight.boxed().shared();
                if let Some(weak) = flight.downgrade() {
                    kept.insert(key.clone(), Entry::Flying(weak));
                }
                flight
            })
        };
        let answer = flight.await;
        let mut kept = lock(&self.kept);
        match &answer {
            // The first waiter caches the response; the others find it and leave it.
            Ok(_) if fresh.is_zero() => drop(kept.remove(&key)),
            Ok(answer) if weight(answer) > LARGEST_KEPT => drop(kept.remove(&key)),
            Ok(answer) if matches!(kept.get(&key), Some(Entry::Flying(_))) => {
                if kept.len() > MOST_KEPT {
                    kept.retain(|_, kept| matches!(kept, Entry::Flying(_)));
                }
                kept.insert(key, Entry::Answer(Instant::now(), answer.clone()));
            }
            Ok(_) => {}
            Err(_) => drop(kept.remove(&key)),
        }
        answer
    }

    /// Clears the cache, because a command may have changed the data.
    pub(in crate::backend) fn forget(&self) {
        lock(&self.kept).clear();
    }

    /// The server's version, which only the description of its API has.
    pub(in crate::backend) async fn version(self: &Arc<Self>) -> Option<String> {
        let description = self.shared(Call::get(&["openapi.json"]), OPTIONS_FRESH);
        filled(&description.await.ok()?["info"]["version"])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::openhands::tests::stub::Stub;

    #[tokio::test]
    async fn many_who_ask_at_once_ask_once() {
        let stub = Stub::start().await;
        let rest = Rest::new(stub.connection()).unwrap();
        let ask = || rest.shared(Call::get(&["count"]), Duration::from_secs(60));
        let answers = futures_util::future::join_all((0..20).map(|_| ask())).await;
        assert!(answers.iter().all(|answer| **answer.as_ref().unwrap() == 1));
        assert_eq!(*ask().await.unwrap(), 1, "and it is kept");
        let again = rest.shared(Call::get(&["count"]), Duration::ZERO).await;
        assert_eq!(*again.unwrap(), 2, "but not for ever");
    }
}
