//! Terminal output.

use super::{block_diff::Rest, more::MoreLink, text};
use crate::render::Html;
use leptos::prelude::*;

/// A step of the timeline shows this many lines of its output at first (the style sheet has the same number).
const FEW: u32 = 6;
/// More lines than a shortened row has: longer output was requested in full, so all of it is shown at once.
pub(super) const SHORT: u32 = 40;

/// Terminal output, the first `shown` of its `lines`. `more` is the row with the full output.
#[component]
pub(super) fn TerminalBlock(
    html: Html,
    lines: u32,
    shown: u32,
    more: Option<i64>,
) -> impl IntoView {
    // All of it is here: a step shows the rest on demand. Of what is truncated "Show all" brings the rest.
    let is_whole = shown == lines && more.is_none();
    if is_whole && shown <= FEW {
        return any_view! { <pre class="block block-terminal block__body" inner_html=html></pre> };
    }
    let is_open = shown > SHORT;
    let head = if is_whole {
        any_view! { <Rest lines=lines as usize open=is_open /> }
    } else {
        any_view! { <figcaption class="block__head number">{text::output_shown(shown, lines)}</figcaption> }
    };
    any_view! {
        <figure class="block block-terminal" data-few=(!is_whole).then_some("")>
            {head} <pre class="block__body" inner_html=html></pre> <MoreLink row=more />
        </figure>
    }
}
