//! Injected context: chips that open to the injected texts.

use super::text;
use crate::render::ChipsView;
use leptos::prelude::*;

/// Chips; a click opens the injected text.
#[component]
pub(super) fn ChipsCard(chips: ChipsView) -> impl IntoView {
    let ChipsView { chips, knowledge } = chips;
    let chips = chips
        .into_iter()
        .map(|chip| view! { <span class="chip">{chip}</span> });
    let chips = view! { <span class="chips">{chips.collect_view()}</span> };
    if knowledge.is_empty() {
        return any_view! { <div class="knowledge">{chips}</div> };
    }
    let knowledge = knowledge.into_iter().map(|(name, trigger, html)| {
        let trigger = (!trigger.is_empty()).then(|| text::triggered_by(trigger));
        view! {
            <section class="knowledge__item">
                <h3 class="knowledge__name">
                    {name} " " {trigger.map(|trigger| view! { <span class="muted">{trigger}</span> })}
                </h3>
                <div class="prose" inner_html=html></div>
            </section>
        }
    });
    any_view! {
        <details class="knowledge">
            <summary>{chips}</summary>
            {knowledge.collect_view()}
        </details>
    }
}
