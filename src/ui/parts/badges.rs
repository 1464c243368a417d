//! Words with a colour: what an agent is doing, how dangerous an action is. The word always stands
//! there; the colour only helps.

use crate::conversation::{Risk, Status};
use leptos::prelude::*;

/// What the agent is doing.
#[component]
pub fn StatusBadge(#[prop(into)] status: Signal<Status>) -> impl IntoView {
    view! {
        <span class="badge" data-status=move || status.with(look)>
            {move || status.with(status_word)}
        </span>
    }
}

/// How dangerous an action was judged.
#[component]
pub fn RiskBadge(risk: Risk) -> impl IntoView {
    let (class, word) = match risk {
        Risk::Unknown => ("risk risk--unknown", "Risk not judged"),
        Risk::Low => ("risk risk--low", "Low risk"),
        Risk::Medium => ("risk risk--medium", "Medium risk"),
        Risk::High => ("risk risk--high", "High risk"),
    };
    view! { <span class=class>{word}</span> }
}

/// A status in the words of the page.
pub fn status_word(status: &Status) -> String {
    match status {
        Status::Loading => "Starting",
        Status::Idle => "Ready",
        Status::Running => "Running",
        Status::AwaitingInput => "Waits for you",
        Status::AwaitingConfirmation => "Needs your answer",
        Status::Confirmed => "Approved",
        Status::UserRejected => "Rejected",
        Status::Paused => "Paused",
        Status::Stopped => "Stopped",
        Status::Finished => "Finished",
        Status::Declined => "Declined",
        Status::Error => "Error",
        Status::Stuck => "Stuck",
        Status::RateLimited => "Rate limited",
        Status::Deleting => "Being deleted",
        Status::Other(word) => return word.clone(),
    }
    .to_owned()
}

/// Which of the few colours a status gets.
fn look(status: &Status) -> &'static str {
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
