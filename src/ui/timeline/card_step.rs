//! A step of the agent: its action and its outcome.

use super::{block::BlockView, card_message::Reasoning, text};
use crate::{
    conversation::{Kind, Risk},
    render::{Block, StepState, StepView},
    store::link,
    ui::parts::{Duration, RiskBadge, Time, span},
};
use leptos::{html::Details, prelude::*};

/// A step. `opened` is the reader's choice to expand or collapse it, if any.
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
    // Not the `toggle` event: that one also fires without user input.
    let toggled = move |_| {
        if let Some(details) = details.get_untracked() {
            opened.set(Some(!details.open()));
        }
    };
    let thought = (!step.thought.is_empty())
        .then(|| view! { <div class="step__thought prose" inner_html=step.thought></div> });
    let risk = matches!(step.risk, Risk::Medium | Risk::High)
        .then(|| view! { <RiskBadge risk=step.risk /> });
    let record = record(step.state, by, step.waited, step.took)
        .map(|record| view! { <p class="step__record muted">{record}</p> });
    let refused =
        refused(step.state).map(|state| view! { <span class="step__outcome">{state}</span> });
    let outcome = outcome(step.state, step.outcome);
    let took = step.took.map(|millis| {
        view! {
            <span class="step__took number">
                <Duration millis />
            </span>
        }
    });
    let subject = step.subject.clone();
    let count = step.blocks.len();
    let blocks: Vec<Block> = step
        .blocks
        .into_iter()
        .filter(|block| step.state == StepState::Waiting || !repeats(block, &subject))
        .collect();
    // The heading has the whole command, and shows all of it.
    let whole = (blocks.len() < count).then_some("");
    let blocks = blocks
        .into_iter()
        .map(|block| view! { <BlockView block row=Some(id) /> });
    let begun = step.conversation.map(|id| {
        view! {
            <a class="button button--small" href=link(&format!("c/{id}"))>
                {text::open_conversation()}
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
            data-whole=whole
            open=open
            node_ref=details
        >
            <summary class="step__head" on:click=toggled>
                {refused}
                <span class="step__verb">{step.verb}</span>
                <span class="step__subject">{step.subject}</span>
                {risk}
                <span class="step__outcome">{outcome}</span>
                {took}
                <Time at class="step__time number" />
            </summary>
            <div class="step__body">{record} {blocks.collect_view()} {begun}</div>
        </details>
    }
    .into_any()
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
    view! {
        {thought}
        {line}
        {blocks.collect_view()}
    }
    .into_any()
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

/// Whether a block holds nothing but what the heading says.
fn repeats(block: &Block, subject: &str) -> bool {
    match block {
        Block::Code {
            text, hidden, cut, ..
        } => !hidden && !cut && !text.is_empty() && text == subject,
        _ => false,
    }
}

/// What is not carried out says so before everything else: what follows would read as done.
fn refused(state: StepState) -> Option<&'static str> {
    match state {
        StepState::Waiting => Some(text::waiting()),
        StepState::Rejected => Some(text::rejected()),
        StepState::NotExecuted => Some(text::not_executed()),
        StepState::Unknown => Some(text::outcome_unknown()),
        _ => None,
    }
}

/// Who answered, how long the step waited for that, and how long it ran.
fn record(
    state: StepState,
    by: Option<String>,
    waited: Option<i64>,
    took: Option<i64>,
) -> Option<String> {
    if state == StepState::Waiting || (by.is_none() && waited.is_none()) {
        return None;
    }
    let answer = match (state, by) {
        (StepState::Rejected, Some(by)) => text::rejected_by(by),
        (StepState::Rejected, None) => text::rejected().to_owned(),
        (StepState::NotExecuted, Some(by)) => text::reviewed_by(by),
        (StepState::NotExecuted, None) => text::reviewed().to_owned(),
        (_, Some(by)) => text::approved_by(by),
        (_, None) => text::approved_by_person().to_owned(),
    };
    let waited = waited.map(|millis| text::waited(span(millis)));
    // Only of what waited it is known how long it ran after that.
    let ran = took
        .filter(|_| waited.is_some())
        .map(|millis| text::ran(span(millis)));
    let parts = [Some(answer), waited, ran];
    Some(parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

/// The state as text, if there is no outcome text.
fn outcome(state: StepState, outcome: String) -> String {
    if !outcome.is_empty() {
        return outcome;
    }
    match state {
        StepState::Running => text::running(),
        StepState::Approved => text::approved(),
        StepState::Failed => text::failed(),
        // What is not carried out has said so before.
        StepState::Done
        | StepState::Waiting
        | StepState::Rejected
        | StepState::NotExecuted
        | StepState::Unknown => "",
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
        StepState::Unknown => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_the_heading_shows_whole_is_not_shown_twice() {
        let code = |text: &str, hidden, cut| Block::Code {
            label: "Command".to_owned(),
            html: String::new(),
            text: text.to_owned(),
            hidden,
            cut,
        };
        assert!(repeats(&code("make", false, false), "make"));
        assert!(!repeats(
            &code("make\nrm -rf /", false, false),
            "make rm -rf /"
        ));
        assert!(!repeats(&code("make", true, false), "make"));
        assert!(!repeats(&code("make", false, true), "make"));
    }

    #[test]
    fn a_record_says_who_answered_and_how_long_it_waited_and_ran() {
        let alan = || Some("alan".to_owned());
        let record = |state, by, waited, took| record(state, by, waited, took).unwrap_or_default();
        assert_eq!(
            record(StepState::Done, alan(), Some(15_000), Some(300)),
            "Approved by alan, waited 15 s, ran 300 ms"
        );
        assert_eq!(
            record(StepState::Rejected, None, Some(15_000), None),
            "Rejected, waited 15 s"
        );
        assert_eq!(
            record(StepState::Failed, alan(), None, Some(300)),
            "Approved by alan"
        );
        assert_eq!(record(StepState::Done, None, None, Some(300)), "");
        assert_eq!(record(StepState::Waiting, alan(), Some(1), None), "");
    }
}
