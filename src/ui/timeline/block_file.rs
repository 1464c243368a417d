//! Lines of a file, with line numbers.

use super::{more::MoreLink, text};
use crate::render::FileView;
use leptos::prelude::*;

/// Lines of a file. `row` is the row that contains them, for "Show all".
#[component]
pub fn FileBlock(view: FileView, row: Option<i64>) -> impl IntoView {
    let more = row.filter(|_| view.cut);
    let shown = view.lines.len();
    let part = (shown < view.total as usize).then(|| text::lines_shown(shown, view.total));
    let lines = (view.first..).zip(view.lines).map(|(number, html)| {
        view! {
            <div class="line" id=anchor(row, number)>
                <span class="line__number">{number}</span>
                <code class="line__text" inner_html=html></code>
            </div>
        }
    });
    view! {
        <figure class="block block-file">
            <figcaption class="block__head">
                <span class="block__label mono">{view.path}</span>
                {part.map(|part| view! { <span class="muted number">{part}</span> })}
            </figcaption>
            <div class="block__body">{lines.collect_view()}</div>
            <MoreLink row=more />
        </figure>
    }
    .into_any()
}

/// The anchor of a line, in the file viewer only: on the timeline the same file may occur several times.
fn anchor(row: Option<i64>, number: u32) -> Option<String> {
    row.is_none().then(|| format!("L{number}"))
}
