//! The card of a pending approval.
//!
//! The card shows everything that will run. Its answer carries a token of exactly that content; if the content has
//! changed meanwhile, the server refuses the answer. The buttons ignore presses until the card has been visible for a
//! while, and Approve leads to what has not been in view yet. The card is a plain form, so a user can answer before
//! hydration. It disappears only when the server confirms the answer.
//!
//! In a conversation the card stands in place of the message field. Reject opens the field for a reason: there it is the
//! message field itself; users without one, and the inbox, have a field in the card.

mod amend;
mod answering;
mod answers;
mod deadline;
mod question;
mod text;
mod touch;

use crate::{
    api::{AnswerConfirmation, ApprovalView},
    people::Right,
    store::{Call, after_layout, is_focus_lost, use_conversation},
    ui::parts::{Arming, ErrorNote, varying},
};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

pub use {answering::Answering, question::Question, touch::provide_touching};

/// The card of the pending approval, if there is one.
#[component]
pub fn Approval(
    /// Guards the card's buttons.
    arming: Arming,
    /// What the message field has: the reason for a rejection.
    draft: RwSignal<String>,
    /// Whether the message field is open for a reason.
    rejecting: RwSignal<bool>,
) -> impl IntoView {
    let store = use_conversation();
    // Drops what changes by itself: that must not redraw the card and lose a typed reason.
    let approval = store.derived(|session| {
        let approval = session.approval.clone()?;
        Some(ApprovalView {
            answering: false,
            escalation: None,
            ..approval
        })
    });
    let escalation = store.derived(|session| session.approval.as_ref()?.escalation.clone());
    let escalation = Signal::derive(move || escalation.get());
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
    let reasoned = Signal::derive(move || {
        let field = if composed.get() { draft } else { reason };
        field.with(|text| !text.trim().is_empty())
    });
    let card = Answering {
        answer,
        busy,
        reason,
        composed,
        reasoned,
        rejecting,
        arming,
    };
    let place = store.place();
    Effect::new(move |before: Option<bool>| {
        let asked = approval.with(Option::is_some);
        match (before, asked) {
            // An error message outlives its own card, but not the arrival of the next approval.
            (Some(false), true) => {
                answer.value().set(None);
                // Who is writing goes on writing: it is the reason now.
                rejecting.set(writes_message());
            }
            (Some(true), false) => {
                reason.set(String::new());
                rejecting.set(false);
            }
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
    any_view! {
        {varying(move || error().map(|error| view! { <ErrorNote error /> }))}
        {varying(move || {
            let approval = approval.get();
            let token = approval.as_ref().map(|approval| approval.token.clone());
            let before = shown.try_update_value(|shown| std::mem::replace(shown, token.clone()));
            // The next approval may follow at once, in a card of its own.
            let goes = before.flatten().is_some_and(|before| Some(before) != token);
            if goes && is_browser() {
                rejecting.set(false);
                if loses_focus() {
                    focus_timeline_if_lost();
                }
            }
            approval
                .map(|approval| {
                    view! {
                        <Question conversation=store.id() place=place.clone() approval answerable role=store.role() answering=card escalation />
                    }
                })
        })}
    }
}

/// Whether the message field has the focus.
fn writes_message() -> bool {
    let focused = document().active_element();
    focused.is_some_and(|element| element.id() == "message")
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
        if is_focus_lost()
            && let Ok(Some(timeline)) = document().query_selector(".timeline")
        {
            let _ = timeline.unchecked_into::<HtmlElement>().focus();
        }
    });
}
