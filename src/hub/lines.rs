//! The lines of the list in the journal: written after each change, and made again where a process has left them outdated.

use super::list::sight;
use super::support::A_MOMENT;
use super::{HubError, HubResult, List, Tasks, lock, view};
use crate::journal::{Line, LineFilter, LineOrder};
use crate::live::ConversationSummary;
use crate::people::Caller;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// Changes of lines are written together: pause between two times.
const WRITTEN_EVERY: Duration = Duration::from_millis(100);
/// Outdated lines that are made in one transaction.
const SLICE: u32 = 500;
/// Outdated lines that a start waits for; an older journal has one for each conversation.
const AT_START: usize = 2_000;

impl List {
    /// The newest conversations that a caller may see, at most `limit`.
    pub(super) async fn newest_lines(
        &self,
        by: &Caller,
        limit: u32,
    ) -> HubResult<Vec<ConversationSummary>> {
        let Some(sight) = sight(by) else {
            return Ok(Vec::new());
        };
        self.lines_written().await;
        let all = LineFilter::default();
        let lines = self
            .journal
            .lines(sight, all, LineOrder::Change, (None, limit));
        Ok(self.summaries(lines.await?))
    }

    /// The lines of these conversations, by id; unknown ones are left out.
    pub(super) async fn lines_of(
        &self,
        ids: Vec<String>,
    ) -> HubResult<HashMap<String, ConversationSummary>> {
        self.lines_written().await;
        let lines = self.summaries(self.journal.lines_of(ids).await?);
        Ok(lines.into_iter().map(|one| (one.id.clone(), one)).collect())
    }

    /// The line of a conversation, if it is listed.
    pub(super) async fn line_of(&self, id: &str) -> HubResult<Option<ConversationSummary>> {
        if let Some(known) = lock(&self.recent).lines.get(id) {
            return Ok(Some(known.summary.clone()));
        }
        let lines = self.journal.lines_of(vec![id.to_owned()]).await?;
        Ok(self.summaries(lines).pop())
    }

    /// Makes the lines again that a former process has left outdated. A journal of an older version has no lines: the
    /// newest are made at once, the others in the background.
    pub(super) async fn make_lines(self: &Arc<Self>, tasks: &Tasks) {
        let mut made = 0;
        while made < AT_START {
            match self.make_some_lines().await {
                Ok(0) => return,
                Ok(some) => made += some,
                Err(error) => return incomplete(&error),
            }
        }
        let list = Arc::clone(self);
        tasks.until_stopped(async move {
            loop {
                match list.make_some_lines().await {
                    Ok(0) => return,
                    Ok(_) => sleep(WRITTEN_EVERY).await,
                    Err(error) => return incomplete(&error),
                }
            }
        });
    }

    /// Makes some outdated lines; returns how many.
    async fn make_some_lines(&self) -> HubResult<usize> {
        let _one_at_a_time = self.writing.lock().await;
        let mut outdated = self.journal.unlined(SLICE).await?;
        // An import under way is known to nobody.
        outdated.retain(|known| self.sharings.knows(&known.meta.id));
        let count = outdated.len();
        let lines = outdated.iter().map(|known| {
            let mut summary = view::summary(known);
            summary.creator = self.sharings.of(&summary.id).creator;
            view::line(&summary, Some(known.seq))
        });
        let mut lines: Vec<Line> = lines.collect();
        let newer = |line: &mut Line| {
            let recent = lock(&self.recent);
            // What is in memory is newer; its mark goes, so that this comes to an end.
            if let Some(known) = recent.lines.get(&line.id) {
                *line = view::line(&known.summary, line.seq);
            }
        };
        lines.iter_mut().for_each(newer);
        self.journal.keep_lines(lines).await?;
        Ok(count)
    }

    /// Reads lines. Their creator is who it is now.
    pub(super) fn summaries(
        &self,
        lines: impl IntoIterator<Item = String>,
    ) -> Vec<ConversationSummary> {
        let read = |line: String| match serde_json::from_str::<ConversationSummary>(&line) {
            Ok(summary) => Some(ConversationSummary {
                creator: self.sharings.of(&summary.id).creator,
                ..summary
            }),
            Err(error) => {
                tracing::warn!(%error, "a line of the list cannot be read; it is left out");
                None
            }
        };
        lines.into_iter().filter_map(read).collect()
    }

    /// Writes changed lines to the journal, as long as this is polled.
    pub(super) async fn keep_lines_written(&self) {
        loop {
            self.changed.notified().await;
            self.write_lines().await;
            sleep(WRITTEN_EVERY).await;
        }
    }

    /// Waits until changed lines are in the journal, but not for a slow disk.
    pub(super) async fn lines_written(&self) {
        let _ = timeout(A_MOMENT, self.write_lines()).await;
    }

    /// Writes changed lines to the journal. Those that could not be written are written with the next ones.
    pub(super) async fn write_lines(&self) {
        let _one_at_a_time = self.writing.lock().await;
        let unwritten = lock(&self.recent).unwritten();
        if unwritten.is_empty() {
            return;
        }
        let written = unwritten
            .iter()
            .map(|(number, line)| (*number, line.id.clone()));
        let written: Vec<_> = written.collect();
        let lines = unwritten.into_iter().map(|(_, line)| line).collect();
        match self.journal.keep_lines(lines).await {
            Ok(()) => {
                let mut recent = lock(&self.recent);
                for (number, id) in written {
                    recent.written(number, &id);
                }
                recent.forget_old();
            }
            Err(error) => tracing::warn!(%error, "the list could not be written"),
        }
    }
}

fn incomplete(error: &HubError) {
    tracing::warn!(%error, "the list could not be completed; it is continued at the next start");
}
