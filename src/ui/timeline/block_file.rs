//! Lines of a file, with line numbers.

use super::{more::MoreLink, text};
use crate::render::FileView;
use leptos::prelude::*;

/// Lines of a file; an empty path is said elsewhere. `row` is the row that contains them, for "Show all".
#[component]
pub fn FileBlock(view: FileView, row: Option<i64>) -> impl IntoView {
    let more = row.filter(|_| view.cut);
    let shown = view.lines.len();
    let part = (shown < view.total as usize).then(|| text::lines_shown(shown, view.total));
    let lines = (view.first..).zip(view.lines).map(|(number, html)| {
        view! { <code class="line" data-n=number id=anchor(row, number) inner_html=html></code> }
    });
    let path = (!view.path.is_empty())
        .then(|| view! { <span class="block__label mono">{view.path}</span> });
    let head = (path.is_some() || part.is_some()).then(|| {
        view! {
            <figcaption class="block__head">
                {path} {part.map(|part| view! { <span class="muted number">{part}</span> })}
            </figcaption>
        }
    });
    let lines = lines.collect_view();
    if head.is_none() && more.is_none() {
        return any_view! { <div class="block block-file block__body">{lines}</div> };
    }
    any_view! {
        <figure class="block block-file">
            {head} <div class="block__body">{lines}</div> <MoreLink row=more />
        </figure>
    }
}

/// The anchor of a line, in the file viewer only: on the timeline the same file may occur several times.
fn anchor(row: Option<i64>, number: u32) -> Option<String> {
    row.is_none().then(|| format!("L{number}"))
}
