//! A step of the agent: its action and its outcome.

use super::{
    address::RowLink,
    block::BlockView,
    block_terminal::SHORT,
    card_message::Reasoning,
    record::{outcome, record, refused},
    text,
};
use crate::{
    conversation::{Kind, Risk},
    render::{Block, StepState, StepView},
    store::{RowKey, link},
    ui::parts::{Elapsed, RiskBadge, Time, span},
};
use leptos::{html::Details, prelude::*};

/// A step. `opened` is the reader's choice to expand or collapse it, if any.
#[component]
pub(super) fn StepCard(
    key: RowKey,
    at: i64,
    kind: Kind,
    by: Option<String>,
    /// Whether a rule of theirs has answered, or an amendment, and whether they have touched a passkey.
    means: (bool, bool, bool),
    mut step: StepView,
    opened: RwSignal<Option<bool>>,
) -> impl IntoView {
    let open = opened
        .get_untracked()
        .unwrap_or(!step.folded && (opens(kind, step.state) || is_in_full(&step.blocks)));
    // The heading has the whole command, and shows all of it.
    let whole = step.say_once().then_some("");
    let details = NodeRef::<Details>::new();
    // Not the `toggle` event: that one also fires without user input.
    let toggled = move |_| {
        if let Some(details) = details.get_untracked() {
            opened.set(Some(!details.open()));
        }
    };
    let thought = (!step.thought.is_empty())
        .then(|| view! { <div class="step__thought prose" inner_html=step.thought></div> });
    // The card of a pending approval says it.
    let risk = (matches!(step.risk, Risk::Medium | Risk::High) && step.state != StepState::Waiting)
        .then(|| view! { <RiskBadge risk=step.risk /> });
    let record = record(step.state, by, means, step.waited, &step.reason);
    // The record says it, too.
    let refused = refused(step.state)
        .filter(|_| record.is_none())
        .map(|state| view! { <span class="step__outcome">{state}</span> });
    let record = record.map(|record| view! { <span class="step__record muted">{record}</span> });
    let outcome = outcome(step.state, step.outcome);
    let outcome = (!outcome.is_empty())
        .then(|| view! { <span class="step__outcome number">{outcome}</span> });
    let runs = matches!(step.state, StepState::Running | StepState::Approved) && at > 0;
    let took = match runs {
        true => any_view! { <Elapsed since=at /> },
        false => {
            let class = match step.took {
                Some(_) => "step__took number",
                None => "step__time number",
            };
            any_view! { <Time at instead=step.took.map(span) class /> }
        }
    };
    let blocks = step.blocks.into_iter();
    let blocks = blocks.map(|block| view! { <BlockView block row=Some(key.id) /> });
    let begun = step.conversation.map(|id| {
        view! {
            <a class="button button--small" href=link(&format!("c/{id}"))>
                {text::open_conversation()}
            </a>
        }
    });
    any_view! {
        {thought}
        <Reasoning html=step.reasoning />
        <details
            class="step"
            data-state=step.state.word()
            data-kind=kind.as_str()
            data-whole=whole
            open=open
            node_ref=details
        >
            <summary class="step__head" on:click=toggled>
                {record}
                {refused}
                <span class="step__verb">{step.verb}</span>
                <span class="step__subject">{step.subject}</span>
                {risk}
                {outcome}
                {took}
            </summary>
            {blocks.collect_view()}
            {begun}
            <RowLink key />
        </details>
    }
}

/// A step of an approval, in full, without a header and not collapsible: the agent's reason, the action once, and what
/// is known about it. If it is `alone`, the title of the approval says the verb.
#[component]
pub fn StepInFull(id: i64, kind: Kind, step: StepView, alone: bool) -> impl IntoView {
    let is_in_block = is_in_block(kind, &step);
    let thought = (!step.thought.is_empty())
        .then(|| view! { <div class="approval__thought prose" inner_html=step.thought></div> });
    let subject = (!is_in_block).then_some(step.subject);
    let line = (subject.is_some() || !alone).then(|| {
        view! {
            <p class="approval__step">
                <span class="step__verb">{step.verb}</span>
                " "
                {subject.map(|subject| view! { <span class="step__subject mono">{subject}</span> })}
            </p>
        }
    });
    let blocks = step
        .blocks
        .into_iter()
        .map(|block| view! { <BlockView block row=Some(id) /> });
    any_view! {
        {thought}
        {line}
        {blocks.collect_view()}
    }
}

/// Whether the first block of a pending step has all that its subject says.
fn is_in_block(kind: Kind, step: &StepView) -> bool {
    match step.blocks.first() {
        Some(Block::Code { .. }) => matches!(kind, Kind::Shell | Kind::Cell),
        Some(Block::File(view)) => view.path == step.subject,
        Some(Block::Diff(view)) => view.path == step.subject,
        _ => false,
    }
}

/// Whether a step is open before a person has opened or closed it: what went wrong, and what is itself to be read.
fn opens(kind: Kind, state: StepState) -> bool {
    match state {
        StepState::Failed | StepState::NotExecuted | StepState::Unknown => true,
        StepState::Rejected => false,
        _ => !matches!(kind, Kind::Shell | Kind::Cell),
    }
}

/// Whether an output was requested in full.
fn is_in_full(blocks: &[Block]) -> bool {
    blocks
        .iter()
        .any(|block| matches!(block, Block::Terminal { shown, .. } if *shown > SHORT))
}
