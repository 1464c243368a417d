//! What waits for a yes or a no.
//!
//! The card shows the whole of what will run, and its answer carries a token of exactly that: if it has
//! changed meanwhile, the server refuses. It is a plain form: on a phone it can be answered before the
//! program has loaded. It goes away only when the server says that the answer was taken.

use crate::{
    api::{AnswerConfirmation, ApprovalView},
    conversation::Risk,
    render::{CardView, RowView, StepView},
    store::use_conversation,
    ui::{
        parts::{ErrorNote, RiskBadge},
        shell::ServerForm,
        timeline::StepInFull,
    },
};
use leptos::prelude::*;

/// The card of what waits, if anything does.
#[component]
pub fn Approval() -> impl IntoView {
    let store = use_conversation();
    let approval = store.of_session(|session| session.approval.clone());
    let answer = ServerAction::<AnswerConfirmation>::new();
    // The refusal of an answer outlives the card that it was given to.
    let error = move || answer.value().get().and_then(Result::err);
    view! {
        {move || error().map(|error| view! { <ErrorNote error /> })}
        {move || approval.get().map(|approval| view! { <Card approval answer /> })}
    }
    .into_any()
}

#[component]
fn Card(approval: ApprovalView, answer: ServerAction<AnswerConfirmation>) -> impl IntoView {
    let ApprovalView {
        token,
        rows,
        caution,
        answering,
    } = approval;
    let risk = rows
        .iter()
        .filter_map(step)
        .map(|step| step.risk)
        .max()
        .unwrap_or_default();
    let title = title(&rows);
    let steps = rows.into_iter().map(|row| view! { <Waiting row /> });
    let busy = Signal::derive(move || answering || answer.pending().get());
    view! {
        <section class="approval" data-risk=risk_word(risk) aria-labelledby="approval-title">
            <header class="approval__head">
                <h2 class="approval__title" id="approval-title">
                    {title}
                </h2>
                <RiskBadge risk />
            </header>
            <div class="approval__what" tabindex="0" role="region" aria-label="What waits for your answer">
                {steps.collect_view()}
            </div>
            {caution.map(|caution| view! { <p class="approval__remark">{caution}</p> })}
            <ServerForm action=answer class="approval__answers">
                <input type="hidden" name="id" value=use_conversation().id() />
                <input type="hidden" name="token" value=token />
                <Reason />
                <Answer value="reject" label="Reject" class="button button--danger button--large" busy />
                <Answer value="approve" label="Approve" class="button button--approve button--large" busy />
            </ServerForm>
        </section>
    }
    .into_any()
}

/// Without this, Enter in the reason would press the first button.
#[component]
fn Reason() -> impl IntoView {
    view! {
        <textarea
            class="input textarea approval__reason"
            name="reason"
            rows="1"
            aria-label="Reason, sent when rejecting"
            placeholder="Reason (sent when rejecting)"
        ></textarea>
    }
    .into_any()
}

#[component]
fn Answer(
    value: &'static str,
    label: &'static str,
    class: &'static str,
    busy: Signal<bool>,
) -> impl IntoView {
    view! {
        <button
            class=class
            name="decision"
            value=value
            disabled=move || busy.get()
            aria-busy=move || busy.get().then_some("true")
        >
            {label}
        </button>
    }
    .into_any()
}

#[component]
fn Waiting(row: RowView) -> impl IntoView {
    let id = row.id;
    match row.card {
        CardView::Step(step) => view! { <StepInFull id step /> }.into_any(),
        _ => ().into_any(),
    }
}

fn step(row: &RowView) -> Option<&StepView> {
    match &row.card {
        CardView::Step(step) => Some(step),
        _ => None,
    }
}

/// The question.
fn title(rows: &[RowView]) -> String {
    let mut steps = rows.iter().filter_map(step);
    match (steps.next(), steps.count()) {
        (Some(step), 0) => format!("{}? The agent waits for your answer", step.verb),
        (Some(_), more) => format!("The agent waits for your answer to {} actions", more + 1),
        // The status came before the action itself.
        (None, _) => "The agent waits for your answer".to_owned(),
    }
}

fn risk_word(risk: Risk) -> &'static str {
    match risk {
        Risk::Unknown => "unknown",
        Risk::Low => "low",
        Risk::Medium => "medium",
        Risk::High => "high",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_stands_before_the_action_is_known() {
        assert_eq!(title(&[]), "The agent waits for your answer");
    }
}
