//! All commands in order, as in a terminal.

use super::entry::{RowLink, Shown};
use super::family::{Family, Rows, each};
use super::panel::Frame;
use super::text;
use crate::conversation::Kind;
use crate::render::{Block, RowView};
use crate::ui::parts::{CopyButton, Time, span};
use crate::ui::timeline::BlockView;
use leptos::html;
use leptos::prelude::*;

/// Within this distance of the end, in pixels, the panel scrolls along with new output.
const NEAR_THE_END: i32 = 120;

const COMMANDS: Family = Family {
    kind: Kind::Shell,
    panel: "terminal",
    empty: (text::no_commands, text::no_commands_hint),
};

/// The commands of the conversation.
#[component]
pub fn TerminalPanel() -> impl IntoView {
    view! {
        <Frame title=text::terminal()>
            <Rows family=COMMANDS show=console/>
        </Frame>
    }
}

fn console(rows: Memo<Vec<RowView>>) -> AnyView {
    let end = NodeRef::<html::Div>::new();
    Effect::new(move |before: Option<()>| {
        rows.track();
        let Some(end) = end.get() else {
            return;
        };
        if let Ok(Some(scroller)) = end.closest(".panel__body") {
            let below = scroller.scroll_height() - scroller.scroll_top() - scroller.client_height();
            if before.is_none() || below < NEAR_THE_END {
                scroller.set_scroll_top(scroller.scroll_height());
            }
        }
    });
    any_view! {
        <div class="console">{each(rows, |shown| any_view! { <Command shown/> })}</div>
        <div node_ref=end></div>
    }
}

#[component]
fn Command(shown: Shown) -> impl IntoView {
    let line = any_view! { <RowLink shown=shown.clone() class="console__command"/> };
    entry(shown, line)
}

/// A command of a replay, whose timeline has no addresses for rows.
#[component]
pub fn StillCommand(shown: Shown) -> impl IntoView {
    let line = view! { <span class="console__command">{shown.step.subject.clone()}</span> };
    entry(shown, line.into_any())
}

/// A command with its output; `line` is its heading.
fn entry(shown: Shown, line: AnyView) -> AnyView {
    let outcome = shown.outcome();
    let (id, at, took) = (shown.row.id, shown.row.at, shown.step.took);
    let command = command(&shown.step.blocks).unwrap_or_else(|| shown.step.subject.clone());
    let blocks = shown
        .step
        .blocks
        .iter()
        .filter(|block| worth_showing(block))
        .cloned();
    let blocks = blocks
        .map(|block| view! { <BlockView block row=Some(id)/> })
        .collect_view();
    any_view! {
        <section class="console__entry">
            <div class="console__head">
                {line}
                <CopyButton text=command/>
            </div>
            {blocks}
            <p class="console__outcome muted number">
                {outcome} " " {took.map(span)} " " <Time at/>
            </p>
        </section>
    }
}

/// The full command, with all its lines.
fn command(blocks: &[Block]) -> Option<String> {
    blocks.iter().find_map(|block| match block {
        Block::Code { text, .. } if !text.is_empty() => Some(text.clone()),
        _ => None,
    })
}

/// Whether the block adds anything: a one-line command is already the text of the link.
fn worth_showing(block: &Block) -> bool {
    match block {
        Block::Code {
            text, hidden, cut, ..
        } => *hidden || *cut || text.trim_end().contains('\n'),
        _ => true,
    }
}
