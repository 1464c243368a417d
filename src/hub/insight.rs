//! Where the time and the money went: of one conversation, and over all.
//!
//! The log of a conversation is read once; what came of it is kept for the conversations that were looked at last, and
//! continued from there.

use super::view::title;
use super::{Actors, Catalogue, HubError, HubResult, compute, known, lock, permit};
use crate::clock::now;
use crate::conversation::{Insight, Measure, ModelCall, OverallReport};
use crate::journal::Journal;
use crate::live::{InsightView, OverallView};
use crate::people::{Caller, Right};
use crate::render::{Period, SpentBy, insight_html, overall_html};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Conversations whose sums are kept, each at most 300 KiB.
const KEPT: usize = 16;
/// Logs that are read at a time.
const AT_ONCE: usize = 2;
/// How long a page waits for the backend's list of calls.
const CALLS: Duration = Duration::from_secs(2);
/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// Where the time and the money went.
pub struct Insights {
    journal: Journal,
    catalogue: Arc<Catalogue>,
    actors: Arc<Actors>,
    /// The path that pages live under, ending in `/`.
    base: String,
    /// The sums up to a `seq`, by conversation; those that were used last are at the end.
    kept: Mutex<Vec<(String, i64, Insight)>>,
    reading: Semaphore,
}

impl Insights {
    pub(super) fn new(actors: Arc<Actors>, base: &str) -> Self {
        Self {
            journal: actors.context.journal.clone(),
            catalogue: Arc::clone(&actors.catalogue),
            actors,
            base: base.to_owned(),
            kept: Mutex::default(),
            reading: Semaphore::new(AT_ONCE),
        }
    }

    /// The sums of a conversation and the `seq` that they go up to, taken out.
    fn take(&self, id: &str, newest: i64) -> (Insight, i64) {
        let mut kept = lock(&self.kept);
        let at = kept.iter().position(|(known, ..)| known == id);
        let found = at.map(|at| kept.remove(at));
        // A conversation that was deleted and has come back begins anew.
        let found = found.filter(|(_, seq, _)| *seq <= newest);
        found.map_or_else(Default::default, |(_, seq, insight)| (insight, seq))
    }

    fn keep(&self, id: &str, seq: i64, insight: Insight) {
        let mut kept = lock(&self.kept);
        kept.retain(|(known, ..)| known != id);
        kept.push((id.to_owned(), seq, insight));
        if kept.len() > KEPT {
            kept.remove(0);
        }
    }

    /// Forgets a conversation that was deleted.
    pub(super) fn forget(&self, id: &str) {
        lock(&self.kept).retain(|(known, ..)| known != id);
    }

    /// Where the time and the money of a conversation went.
    pub async fn insight(&self, id: &str) -> HubResult<InsightView> {
        let handle = self.actors.handle(id).await?;
        handle.first_loaded().await;
        let _reading = permit(&self.reading).await;
        let known = known(&self.journal, id).await?;
        let (mut insight, mut seq) = self.take(id, known.seq);
        loop {
            let (further, reached) = self.journal.accumulate(id, insight, seq).await?;
            insight = further;
            if reached == seq {
                break;
            }
            seq = reached;
        }
        let first = insight.oldest_row().unwrap_or(i64::MAX);
        let waits = self.journal.waits(id, first).await?;
        let calls = self.model_calls(id, &known.meta.backend).await;
        let report = insight.report(&waits, &calls);
        self.keep(id, seq, insight);
        if self.journal.conversation(id).await?.is_none() {
            // It was deleted meanwhile.
            self.forget(id);
            return Err(HubError::NotFound("conversation"));
        }
        let html = compute(move || insight_html(&report)).await?;
        Ok(InsightView {
            title: title(&known.session.title, &known.meta.title),
            html,
        })
    }

    /// The calls of the model, if the backend knows them and answers in time: without them the page is less exact.
    async fn model_calls(&self, id: &str, backend: &str) -> Vec<ModelCall> {
        let connected = self.catalogue.backends.connected_as(backend).ok();
        let Some(backend) = connected.and_then(|one| one.backend) else {
            return Vec::new();
        };
        let calls = timeout(CALLS, backend.model_calls(id)).await;
        calls.ok().and_then(Result::ok).unwrap_or_default()
    }

    /// Cost and tokens of the last `days` days as numbers, and whether they are of everybody: of all conversations for owners,
    /// for others of those that they created.
    pub async fn spending(
        &self,
        by: &Caller,
        days: u32,
        measure: Measure,
    ) -> HubResult<(OverallReport, bool)> {
        let _reading = permit(&self.reading).await;
        let since = now().div_euclid(DAY) - i64::from(days) + 1;
        let everybody = by.may(Right::Own);
        let creator = (!everybody).then(|| by.signature().to_owned());
        let report = self.journal.spending(since, creator, measure).await?;
        Ok((report, everybody))
    }

    /// The same for the page over all conversations.
    pub async fn overall(
        &self,
        by: &Caller,
        days: u32,
        chart: SpentBy,
        measure: Measure,
    ) -> HubResult<OverallView> {
        let (report, everybody) = self.spending(by, days, measure).await?;
        let today = now().div_euclid(DAY);
        let since = today - i64::from(days) + 1;
        let listed = report.conversations.iter().map(|(id, _)| id.clone());
        let lines = self.catalogue.list.lines_of(listed.collect()).await?;
        let titles = lines.into_iter().map(|(id, line)| (id, line.title));
        let titles = titles.collect();
        let period = Period {
            base: self.base.clone(),
            days: since..=today,
            by: chart,
            measure,
            titles,
        };
        Ok(OverallView {
            days,
            everybody,
            html: compute(move || overall_html(&report, &period)).await?,
        })
    }
}
