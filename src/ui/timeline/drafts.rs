//! Streamed text of the model, below the newest row until its event arrives.

use super::text;
use crate::ui::parts::varying;
use crate::{api::DraftView, store::use_conversation};
use leptos::prelude::*;

/// The partial texts, unformatted: half a table or half a link cannot be rendered.
#[component]
pub(super) fn Drafts() -> impl IntoView {
    let drafts = use_conversation().drafts;
    varying(move || drafts.get().into_iter().map(draft).collect_view())
}

fn draft(draft: DraftView) -> impl IntoView {
    let DraftView {
        reasoning,
        text: reply,
    } = draft;
    // The reply replaces the reasoning as soon as it starts.
    let (word, class, body) = if reply.is_empty() {
        (text::thinking(), "row__text row__plain muted", reasoning)
    } else {
        (text::writing(), "row__text row__plain", reply)
    };
    let body = (!body.is_empty()).then(|| view! { <p class=class>{body}</p> });
    view! {
        <article class="row row--agent" aria-busy="true">
            <header class="row__head">
                <span class="row__who">{text::agent()}</span>
                <span>{word}</span>
            </header>
            {body}
        </article>
    }
}
