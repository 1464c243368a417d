//! Renders rows of the journal for pages.

use super::HubResult;
use super::support::compute;
use crate::conversation::Row;
use crate::journal::{AppendedRows, Author, Journal};
use crate::render::{CardView, Limits, RowView, StepState, render_row, render_step_in_full};
use std::collections::HashMap;

/// Bytes of JSON from which on rows are rendered on another thread: it takes longer than getting there.
const LIGHT: usize = 2 << 10;

type Rendered = HubResult<Vec<RowView>>;

/// Renders rows on other threads.
#[derive(Clone)]
pub(super) struct Renderer {
    journal: Journal,
    /// The path that pages live under, ending in `/`: addresses of pictures begin with it.
    base: String,
}

impl Renderer {
    pub(super) fn new(journal: Journal, base: &str) -> Self {
        let base = base.to_owned();
        Self { journal, base }
    }

    /// Rows as a timeline shows them, with their authors.
    pub(super) async fn rows(&self, conversation: &str, rows: Vec<Row>) -> Rendered {
        let ids = rows.iter().map(|row| row.id).collect();
        let authors = self.journal.authors(conversation, ids).await?;
        compute(self.rendering(conversation, rows, authors)).await
    }

    /// Rows that an append has changed, as a timeline shows them.
    pub(super) async fn appended(&self, conversation: &str, changed: AppendedRows) -> Rendered {
        let rendering = self.rendering(conversation, changed.rows, changed.authors);
        match changed.weight <= LIGHT {
            true => Ok(rendering()),
            false => compute(rendering).await,
        }
    }

    fn rendering(
        &self,
        conversation: &str,
        rows: Vec<Row>,
        mut authors: HashMap<i64, Author>,
    ) -> impl FnOnce() -> Vec<RowView> + Send + use<> {
        let (id, limits) = (conversation.to_owned(), Limits::short(&self.base));
        let render = move |row: &Row| {
            let view = render_row(row, &id, &limits);
            match authors.remove(&row.id) {
                Some(author) => signed(view, author),
                None => view,
            }
        };
        move || rows.iter().map(render).collect()
    }

    /// Rows of a pending approval, as its card shows them.
    pub(super) async fn asked(&self, conversation: &str, rows: Vec<Row>) -> Rendered {
        let id = conversation.to_owned();
        let limits = Limits::asked(&self.base, rows.len());
        let render = move |row: &Row| render_row(row, &id, &limits);
        compute(move || rows.iter().map(render).collect()).await
    }

    /// A row in full, with its author.
    pub(super) async fn whole_row(&self, id: &str, row: Row) -> HubResult<Option<RowView>> {
        let row_id = row.id;
        let view = self.whole(id, vec![row]).await?.pop();
        let author = self.journal.authors(id, vec![row_id]).await?;
        let author = author.into_values().next();
        Ok(match (view, author) {
            (Some(view), Some(author)) => Some(signed(view, author)),
            (view, _) => view,
        })
    }

    /// Rows with all that they hold.
    pub(super) async fn whole(&self, conversation: &str, rows: Vec<Row>) -> Rendered {
        let (id, base) = (conversation.to_owned(), self.base.clone());
        let render = move |row: &Row| render_step_in_full(row, &id, &base);
        compute(move || rows.iter().map(render).collect()).await
    }
}

/// A row with its author. The time that it waited for a person is not a part of its run.
fn signed(mut row: RowView, author: Author) -> RowView {
    if let CardView::Step(step) = &mut row.card
        && step.state != StepState::Waiting
        && let Some(waited) = author.waited
    {
        step.waited = Some(waited);
        // What took less was carried out before the answer.
        let worked = |took: i64| if took < waited { took } else { took - waited };
        step.took = step.took.map(worked);
        if step.state == StepState::Rejected && !author.unanswered.is_empty() {
            // It says how long it waited, and nobody has given a reason.
            (step.waited, step.reason) = (None, author.unanswered.clone());
        }
    }
    row.by_rule = author.by_rule;
    row.amended = author.amended;
    row.touched = author.touched;
    row.by = Some(author.names()).filter(|name| !name.is_empty());
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::RowContext;
    use crate::journal::tests::sample::{prints, reader, runs};

    #[test]
    fn the_time_that_a_step_waits_for_a_person_is_not_a_part_of_its_run() {
        let events = [runs(2, "make"), prints(30, 2, "done")];
        let items = events.iter().map(|event| reader(&event.to_string()));
        let items: Vec<_> = (1..).zip(items).collect();
        let row = Row::fold(&items, RowContext::default()).expect("it is a row");
        let view = render_row(&row, "c", &Limits::short("/"));
        for (waited, took) in [(15_000, 13_000), (60_000, 28_000)] {
            let author = Author {
                name: "alan".to_owned(),
                waited: Some(waited),
                by_rule: false,
                first: String::new(),
                amended: false,
                unanswered: String::new(),
                touched: false,
            };
            let row = signed(view.clone(), author);
            assert_eq!(row.by.as_deref(), Some("alan"));
            let CardView::Step(step) = row.card else {
                panic!("it is a step")
            };
            assert_eq!((step.waited, step.took), (Some(waited), Some(took)));
        }
    }
}
