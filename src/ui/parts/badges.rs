//! Badges: the status of an agent, the risk of an action. The text is always present; the colour only supports it.

use super::{text, varying};
use crate::conversation::{Risk, Status};
use leptos::prelude::*;

/// The agent's status.
#[component]
pub fn StatusBadge(#[prop(into)] status: Signal<Status>) -> impl IntoView {
    view! {
        <span class="badge" data-status=move || status.with(state_word)>
            <span>{varying(move || status.with(status_word))}</span>
        </span>
    }
}

/// The risk rating of an action.
#[component]
pub fn RiskBadge(risk: Risk) -> impl IntoView {
    let (class, word) = match risk {
        Risk::Unknown => ("risk risk--unknown", text::risk_unknown()),
        Risk::Low => ("risk risk--low", text::risk_low()),
        Risk::Medium => ("risk risk--medium", text::risk_medium()),
        Risk::High => ("risk risk--high", text::risk_high()),
    };
    view! { <span class=class>{word}</span> }
}

/// The label of a status.
pub fn status_word(status: &Status) -> String {
    match status {
        Status::Loading => text::starting(),
        Status::Idle => text::ready(),
        Status::Running => text::running(),
        Status::AwaitingInput => text::your_turn(),
        Status::AwaitingConfirmation => text::needs_approval(),
        Status::Confirmed => text::approved(),
        Status::UserRejected => text::rejected(),
        Status::Paused => text::paused(),
        Status::Stopped => text::stopped(),
        Status::Finished => text::finished(),
        Status::Declined => text::declined(),
        Status::Error => text::failed(),
        Status::Stuck => text::stuck(),
        Status::RateLimited => text::rate_limited(),
        Status::Deleting => text::deleting(),
        Status::Other(word) => return word.clone(),
    }
    .to_owned()
}

/// The colour group of a status: the `data-status` of its badge.
fn state_word(status: &Status) -> &'static str {
    match status {
        Status::Loading | Status::Deleting => "loading",
        Status::Running | Status::Confirmed => "running",
        Status::AwaitingConfirmation => "waiting",
        Status::Idle | Status::AwaitingInput | Status::UserRejected | Status::Other(_) => "idle",
        Status::Paused => "paused",
        Status::Stopped => "stopped",
        Status::Finished => "finished",
        Status::Error | Status::Stuck | Status::RateLimited | Status::Declined => "error",
    }
}
