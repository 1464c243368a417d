//! What the model is writing, behind the newest row until its event comes.

use crate::{api::DraftView, store::use_conversation};
use leptos::prelude::*;

/// The texts as they grow: plain, for half a table or half a link is none yet.
#[component]
pub(super) fn Drafts() -> impl IntoView {
    let drafts = use_conversation().drafts;
    move || drafts.get().into_iter().map(draft).collect_view()
}

fn draft(draft: DraftView) -> impl IntoView {
    let DraftView { reasoning, text } = draft;
    // What it thinks gives way to what it says.
    let (word, class, text) = if text.is_empty() {
        ("thinking…", "row__text row__plain muted", reasoning)
    } else {
        ("writing…", "row__text row__plain", text)
    };
    let text = (!text.is_empty()).then(|| view! { <p class=class>{text}</p> });
    view! {
        <article class="row row--agent" aria-busy="true">
            <header class="row__head">
                <span class="row__who">"Agent"</span>
                <span>{word}</span>
            </header>
            {text}
        </article>
    }
}
