//! Rows of the timeline as the page shows them.
//!
//! A row travels to every phone that watches, so it is kept small: each block holds what fits on a
//! screen or two and says when there is more. What waits for a person's answer is shown whole.

use super::{CardView, ChipsView, Html, MessageView, RowView, markdown, markdown_html, picture};
use crate::conversation::{Card, Message, Recall, Row};

mod call;
mod cut;
mod notice;
mod result;
mod step;
mod words;

pub use notice::{notice_in_words, unknown_json};

/// How much of a row is rendered. Sizes are in bytes of the text that goes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// What every address of a picture begins with: the path that Handrail is served under, with a
    /// slash at its end.
    pub base: String,
    /// Lines of terminal output.
    pub terminal_lines: usize,
    /// Lines of code, JSON or of a file.
    pub code_lines: usize,
    /// Lines of a diff.
    pub diff_lines: usize,
    /// Bytes of one block.
    pub block_bytes: usize,
    /// Bytes of one message, thought or summary.
    pub prose_bytes: usize,
    /// Bytes of a command or a change that waits for an answer, in place of `block_bytes`; its lines
    /// are not limited.
    pub waiting_bytes: usize,
}

impl Limits {
    /// What a timeline shows.
    pub fn short(base: &str) -> Self {
        Self {
            base: base.to_owned(),
            terminal_lines: 40,
            code_lines: 60,
            diff_lines: 120,
            block_bytes: 16 << 10,
            prose_bytes: 16 << 10,
            waiting_bytes: 64 << 10,
        }
    }

    /// Whether nothing is left out for the sake of a small row.
    fn is_full(&self) -> bool {
        self.code_lines > 1000
    }

    /// What "show all" shows: everything, up to what a browser can bear.
    pub fn full(base: &str) -> Self {
        Self {
            base: base.to_owned(),
            terminal_lines: 200_000,
            code_lines: 200_000,
            diff_lines: 50_000,
            block_bytes: 5 << 20,
            prose_bytes: 1 << 20,
            waiting_bytes: 5 << 20,
        }
    }
}

/// Renders a row. `conversation` is the id that the addresses of its pictures carry.
pub fn render_row(row: &Row, conversation: &str, limits: &Limits) -> RowView {
    let place = Place {
        conversation,
        limits,
    };
    let card = match &row.card {
        Card::Message { seq, message } => CardView::Message(place.message(*seq, message)),
        Card::Call(call) => CardView::Step(step::step(&place, row.at, call)),
        Card::Orphan(execution) => CardView::Step(step::orphan(&place, execution)),
        Card::System(prompt) => CardView::Step(step::system(&place, prompt)),
        Card::Recall(recall) => CardView::Chips(place.recall(recall)),
        card => CardView::Notice(notice::notice(&place, card)),
    };
    RowView {
        id: row.id,
        pos: row.pos,
        seq: row.seq,
        at: row.at,
        from: row.from,
        by: None,
        kind: row.kind(),
        card,
    }
}

/// Renders a row with all that it holds, for "show all". Still bounded: see [`Limits::full`].
pub fn render_step_in_full(row: &Row, conversation: &str, base: &str) -> RowView {
    render_row(row, conversation, &Limits::full(base))
}

/// Where a row is rendered to.
struct Place<'a> {
    conversation: &'a str,
    limits: &'a Limits,
}

impl Place<'_> {
    /// The address of the n-th picture of an event.
    fn image(&self, seq: i64, number: usize) -> String {
        let base = &self.limits.base;
        format!(
            "{base}c/{}/event/{seq}/image/{number}",
            percent_encoded(self.conversation)
        )
    }

    /// Markdown within the limit; says whether there is more.
    fn prose(&self, text: &str) -> (Html, bool) {
        let (kept, cut) = cut::to_bytes(text, self.limits.prose_bytes);
        (markdown_html(kept), cut)
    }

    fn message(&self, seq: i64, message: &Message) -> MessageView {
        /// A longer text is not sent a second time for the copy button.
        const COPY_BYTES: usize = 4 << 10;
        let (html, cut) = self.prose(&message.text);
        let (reasoning, more) = self.prose(&message.reasoning);
        // Only what came along is shown; a picture elsewhere stays an address.
        let (images, elsewhere): (Vec<_>, Vec<_>) = message
            .images
            .iter()
            .enumerate()
            .partition(|(_, image)| picture::begins_as_picture(image));
        let elsewhere = elsewhere.into_iter().map(|(_, address)| {
            if address.starts_with("data:") {
                "a picture that cannot be shown"
            } else {
                address.as_str()
            }
        });
        let paths = message.files.iter().map(String::as_str).chain(elsewhere);
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
            files: paths
                .map(|path| super::hidden::plain_line(path, 300))
                .collect(),
            reasoning,
            recall: self.recall(&message.recall),
            cut: cut || more,
        }
    }

    fn recall(&self, recall: &Recall) -> ChipsView {
        let line = |text: &str| super::hidden::plain_line(text, 120);
        let knowledge = recall.knowledge.iter().map(|known| {
            let (html, cut) = self.prose(&known.content);
            let html = if cut {
                html + &markdown::plain_html("…")
            } else {
                html
            };
            (line(&known.name), line(&known.trigger), html)
        });
        ChipsView {
            chips: recall.chips.iter().map(|chip| line(chip)).collect(),
            knowledge: knowledge.collect(),
        }
    }
}

/// Upstream chose the id; in an address it is one segment and nothing else.
fn percent_encoded(segment: &str) -> String {
    let mut out = String::with_capacity(segment.len());
    for byte in segment.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests;
