//! Output of a terminal.

use super::more::MoreLink;
use crate::render::Html;
use leptos::prelude::*;

/// Output of a terminal, the first `shown` of its `lines`. `more`: the row that has all of it.
#[component]
pub(super) fn TerminalBlock(
    html: Html,
    lines: u32,
    shown: u32,
    more: Option<i64>,
) -> impl IntoView {
    let label = match (shown, lines) {
        (shown, lines) if shown < lines => format!("Output: {shown} of {lines} lines"),
        (_, 1) => "Output: 1 line".to_owned(),
        (_, lines) => format!("Output: {lines} lines"),
    };
    view! {
        <figure class="block block-terminal">
            <figcaption class="block__head">
                <span class="block__label number">{label}</span>
            </figcaption>
            <pre class="block__body">
                <code inner_html=html></code>
            </pre>
            <MoreLink row=more />
        </figure>
    }
    .into_any()
}
