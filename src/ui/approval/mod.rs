//! The card of a pending approval.
//!
//! The card shows everything that will run. Its answer carries a token of exactly that content; if the content has
//! changed meanwhile, the server refuses the answer. The buttons ignore presses until the card has been visible for a
//! while, and Approve leads to what has not been in view yet. The card is a plain form, so a user can answer before
//! hydration. It disappears only when the server confirms the answer.
//!
//! In a conversation the message field is also the reason for a rejection. Users without one, and the inbox, have a
//! field in the card.

mod answers;
mod text;

use crate::{
    api::{AnswerConfirmation, ApprovalView},
    conversation::{Kind, Risk},
    people::Right,
    render::{Block, CardView, RowView, StepView},
    store::{Call, after_layout, may, use_conversation},
    ui::{
        parts::{Arming, ErrorNote, Icon, RiskBadge, varying},
        timeline::{StepInFull, provide_whole},
    },
};
use answers::Answers;
use leptos::{html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// The card of the pending approval, if there is one.
#[component]
pub fn Approval(
    /// Guards the card's buttons.
    arming: Arming,
) -> impl IntoView {
    let store = use_conversation();
    // Drops `answering`: a change of it must not redraw the card and lose a typed reason.
    let approval = store.derived(|session| {
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
    let answer = Call::of::<AnswerConfirmation>();
    let busy = Signal::derive(move || answering.get() || answer.pending().get());
    let answerable = Signal::from(store.may(Right::Answer));
    let composed = Signal::from(store.may(Right::Operate));
    let reason = RwSignal::new(String::new());
    Effect::new(move |before: Option<bool>| {
        let asked = approval.with(Option::is_some);
        match (before, asked) {
            // An error message outlives its own card, but not the arrival of the next approval.
            (Some(false), true) => answer.value().set(None),
            (Some(true), false) => reason.set(String::new()),
            _ => {}
        }
        asked
    });
    // Whether the focus goes with the card. The answer of another user does not move it.
    let loses_focus = move || {
        let answered = matches!(answer.value().get_untracked(), Some(Ok(())));
        answered || answer.pending().get_untracked() || has_focus()
    };
    let error = move || answer.value().get().and_then(Result::err);
    // The token of the card on the page.
    let shown = StoredValue::new(None::<String>);
    view! {
        {varying(move || error().map(|error| view! { <ErrorNote error /> }))}
        {varying(move || {
            let approval = approval.get();
            let token = approval.as_ref().map(|approval| approval.token.clone());
            let before = shown.try_update_value(|shown| std::mem::replace(shown, token.clone()));
            // The next approval may follow at once, in a card of its own.
            let goes = before.flatten().is_some_and(|before| Some(before) != token);
            if goes && is_browser() && loses_focus() {
                focus_timeline_if_lost();
            }
            approval
                .map(|approval| {
                    view! { <Question conversation=store.id() approval answerable answer busy reason composed arming /> }
                })
        })}
    }
    .into_any()
}

/// Whether the card contains the focus.
fn has_focus() -> bool {
    let focused = document().active_element();
    focused.is_some_and(|element| matches!(element.closest(".approval"), Ok(Some(_))))
}

/// Focuses the timeline if the focused button disappeared with its card. The message field would be the wrong target:
/// focus there opens the keyboard of a phone.
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

/// The pending actions in full, with the answer buttons.
#[component]
pub fn Question(
    /// The id of the conversation.
    conversation: String,
    /// The pending approval.
    approval: ApprovalView,
    /// Whether the current user may answer.
    answerable: Signal<bool>,
    /// The server call.
    answer: Call,
    /// Whether an answer is in flight.
    busy: Signal<bool>,
    /// The typed reason.
    reason: RwSignal<String>,
    /// Whether the message field of the page has the reason.
    composed: Signal<bool>,
    /// Guards the buttons.
    arming: Arming,
) -> impl IntoView {
    let card = NodeRef::<html::Section>::new();
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
    let is_long = is_long(&rows);
    let low = RwSignal::new(false);
    let alone = rows.iter().filter_map(step).count() == 1;
    let steps = rows
        .into_iter()
        .map(|row| view! { <PendingAction conversation=conversation.clone() row alone /> });
    let steps = steps.collect_view();
    view! {
        <section
            class="approval"
            node_ref=card
            data-risk=risk_word(risk)
            data-low=move || low.get().then_some("")
            aria-labelledby=labelled_by
        >
            <header class="approval__head">
                <h2 class="approval__title" id=title_id>
                    {title}
                </h2>
                <RiskBadge risk />
                {is_long.then(|| view! { <Pull low /> })}
                // Shown on a phone while another panel covers the timeline.
                <a class="button button--small approval__open" href="?" data-noscroll="">
                    {text::review()}
                </a>
            </header>
            <div class="approval__what" data-arms="whole" tabindex="0" role="group" aria-label=text::action()>
                {caution.map(|caution| view! { <p class="approval__remark">{caution}</p> })}
                {steps}
            </div>
            {varying(move || {
                if answerable.get() {
                    view! {
                        <Answers id=conversation.clone() token=token.clone() answer busy reason composed arming card />
                    }
                        .into_any()
                } else {
                    // Visitors of a shared link have no role.
                    let remark = if may(Right::Read) {
                        text::read_only()
                    } else {
                        text::read_only_visitor()
                    };
                    view! { <p class="approval__remark">{remark}</p> }.into_any()
                }
            })}
        </section>
    }
    .into_any()
}

/// Pulls the sheet of a phone down, to read the timeline behind it, and up again.
#[component]
fn Pull(low: RwSignal<bool>) -> impl IntoView {
    view! {
        <button
            type="button"
            class="button button--quiet button--small approval__pull"
            data-needs-script
            aria-label=text::whole_sheet()
            aria-expanded=move || if low.get() { "false" } else { "true" }
            on:click=move |_| low.update(|low| *low = !*low)
        >
            <Icon name="chevron" />
        </button>
    }
}

#[component]
fn PendingAction(conversation: String, row: RowView, alone: bool) -> impl IntoView {
    let id = row.id;
    // "Show all" replaces this row by the full one.
    let view = ArcRwSignal::new(row);
    let trouble = provide_whole(conversation, view.clone());
    view! {
        <div class="approval__action">
            {varying(move || {
                let RowView { kind, card, .. } = view.get();
                match card {
                    CardView::Step(step) => view! { <StepInFull id kind step alone /> }.into_any(),
                    _ => ().into_any(),
                }
            })}
            {varying(move || trouble.get().map(|error| view! { <ErrorNote error /> }))}
        </div>
    }
    .into_any()
}

fn step(row: &RowView) -> Option<&StepView> {
    match &row.card {
        CardView::Step(step) => Some(step),
        _ => None,
    }
}

/// Whether the card takes most of a phone's screen.
fn is_long(rows: &[RowView]) -> bool {
    let is_long = |block: &Block| match block {
        Block::Code { text, .. } => text.len() > 200 || text.lines().count() > 4,
        Block::Diff(_) | Block::File(_) => true,
        _ => false,
    };
    let mut steps = rows.iter().filter_map(step);
    rows.len() > 1 || steps.any(|step| step.thought.len() > 200 || step.blocks.iter().any(is_long))
}

/// The heading of the card.
fn title(rows: &[RowView]) -> String {
    let mut steps = rows.iter().filter(|row| step(row).is_some());
    match (steps.next(), steps.count()) {
        (Some(row), 0) => allow(row.kind).to_owned(),
        (Some(_), more) => text::allow_actions(more + 1),
        // The status arrived before the action itself.
        (None, _) => text::needs_approval().to_owned(),
    }
}

/// The heading for one action.
fn allow(kind: Kind) -> &'static str {
    match kind {
        Kind::Shell => text::allow_command(),
        Kind::Cell => text::allow_cell(),
        Kind::Read => text::allow_read(),
        Kind::Edit => text::allow_edit(),
        Kind::Browser => text::allow_browser(),
        Kind::Mcp => text::allow_tool(),
        _ => text::allow_action(),
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
        assert_eq!(title(&[]), "The agent needs approval");
    }
}
