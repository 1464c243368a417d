//! Terminal output.

use super::{more::MoreLink, text};
use crate::render::Html;
use leptos::prelude::*;

/// A step of the timeline shows this many lines of its output at first (the style sheet has the same number).
const FEW: u32 = 6;
/// More lines than a shortened row has: longer output was requested in full, so all of it is shown at once.
const SHORT: u32 = 40;

/// Terminal output, the first `shown` of its `lines`. `more` is the row with the full output.
#[component]
pub(super) fn TerminalBlock(
    html: Html,
    lines: u32,
    shown: u32,
    more: Option<i64>,
) -> impl IntoView {
    let label = if shown < lines {
        text::output_shown(shown, lines)
    } else {
        text::output(lines as usize)
    };
    // All of it is here: a step shows the rest on demand. Of what is truncated "Show all" brings the rest.
    let is_whole = shown == lines && more.is_none();
    let open = shown > SHORT;
    let rest = (is_whole && shown > FEW).then(|| {
        view! {
            <details class="block__rest" open=open>
                <summary class="block__more">
                    <span class="block__all">{text::all_lines(lines)}</span>
                    <span class="block__fewer">{text::fewer_lines()}</span>
                </summary>
            </details>
        }
    });
    let whole = is_whole.then_some("");
    view! {
        <figure class="block block-terminal" data-whole=whole>
            <figcaption class="block__head">
                <span class="block__label number">{label}</span>
            </figcaption>
            {rest}
            <pre class="block__body">
                <code inner_html=html></code>
            </pre>
            <MoreLink row=more />
        </figure>
    }
    .into_any()
}
