//! What waits for a yes or a no.
//!
//! The card shows the whole of what will run, and its answer carries a token of exactly that: if it has
//! changed meanwhile, the server refuses. It is a plain form: on a phone it can be answered before the
//! program has loaded. It goes away only when the server says that the answer was taken.

use crate::{
    api::{AnswerConfirmation, ApprovalView},
    conversation::Risk,
    people::Right,
    render::{CardView, RowView, StepView},
    store::{after_layout, use_conversation},
    ui::{
        parts::{ErrorNote, RiskBadge},
        shell::ServerForm,
        timeline::StepInFull,
    },
};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// The card of what waits, if anything does.
#[component]
pub fn Approval() -> impl IntoView {
    let store = use_conversation();
    // Without `answering`: the card must not be drawn anew, and a reason lost, because of it.
    let approval = store.of_session(|session| {
        let approval = session.approval.clone()?;
        Some(ApprovalView {
            answering: false,
            ..approval
        })
    });
    let answering = store.of_session(|session| {
        session
            .approval
            .as_ref()
            .is_some_and(|approval| approval.answering)
    });
    let answer = ServerAction::<AnswerConfirmation>::new();
    let busy = Signal::derive(move || answering.get() || answer.pending().get());
    let answerable = Signal::from(store.may(Right::Answer));
    let reason = RwSignal::new(String::new());
    Effect::new(move |before: Option<bool>| {
        let asked = approval.read().is_some();
        match (before, asked) {
            // A refusal outlives the card that it was about, but not until the next question.
            (Some(false), true) => answer.value().set(None),
            (Some(true), false) => {
                reason.set(String::new());
                focus_timeline_if_lost();
            }
            _ => {}
        }
        asked
    });
    let error = move || answer.value().get().and_then(Result::err);
    view! {
        {move || error().map(|error| view! { <ErrorNote error /> })}
        {move || {
            approval.get().map(|approval| view! { <Question conversation=use_conversation().id() approval answerable answer busy reason /> })
        }}
    }
    .into_any()
}

/// The button that had the focus is gone with its card. Not to the message field: that would open the
/// keyboard of a phone.
fn focus_timeline_if_lost() {
    after_layout(|| {
        let lost = document()
            .active_element()
            .is_none_or(|element| element.tag_name() == "BODY");
        if lost && let Ok(Some(timeline)) = document().query_selector(".timeline") {
            let _ = timeline.unchecked_into::<HtmlElement>().focus();
        }
    });
}

/// What is asked, whole, and its answers.
#[component]
pub fn Question(
    /// The conversation that it is asked in.
    conversation: String,
    /// What is asked.
    approval: ApprovalView,
    /// Who looks may answer.
    answerable: Signal<bool>,
    /// The call.
    answer: ServerAction<AnswerConfirmation>,
    /// An answer is on its way.
    busy: Signal<bool>,
    /// What is typed as the reason.
    reason: RwSignal<String>,
) -> impl IntoView {
    let title_id = format!("approval-{conversation}");
    let labelled_by = title_id.clone();
    let ApprovalView {
        token,
        rows,
        caution,
        ..
    } = approval;
    let risk = rows
        .iter()
        .filter_map(step)
        .map(|step| step.risk)
        .max()
        .unwrap_or_default();
    let title = title(&rows);
    let steps = rows.into_iter().map(|row| view! { <Waiting row /> });
    view! {
        <section class="approval" data-risk=risk_word(risk) aria-labelledby=labelled_by>
            <header class="approval__head">
                <h2 class="approval__title" id=title_id>
                    {title}
                </h2>
                <RiskBadge risk />
                // Shown on a phone while another view has the room.
                <a class="button button--small approval__open" href="?" data-noscroll="">
                    "Answer"
                </a>
            </header>
            <div class="approval__what" tabindex="0" role="region" aria-label="What waits for your answer">
                {steps.collect_view()}
            </div>
            {caution.map(|caution| view! { <p class="approval__remark">{caution}</p> })}
            {move || {
                if answerable.get() {
                    view! { <Answers id=conversation.clone() token=token.clone() answer busy reason /> }.into_any()
                } else {
                    view! { <p class="approval__remark">"Somebody who may answer has to: your role only reads."</p> }
                        .into_any()
                }
            }}
        </section>
    }
    .into_any()
}

/// The buttons, and room for a reason.
#[component]
pub fn Answers(
    /// The conversation.
    id: String,
    /// Names exactly what is answered.
    token: String,
    /// The call.
    answer: ServerAction<AnswerConfirmation>,
    /// An answer is on its way.
    busy: Signal<bool>,
    /// What is typed as the reason.
    reason: RwSignal<String>,
) -> impl IntoView {
    view! {
        <ServerForm action=answer class="approval__answers">
            <input type="hidden" name="id" value=id />
            <input type="hidden" name="token" value=token />
            <Reason reason />
            <Answer value="reject" label="Reject" class="button button--danger button--large" busy />
            <Answer value="approve" label="Approve" class="button button--approve button--large" busy />
        </ServerForm>
    }
    .into_any()
}

/// Why not. Several lines, so that Enter never presses a button.
#[component]
fn Reason(reason: RwSignal<String>) -> impl IntoView {
    view! {
        <textarea
            class="input textarea approval__reason"
            name="reason"
            rows="1"
            aria-label="Reason, sent when rejecting"
            placeholder="Reason (sent when rejecting)"
            on:input:target=move |event| reason.set(event.target().value())
        >
            {reason.get_untracked()}
        </textarea>
    }
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
