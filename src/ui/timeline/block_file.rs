//! Lines of a file, with their numbers.

use super::more::MoreLink;
use crate::render::FileView;
use leptos::prelude::*;

/// Lines of a file. `row`: the row that it belongs to, for "Show all".
#[component]
pub fn FileBlock(view: FileView, row: Option<i64>) -> impl IntoView {
    let more = row.filter(|_| view.cut);
    let shown = view.lines.len();
    let part = (shown < view.total as usize).then(|| format!("{shown} of {} lines", view.total));
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

/// Lines can be linked to in the file viewer only: in a timeline the same file is there many times.
fn anchor(row: Option<i64>, number: u32) -> Option<String> {
    row.is_none().then(|| format!("L{number}"))
}
