//! Excerpts of rows for search results: plain text, without markup.

use super::{CardView, RowView, markdown::plain_text};
use crate::conversation::{Card, Row, Tool};

/// Length of an excerpt in characters: two or three lines.
const EXCERPT: usize = 240;

/// The view of a row, reduced to what a search result shows: an excerpt instead of the whole text of a message, and as
/// the subject of a final step.
pub fn excerpted(row: &Row, mut view: RowView) -> RowView {
    match (&mut view.card, &row.card) {
        (CardView::Message(shown), Card::Message { message, .. }) => {
            shown.text = plain_text(&message.text, EXCERPT);
            shown.html.clear();
            shown.reasoning.clear();
        }
        (CardView::Step(step), Card::Call(call)) => {
            if let Tool::Finish { text } | Tool::Decline { text } | Tool::Think { text } =
                &call.call.tool
            {
                step.subject = plain_text(text, EXCERPT);
            }
            step.blocks.clear();
        }
        (CardView::Chips(shown), _) => {
            shown.knowledge.clear();
            shown.chips.truncate(6);
        }
        _ => {}
    }
    view
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        conversation::{Actor, Message},
        render::{Limits, render_row},
    };

    #[test]
    fn a_message_is_found_without_its_markup() {
        let message = Message {
            text: format!("## Plan\n\n- **one** `two`\n\n{}", "word ".repeat(2000)),
            ..Message::default()
        };
        let row = Row {
            id: 1,
            pos: 1,
            seq: 1,
            at: 0,
            from: Actor::Agent,
            card: Card::Message { seq: 1, message },
        };
        let view = excerpted(&row, render_row(&row, "c", &Limits::short("/")));
        let CardView::Message(shown) = view.card else {
            panic!("it is a message")
        };
        assert!(
            shown.text.starts_with("Plan one two word word"),
            "{}",
            shown.text
        );
        assert_eq!(shown.text.chars().count(), EXCERPT + 1);
    }
}
