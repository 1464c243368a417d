//! Messages, and notices of each tone.

use super::{group, row, view_of};
use crate::{
    conversation::{Actor, Kind, Tone},
    render::{Block, CardView, ChipsView, MessageView, NoticeView, markdown_html},
};
use leptos::prelude::*;

const REPLY: &str = "## The parser\n\nIt reads **one token** at a time, as the [grammar](https://example.com) says:\n\n- \
                     [x] words\n- [ ] numbers such as `0x2a`\n\n```rust\nfn next(&mut self) -> Option<Token> {\n    \
                     self.tokens.pop()\n}\n```\n\n> A quotation.\n\n| token | count |\n|---|---|\n| word | 3 |\n";

/// Messages of everybody, and those that are on their way.
pub(super) fn messages(first: i64) -> AnyView {
    let said = |text: &str| MessageView {
        html: markdown_html(text),
        text: text.to_owned(),
        ..MessageView::default()
    };
    let asked = MessageView {
        files: vec!["notes.txt".to_owned()],
        recall: ChipsView {
            chips: vec!["testing".to_owned()],
            knowledge: vec![(
                "testing".to_owned(),
                "test".to_owned(),
                markdown_html("Run the tests before you finish."),
            )],
        },
        ..said("Please repair the parser, and test it.")
    };
    let replied = MessageView {
        reasoning: markdown_html("The person wants a list."),
        ..said(REPLY)
    };
    let hooked = said("The hook allowed this.");
    let messages = [
        (Actor::Human, asked),
        (Actor::Agent, replied),
        (Actor::Hook, hooked),
    ];
    let messages = (first..).zip(messages).map(|(id, (from, message))| {
        row(
            view_of(id, from, Kind::Message, CardView::Message(message)),
            false,
        )
    });
    group("Messages", messages.collect_view())
}

/// A notice and a remark of each tone, and injected context.
pub(super) fn notices(first: i64) -> AnyView {
    let tones = [Tone::Info, Tone::Good, Tone::Warning, Tone::Bad];
    let notices = (first..).zip(tones).map(|(id, tone)| {
        let text = "A remark says more about it.".to_owned();
        let notice = NoticeView {
            tone,
            title: "What happened".to_owned(),
            html: markdown_html("The details, with a `name`."),
            blocks: vec![Block::Remark { tone, text }],
            remedy: None,
        };
        let card = CardView::Notice(notice);
        row(view_of(id, Actor::Environment, Kind::Other, card), false)
    });
    group("Notices and remarks", notices.collect_view())
}
