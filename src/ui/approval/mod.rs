//! The card of a pending approval.
//!
//! The card shows everything that will run. Its answer carries a token of exactly that content; if the content has
//! changed meanwhile, the server refuses the answer. The buttons ignore presses until the card has been visible for a
//! while, and Approve leads to what has not been in view yet. The card is a plain form, so a user can answer before
//! hydration. It disappears only when the server confirms the answer.
//!
//! In a conversation the message field is also the reason for a rejection. Users without one, and the inbox, have a
//! field in the card.

mod text;

use crate::{
    api::{AnswerConfirmation, ApprovalView},
    conversation::{Kind, Risk},
    people::Right,
    render::{CardView, RowView, StepView},
    store::{after_layout, may, me, remember, remembered, use_conversation},
    ui::{
        parts::{Arming, ErrorNote, RiskBadge},
        shell::ServerForm,
        timeline::{StepInFull, provide_whole},
    },
};
use leptos::{html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlTextAreaElement, MouseEvent};

/// The card of the pending approval, if there is one.
#[component]
pub fn Approval(
    /// Guards the card's buttons.
    arming: Arming,
) -> impl IntoView {
    let store = use_conversation();
    // Drops `answering`: a change of it must not redraw the card and lose a typed reason.
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
    let composed = Signal::from(store.may(Right::Operate));
    let reason = RwSignal::new(String::new());
    Effect::new(move |before: Option<bool>| {
        let asked = approval.read().is_some();
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
    view! {
        {move || error().map(|error| view! { <ErrorNote error /> })}
        {move || {
            let approval = approval.get();
            if approval.is_none() && is_browser() && loses_focus() {
                focus_timeline_if_lost();
            }
            approval
                .map(|approval| {
                    view! { <Question conversation=store.id() approval answerable answer busy reason composed arming /> }
                })
        }}
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
    answer: ServerAction<AnswerConfirmation>,
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
    let alone = rows.iter().filter_map(step).count() == 1;
    let steps = rows
        .into_iter()
        .map(|row| view! { <Waiting conversation=conversation.clone() row alone /> });
    let steps = steps.collect_view();
    view! {
        <section class="approval" node_ref=card data-risk=risk_word(risk) aria-labelledby=labelled_by>
            <header class="approval__head">
                <h2 class="approval__title" id=title_id>
                    {title}
                </h2>
                <RiskBadge risk />
                // Shown on a phone while another panel covers the timeline.
                <a class="button button--small approval__open" href="?" data-noscroll="">
                    {text::review()}
                </a>
            </header>
            <div class="approval__what" data-arms="whole" tabindex="0" role="group" aria-label=text::action()>
                {caution.map(|caution| view! { <p class="approval__remark">{caution}</p> })}
                {steps}
            </div>
            {move || {
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
            }}
        </section>
    }
    .into_any()
}

/// The answer buttons and the field for a reason.
#[component]
pub fn Answers(
    /// The id of the conversation.
    id: String,
    /// The token of exactly the content that is answered.
    token: String,
    /// The server call.
    answer: ServerAction<AnswerConfirmation>,
    /// Whether an answer is in flight.
    busy: Signal<bool>,
    /// The typed reason.
    reason: RwSignal<String>,
    /// Whether the message field of the page has the reason.
    composed: Signal<bool>,
    /// Guards the buttons.
    arming: Arming,
    /// The card that the buttons belong to.
    card: NodeRef<html::Section>,
) -> impl IntoView {
    arming.disarm();
    Effect::new(move || {
        if let Some(card) = card.get() {
            arming.begin(card.unchecked_into());
        }
    });
    // A screen reader announces once that the buttons are armed, if the focus is inside the card.
    let told = RwSignal::new("");
    let waits = arming.waits();
    Effect::new(move |before: Option<bool>| {
        let waits = waits.get();
        let is_here = || {
            let element = document().active_element();
            card.with_untracked(|card| {
                card.as_ref()
                    .is_some_and(|card| card.contains(element.as_deref()))
            })
        };
        let is_read = || arming.rest().get_untracked().is_none();
        if before == Some(true) && !waits && is_read() && is_here() {
            told.set(text::armed());
        }
        waits
    });
    let about = token.clone();
    view! {
        <span class="visually-hidden" role="status">
            {move || told.get()}
        </span>
        <ServerForm action=answer class="approval__answers">
            <input type="hidden" name="id" value=id />
            <input type="hidden" name="token" value=token />
            {move || {
                (!composed.get()).then(|| view! { <Reason about=about.clone() reason answer /> })
            }}
            <Reject busy composed arming />
            <Approve busy arming />
        </ServerForm>
    }
    .into_any()
}

/// The reason for a rejection. A multi-line field, so that Enter never submits the form. The text is kept on this
/// device until the answer is accepted.
#[component]
fn Reason(
    /// The token of the approval.
    about: String,
    reason: RwSignal<String>,
    answer: ServerAction<AnswerConfirmation>,
) -> impl IntoView {
    let field = NodeRef::<html::Textarea>::new();
    let key = StoredValue::new(format!("reason/{}/{about}", me().name));
    Effect::new(move || {
        if let (Some(field), Some(kept)) = (field.get(), remembered(&key.get_value()))
            && field.value().is_empty()
        {
            field.set_value(&kept);
            reason.set(kept);
        }
    });
    Effect::new(move || {
        if matches!(answer.value().get(), Some(Ok(()))) {
            remember(&key.get_value(), None);
        }
    });
    let typed = move |text: String| {
        let kept = (!text.is_empty()).then_some(text.as_str());
        remember(&key.get_value(), kept);
        reason.set(text);
    };
    view! {
        <textarea
            class="input textarea approval__reason"
            name="reason"
            rows="1"
            aria-label=text::reason()
            placeholder=text::reason_placeholder()
            node_ref=field
            on:input:target=move |event| typed(event.target().value())
        >
            {reason.get_untracked()}
        </textarea>
    }
    .into_any()
}

/// Rejects, with the text in the message field as the reason if there is any: sending it rejects, too.
#[component]
fn Reject(busy: Signal<bool>, composed: Signal<bool>, arming: Arming) -> impl IntoView {
    let waits = arming.waits();
    let press = move |click: MouseEvent| {
        arming.guard(&click);
        if !click.default_prevented() && composed.get_untracked() && send_message() {
            click.prevent_default();
        }
    };
    view! {
        <button
            class="button button--danger button--large"
            name="decision"
            value="reject"
            data-arms=""
            disabled=move || busy.get()
            aria-busy=move || busy.get().then_some("true")
            aria-disabled=move || waits.get().then_some("true")
            on:click=press
        >
            <span>{text::reject()}</span>
        </button>
    }
    .into_any()
}

/// Approves, or shows what has not been in view yet.
#[component]
fn Approve(busy: Signal<bool>, arming: Arming) -> impl IntoView {
    let (waits, rest) = (arming.waits(), arming.rest());
    let press = move |click: MouseEvent| {
        if rest.get_untracked().is_some() {
            click.prevent_default();
            arming.show_rest();
        } else {
            arming.guard(&click);
        }
    };
    let label = move || match rest.get() {
        None => text::approve().to_owned(),
        Some(0) => text::show_rest().to_owned(),
        Some(count) => text::more_below(count),
    };
    view! {
        <button
            class="button button--approve button--large"
            name="decision"
            value="approve"
            data-arms=""
            data-rest=move || rest.get().map(|_| "")
            disabled=move || busy.get()
            aria-busy=move || busy.get().then_some("true")
            aria-disabled=move || (waits.get() && rest.get().is_none()).then_some("true")
            on:click=press
        >
            <span>{label}</span>
        </button>
    }
    .into_any()
}

/// Sends the text in the message field; `false` if there is none.
fn send_message() -> bool {
    let field = document()
        .get_element_by_id("message")
        .and_then(|field| field.dyn_into::<HtmlTextAreaElement>().ok())
        .filter(|field| !field.value().trim().is_empty());
    let form = field.and_then(|field| field.form());
    form.is_some_and(|form| form.request_submit().is_ok())
}

#[component]
fn Waiting(conversation: String, row: RowView, alone: bool) -> impl IntoView {
    let id = row.id;
    // "Show all" replaces this row by the full one.
    let view = ArcRwSignal::new(row);
    let trouble = provide_whole(conversation, view.clone());
    view! {
        <div class="approval__action">
            {move || {
                let RowView { kind, card, .. } = view.get();
                match card {
                    CardView::Step(step) => view! { <StepInFull id kind step alone /> }.into_any(),
                    _ => ().into_any(),
                }
            }}
            {move || trouble.get().map(|error| view! { <ErrorNote error /> })}
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
