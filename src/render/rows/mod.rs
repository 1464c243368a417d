//! Rows of the timeline, as shown on the page.
//!
//! A row is sent to every viewer, phones included, so it is kept small: each block holds a screen or two and states
//! whether there is more. Actions that need approval are shown in full. Whatever an agent produced, the HTML and the
//! number of pieces of a row are bounded; everything beyond is in the JSON of its events.

use super::view::AROUND;
use super::{
    Block, CardView, ChipsView, Html, MessageView, RowView, markdown, markdown_html, picture, text,
};
use crate::conversation::{Actor, Card, Message, Recall, Row};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

mod call;
mod cut;
mod limits;
mod notice;
mod numbered;
mod result;
mod step;
mod words;

pub use limits::Limits;
pub use notice::{notice_in_words, reason_in_words};
pub use words::tool_in_words;

/// Renders a row. `conversation` is the id for the URLs of its images.
pub fn render_row(row: &Row, conversation: &str, limits: &Limits) -> RowView {
    let place = Place {
        conversation,
        limits,
        room: Cell::new(limits.row_bytes),
    };
    let card = unless_it_panics(|| card(row, &place));
    RowView {
        id: row.id,
        pos: row.pos,
        seq: row.seq,
        at: row.at,
        from: row.from,
        by: None,
        by_rule: false,
        amended: false,
        touched: false,
        kind: row.kind(),
        card,
    }
}

/// A fault in the rendering of one row costs that row alone. The hook for panics has reported it.
fn unless_it_panics(card: impl FnOnce() -> CardView) -> CardView {
    let card = catch_unwind(AssertUnwindSafe(card));
    card.unwrap_or_else(|_| CardView::Notice(notice::not_shown()))
}

fn card(row: &Row, place: &Place<'_>) -> CardView {
    match &row.card {
        Card::Message { seq, message } => CardView::Message(place.message(*seq, row.from, message)),
        Card::Call(call) => CardView::Step(step::step(place, row.at, call)),
        Card::Orphan(execution) => CardView::Step(step::orphan(place, execution)),
        Card::System(prompt) => CardView::Step(step::system(place, prompt)),
        Card::Recall(recall) => CardView::Chips(place.recall(recall)),
        card => CardView::Notice(notice::notice(place, card)),
    }
}

/// Renders a row in full, for "show all". Still bounded: see [`Limits::full`].
pub fn render_step_in_full(row: &Row, conversation: &str, base: &str) -> RowView {
    render_row(row, conversation, &Limits::full(base))
}

/// Whether no block of the rendered row is truncated.
pub fn is_whole(row: &RowView) -> bool {
    let blocks = match &row.card {
        CardView::Step(step) => &step.blocks,
        CardView::Notice(notice) => &notice.blocks,
        CardView::Message(_) | CardView::Chips(_) => return true,
    };
    !blocks.iter().any(|block| match block {
        Block::Code { cut, .. } | Block::Terminal { cut, .. } | Block::Json { cut, .. } => *cut,
        Block::File(file) => file.cut,
        Block::Diff(diff) => diff.cut,
        Block::Remark { text, .. } => text == text::longer(),
        Block::Image { .. } | Block::Prose(_) | Block::Tasks(_) => false,
    })
}

/// Context for rendering one row.
struct Place<'a> {
    conversation: &'a str,
    limits: &'a Limits,
    /// Bytes of HTML left for the row.
    room: Cell<usize>,
}

/// What is encoded in an id, which comes from upstream and must stay a single path segment.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_');

/// Maximum bytes of HTML per byte of plain text: a hidden character becomes a mark with its name.
const HEAVIEST: usize = 80;

impl Place<'_> {
    /// The URL of the n-th image of an event.
    fn image(&self, seq: i64, number: usize) -> String {
        let base = &self.limits.base;
        format!(
            "{base}c/{}/event/{seq}/image/{number}",
            utf8_percent_encode(self.conversation, ENCODED)
        )
    }

    /// The HTML of a text within the row's remaining budget, and the part of the text that it covers.
    fn fitting<'t>(&self, text: &'t str, html: impl Fn(&str) -> Html) -> (Html, &'t str) {
        let room = self.room.get();
        let mut kept = cut::to_bytes(text, room).0;
        let mut made = html(kept);
        // About as much of the text as fits, then what fits in any case.
        for _ in 0..2 {
            if made.len() > room {
                let fits = kept.len().saturating_mul(room) / made.len();
                kept = cut::to_bytes(kept, fits - fits / 8).0;
                made = html(kept);
            }
        }
        if made.len() > room {
            kept = cut::to_bytes(kept, room / HEAVIEST).0;
            made = html(kept);
        }
        if made.len() > room {
            (kept, made) = ("", Html::new());
        }
        self.room.set(room - made.len());
        (made, kept)
    }

    /// Reserves bytes of the budget; `false` if there are not enough.
    fn takes(&self, bytes: usize) -> bool {
        let left = self.room.get().checked_sub(bytes);
        self.room.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Markdown within the limit; returns whether it is truncated.
    fn prose(&self, text: &str) -> (Html, bool) {
        self.prose_as(text, markdown_html)
    }

    fn prose_as(&self, text: &str, render: fn(&str) -> Html) -> (Html, bool) {
        let (wanted, cut) = cut::to_bytes(text, self.limits.prose_bytes);
        let (mut html, mut kept) = self.fitting(wanted, render);
        if kept.is_empty() && !wanted.is_empty() {
            // Tables and the like need more HTML than any other text.
            (html, kept) = self.fitting(wanted, markdown::plain_html);
        }
        (html, cut || kept.len() < wanted.len())
    }

    /// As many items as the budget allows, and the number of those left out.
    fn some<T, U>(
        &self,
        all: &[T],
        weight: impl Fn(&U) -> usize,
        show: impl Fn(&T) -> U,
    ) -> (Vec<U>, usize) {
        let mut shown = Vec::new();
        for one in all.iter().take(self.limits.pieces) {
            let one = show(one);
            if !self.takes(AROUND + weight(&one)) {
                break;
            }
            shown.push(one);
        }
        let more = all.len() - shown.len();
        (shown, more)
    }

    fn message(&self, seq: i64, from: Actor, message: &Message) -> MessageView {
        /// Longest text that is sent a second time for the copy button, in bytes.
        const COPY_BYTES: usize = 4 << 10;
        let (html, cut) = match from {
            Actor::Human => self.prose_as(&message.text, markdown::typed_html),
            _ => self.prose(&message.text),
        };
        let (reasoning, more) = self.prose(&message.reasoning);
        // Only embedded images are shown; external images stay links.
        let (images, elsewhere): (Vec<_>, Vec<_>) = message
            .images
            .iter()
            .take(self.limits.pieces)
            .enumerate()
            .partition(|(_, image)| picture::begins_as_picture(image));
        let elsewhere = elsewhere.into_iter().map(|(_, address)| {
            if address.starts_with("data:") {
                text::attached_image_unreadable()
            } else {
                address.as_str()
            }
        });
        let paths: Vec<&str> = message
            .files
            .iter()
            .map(String::as_str)
            .chain(elsewhere)
            .collect();
        let line = |path: &&str| super::hidden::plain_line(path, 300);
        let (mut files, more_files) = self.some(&paths, String::len, line);
        let more_images = message.images.len().saturating_sub(self.limits.pieces);
        files.extend(and_more(more_files + more_images));
        MessageView {
            html,
            text: if message.text.len() <= COPY_BYTES {
                message.text.clone()
            } else {
                String::new()
            },
            images: images
                .into_iter()
                .map(|(number, _)| self.image(seq, number))
                .collect(),
            files,
            reasoning,
            recall: self.recall(&message.recall),
            cut: cut || more,
        }
    }

    fn recall(&self, recall: &Recall) -> ChipsView {
        let line = |text: &str| super::hidden::plain_line(text, 120);
        let (mut chips, more) = self.some(&recall.chips, String::len, |chip| line(chip));
        chips.extend(and_more(more));
        let head = |known: &(String, String, Html)| known.0.len() + known.1.len();
        let (mut knowledge, more) = self.some(&recall.knowledge, head, |known| {
            let (html, cut) = self.prose(&known.content);
            let html = if cut {
                html + &markdown::plain_html("…")
            } else {
                html
            };
            (line(&known.name), line(&known.trigger), html)
        });
        knowledge.extend(and_more(more).map(|more| (more, String::new(), Html::new())));
        ChipsView { chips, knowledge }
    }
}

/// The text for items left out, if any.
fn and_more(more: usize) -> Option<String> {
    (more > 0).then(|| text::and_more(super::grouped(more as u64)))
}

#[cfg(test)]
mod tests;
