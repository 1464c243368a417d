//! The cost of a conversation so far.

use super::text;
use crate::conversation::{Metrics, Usage};
use crate::render::grouped;
use crate::store::Derived;
use crate::ui::parts::{dollars, varying};
use leptos::prelude::*;

/// Cost, tokens, and the use of the model's context window.
#[component]
pub fn Usage(metrics: Derived<Metrics>) -> impl IntoView {
    let cost = move || metrics.with(cost_in_words);
    let tokens =
        move |piece: fn(&Metrics) -> u64| move || metrics.with(|metrics| grouped(piece(metrics)));
    let context = move || {
        let (used, window) =
            metrics.with(|metrics| (metrics.per_turn_token, metrics.context_window));
        if window == 0 {
            return any_view! { {text::tokens(grouped(used))} };
        }
        let percent = used.saturating_mul(100) / window;
        let words = text::context_used(grouped(used), grouped(window), percent);
        any_view! {
            <progress class="progress" max=window.to_string() value=used.min(window).to_string() aria-hidden="true"></progress>
            " "
            {words}
        }
    };
    view! {
        <h3>{text::usage()}</h3>
        <dl class="facts number">
            {fact(text::cost(), cost)}
            <div class="facts__row">
                <dt>{text::context()}</dt>
                <dd>{context}</dd>
            </div>
            {fact(text::input_tokens(), tokens(|metrics| metrics.prompt_tokens))}
            {fact(text::output_tokens(), tokens(|metrics| metrics.completion_tokens))}
            {fact(text::cache_reads(), tokens(|metrics| metrics.cache_read_tokens))}
            {fact(text::cache_writes(), tokens(|metrics| metrics.cache_write_tokens))}
            {varying(move || metrics.with(|metrics| uses(&metrics.usages)))}
        </dl>
    }
}

/// A line of a list of facts.
pub(super) fn fact(
    name: impl Into<String>,
    value: impl Fn() -> String + Send + Sync + 'static,
) -> AnyView {
    let value = move || {
        let value = Some(value()).filter(|value| !value.is_empty());
        value.unwrap_or_else(|| text::unknown().to_owned())
    };
    any_view! {
        <div class="facts__row">
            <dt>{name.into()}</dt>
            <dd>{value}</dd>
        </div>
    }
}

/// The cost per model use, if there are several.
fn uses(usages: &[Usage]) -> impl IntoView + use<> {
    let row = |usage: &Usage| {
        let name = text::named_model(&usage.name, &usage.model);
        let tokens = usage.prompt_tokens.saturating_add(usage.completion_tokens);
        let sum = text::cost_and_tokens(dollars(usage.cost, 4), grouped(tokens));
        fact(name, move || sum.clone())
    };
    (usages.len() > 1).then(|| usages.iter().map(row).collect_view())
}

fn cost_in_words(metrics: &Metrics) -> String {
    match metrics.budget {
        Some(budget) => text::cost_of(dollars(metrics.cost, 4), dollars(budget, 2)),
        None => dollars(metrics.cost, 4),
    }
}
