//! What a conversation has cost so far.

use crate::conversation::{Metrics, Usage};
use crate::render::grouped;
use crate::store::use_conversation;
use crate::ui::parts::dollars;
use leptos::prelude::*;

/// Cost, tokens, and how full the model's context is.
#[component]
pub fn Usage() -> impl IntoView {
    let metrics = use_conversation().of_session(|session| session.metrics.clone());
    let cost = move || metrics.with(cost_in_words);
    let tokens =
        move |piece: fn(&Metrics) -> u64| move || metrics.with(|metrics| grouped(piece(metrics)));
    let context = move || {
        let (used, window) =
            metrics.with(|metrics| (metrics.per_turn_token, metrics.context_window));
        if window == 0 {
            return view! { {format!("{} tokens", grouped(used))} }.into_any();
        }
        let words = format!(
            "{} of {} tokens ({} %)",
            grouped(used),
            grouped(window),
            used.saturating_mul(100) / window
        );
        view! {
            <progress class="progress" max=window.to_string() value=used.min(window).to_string() aria-hidden="true"></progress>
            " "
            {words}
        }
        .into_any()
    };
    view! {
        <h3>"Cost and tokens"</h3>
        <dl class="facts number">
            <div class="facts__row">
                <dt>"Cost"</dt>
                <dd>{cost}</dd>
            </div>
            <div class="facts__row">
                <dt>"Context"</dt>
                <dd>{context}</dd>
            </div>
            <div class="facts__row">
                <dt>"Tokens sent"</dt>
                <dd>{tokens(|metrics| metrics.prompt_tokens)}</dd>
            </div>
            <div class="facts__row">
                <dt>"Tokens written"</dt>
                <dd>{tokens(|metrics| metrics.completion_tokens)}</dd>
            </div>
            <div class="facts__row">
                <dt>"Read from the cache"</dt>
                <dd>{tokens(|metrics| metrics.cache_read_tokens)}</dd>
            </div>
            <div class="facts__row">
                <dt>"Written to the cache"</dt>
                <dd>{tokens(|metrics| metrics.cache_write_tokens)}</dd>
            </div>
            {move || metrics.with(|metrics| uses(&metrics.usages))}
        </dl>
    }
}

/// What each use of a model has cost, where there are several.
fn uses(usages: &[Usage]) -> impl IntoView + use<> {
    let row = |usage: &Usage| {
        let name = format!("{} ({})", usage.name, usage.model);
        let sum = format!(
            "{}, {} tokens",
            dollars(usage.cost, 4),
            grouped(usage.prompt_tokens.saturating_add(usage.completion_tokens))
        );
        view! {
            <div class="facts__row">
                <dt>{name}</dt>
                <dd>{sum}</dd>
            </div>
        }
    };
    (usages.len() > 1).then(|| usages.iter().map(row).collect_view())
}

fn cost_in_words(metrics: &Metrics) -> String {
    match metrics.budget {
        Some(budget) => format!("{} of {}", dollars(metrics.cost, 4), dollars(budget, 2)),
        None => dollars(metrics.cost, 4),
    }
}
