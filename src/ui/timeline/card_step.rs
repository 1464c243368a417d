//! A step of the agent: what it does, and what came of it.

use super::{block::BlockView, card_message::Reasoning};
use crate::{
    conversation::{Kind, Risk},
    render::{StepState, StepView},
    store::link,
    ui::parts::{Duration, RiskBadge, Time},
};
use leptos::{html::Details, prelude::*};

/// A step. `opened`: what the reader made of it, if anything.
#[component]
pub(super) fn StepCard(
    id: i64,
    at: i64,
    kind: Kind,
    by: Option<String>,
    step: StepView,
    opened: RwSignal<Option<bool>>,
) -> impl IntoView {
    let open = opened.get_untracked().unwrap_or(!step.folded);
    let details = NodeRef::<Details>::new();
    // Not `toggle`: that also comes when nobody touched it.
    let toggled = move |_| {
        if let Some(details) = details.get_untracked() {
            opened.set(Some(!details.open()));
        }
    };
    let thought = (!step.thought.is_empty())
        .then(|| view! { <div class="step__thought prose" inner_html=step.thought></div> });
    let risk = matches!(step.risk, Risk::Medium | Risk::High)
        .then(|| view! { <RiskBadge risk=step.risk /> });
    let answered = by.map(|by| {
        view! { <span class="step__outcome muted">{format!("answered by {by}")}</span> }
    });
    let outcome = outcome(step.state, step.outcome);
    let took = step.took.map(|millis| {
        view! {
            <span class="step__took number">
                <Duration millis />
            </span>
        }
    });
    let blocks = step
        .blocks
        .into_iter()
        .map(|block| view! { <BlockView block row=Some(id) /> });
    let begun = step.conversation.map(|id| {
        view! {
            <a class="button button--small" href=link(&format!("c/{id}"))>
                "Open the conversation"
            </a>
        }
    });
    view! {
        {thought}
        <Reasoning html=step.reasoning />
        <details
            class="step"
            data-state=state_word(step.state)
            data-kind=kind.as_str()
            open=open
            node_ref=details
        >
            <summary class="step__head" on:click=toggled>
                <span class="step__verb">{step.verb}</span>
                <span class="step__subject">{step.subject}</span>
                {risk}
                <span class="step__outcome">{outcome}</span>
                {answered}
                {took}
                <Time at class="step__time number" />
            </summary>
            <div class="step__body">{blocks.collect_view()} {begun}</div>
        </details>
    }
    .into_any()
}

/// The steps of an approval are shown whole, without head or folding.
#[component]
pub fn StepInFull(id: i64, step: StepView) -> impl IntoView {
    let blocks = step
        .blocks
        .into_iter()
        .map(|block| view! { <BlockView block row=Some(id) /> });
    view! {
        <p class="approval__step">
            <span class="step__verb">{step.verb}</span>
            " "
            <span class="step__subject mono">{step.subject}</span>
        </p>
        {blocks.collect_view()}
    }
    .into_any()
}

/// The state in words, where the outcome does not say it.
fn outcome(state: StepState, outcome: String) -> String {
    if !outcome.is_empty() {
        return outcome;
    }
    match state {
        StepState::Running => "running",
        StepState::Waiting => "waits for an answer",
        StepState::Approved => "approved",
        StepState::Done => "",
        StepState::Failed => "failed",
        StepState::Rejected => "rejected",
        StepState::NotExecuted => "not executed",
    }
    .to_owned()
}

fn state_word(state: StepState) -> &'static str {
    match state {
        StepState::Running => "running",
        StepState::Waiting => "waiting",
        StepState::Approved => "approved",
        StepState::Done => "done",
        StepState::Failed => "failed",
        StepState::Rejected => "rejected",
        StepState::NotExecuted => "not_executed",
    }
}
