//! What is new in a conversation since its reader left.

use super::{HubResult, Reader, compute, known, permit, view};
use crate::conversation::since;
use crate::journal::Author;
use crate::live::{ConversationView, SinceView};
use crate::render::{New, since_html, since_in_words};

/// Rows that are read: some thousands of events.
const MOST: u32 = 1_000;
/// So few new rows are read without a summary.
const HANDFUL: usize = 5;
/// So many new rows fit on a screen.
const NEAR: usize = 12;

impl Reader {
    /// What is new since the event `since`; `None` if that is a handful.
    pub(super) async fn new_since(
        &self,
        view: &ConversationView,
        since_seq: i64,
    ) -> HubResult<Option<SinceView>> {
        if view.seq.saturating_sub(since_seq) <= HANDFUL as i64 {
            return Ok(None);
        }
        let _drawing = permit(&self.drawing).await;
        let new = self.journal.new_rows(&view.id, since_seq, MOST).await?;
        let Some((new, (pos, row))) = new.and_then(|new| {
            let first = new.first.filter(|_| new.count > HANDFUL)?;
            Some((new, first))
        }) else {
            return Ok(None);
        };
        let rows = new.rows.iter().map(|row| row.id).collect();
        let authors = self.journal.authors(&view.id, rows).await?.into_iter();
        let answered = authors.filter(|(_, author)| author.waited.is_some());
        let named = |author: Author| match (author.by_rule, author.amended) {
            _ if !author.unanswered.is_empty() => "a deadline".to_owned(),
            (true, _) => format!("a rule of {}", author.name),
            (false, true) => format!("an amendment of {}", author.name),
            (false, false) => author.names(),
        };
        let answered = answered.map(|(row, author)| (row, named(author))).collect();
        let known = known(&self.journal, &view.id).await?;
        let told = New {
            stuck: view::stuck_now(&known.session, &view.session.status, None),
            cost: new.cost,
            count: new.count,
            is_whole: new.is_whole,
        };
        let count = since_in_words(&told);
        let is_far = told.count > NEAR;
        let html = compute(move || since_html(&since(&new.rows, &answered), &told)).await?;
        Ok(Some(SinceView {
            pos,
            row,
            count,
            is_far,
            html,
        }))
    }
}
