//! The answer to a pending approval: the buttons and the field for a reason.

use super::{
    answering::Answering,
    text,
    touch::{IfTouching, TouchField, Touching},
};
use crate::ui::parts::varying;
use crate::{
    store::{after_layout, me, remember, remembered, use_offline},
    ui::{
        parts::{Arming, TooEarly},
        shell::ServerForm,
    },
};
use leptos::{html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlTextAreaElement, MouseEvent};

/// The answer buttons and the field for a reason.
#[component]
pub(super) fn Answers(
    /// The id of the conversation.
    id: String,
    /// The token of exactly the content that is answered.
    token: String,
    answering: Answering,
    /// Whether the current user may approve it now.
    approvable: Signal<bool>,
    /// The card that the buttons belong to.
    card: NodeRef<html::Section>,
    /// Whether approving needs a touch of a passkey, and if so, whether the user can.
    touching: Option<Touching>,
) -> impl IntoView {
    let Answering {
        answer,
        busy,
        arming,
        composed,
        ..
    } = answering;
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
    // An answer is never kept for later: by then something else may be pending.
    let offline = use_offline();
    let disabled = Signal::derive(move || busy.get() || offline.get());
    any_view! {
        <span class="visually-hidden" role="status">
            {varying(move || told.get())}
        </span>
        {varying(move || {
            offline.get().then(|| view! { <p class="approval__remark">{text::offline()}</p> })
        })}
        <ServerForm action=answer class="approval__answers">
            <input type="hidden" name="id" value=id />
            <input type="hidden" name="token" value=token />
            {varying(move || {
                (!composed.get())
                    .then(|| view! { <Reason about=about.clone() answering /> })
            })}
            <Reject disabled answering card />
            {varying(move || {
                approvable
                    .get()
                    .then(|| match touching {
                        None => any_view! { <Approve busy disabled arming touches=false /> },
                        Some(touching) => {
                            let draw = move || {
                                any_view! { <Approve busy disabled arming touches=true /> }
                            };
                            any_view! {
                                <TouchField />
                                <IfTouching touching draw />
                            }
                        }
                    })
            })}
            <TooEarly arming />
        </ServerForm>
    }
}

/// The reason for a rejection. A multi-line field, so that Enter never submits the form. The text is kept on this
/// device until the answer is accepted.
#[component]
fn Reason(
    /// The token of the approval.
    about: String,
    answering: Answering,
) -> impl IntoView {
    let Answering {
        reason,
        rejecting,
        answer,
        ..
    } = answering;
    let field = NodeRef::<html::Textarea>::new();
    let key = StoredValue::new(format!("reason/{}/{about}", me().name));
    Effect::new(move || {
        if let (Some(field), Some(kept)) = (field.get(), remembered(&key.get_value()))
            && field.value().is_empty()
        {
            field.set_value(&kept);
            reason.set(kept);
            rejecting.set(true);
        }
    });
    answer.on_success(move || remember(&key.get_value(), None));
    let typed = move |text: String| {
        let kept = (!text.is_empty()).then_some(text.as_str());
        remember(&key.get_value(), kept);
        reason.set(text);
    };
    any_view! {
        <textarea
            class="input textarea approval__reason"
            name="reason"
            rows="1"
            dir="auto"
            aria-label=text::reason()
            placeholder=text::reason_placeholder()
            node_ref=field
            on:input:target=move |event| typed(event.target().value())
        >
            {reason.get_untracked()}
        </textarea>
    }
}

/// Opens the field for a reason, and then rejects, with the reason if there is one: sending the message field rejects, too.
#[component]
fn Reject(
    disabled: Signal<bool>,
    answering: Answering,
    card: NodeRef<html::Section>,
) -> impl IntoView {
    let Answering {
        busy,
        composed,
        reasoned,
        rejecting,
        arming,
        ..
    } = answering;
    let waits = arming.waits();
    let press = move |click: MouseEvent| {
        if !rejecting.get_untracked() && !reasoned.get_untracked() {
            click.prevent_default();
            rejecting.set(true);
            after_layout(move || focus_reason(card));
            return;
        }
        arming.guard(&click);
        if !click.default_prevented() && composed.get_untracked() && send_message() {
            click.prevent_default();
        }
    };
    any_view! {
        <button
            class="button button--danger button--large"
            name="decision"
            value="reject"
            data-arms=""
            disabled=move || disabled.get()
            aria-busy=move || busy.get().then_some("true")
            aria-disabled=move || waits.get().then_some("true")
            on:click=press
        >
            <span>
                {varying(move || match reasoned.get() {
                    true => text::reject_with_reason(),
                    false => text::reject(),
                })}
            </span>
        </button>
    }
}

/// Approves, or shows what has not been in view yet.
#[component]
fn Approve(
    busy: Signal<bool>,
    disabled: Signal<bool>,
    arming: Arming,
    /// Whether a touch of a passkey comes before it.
    touches: bool,
) -> impl IntoView {
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
        None if touches => text::approve_with_passkey().to_owned(),
        None => text::approve().to_owned(),
        Some(0) => text::show_rest().to_owned(),
        Some(count) => text::more_below(count),
    };
    any_view! {
        <button
            class="button button--approve button--large"
            name="decision"
            value="approve"
            data-arms=""
            data-rest=move || rest.get().map(|_| "")
            data-touch=touches.then_some("")
            data-needs-script=touches.then_some("")
            disabled=move || disabled.get()
            aria-busy=move || busy.get().then_some("true")
            aria-disabled=move || (waits.get() && rest.get().is_none()).then_some("true")
            on:click=press
        >
            <span>{varying(label)}</span>
        </button>
    }
}

/// Focuses the field for the reason: that of the card, or the message field.
fn focus_reason(card: NodeRef<html::Section>) {
    // The approval may have been answered since this was ordered.
    let own = card
        .try_get_untracked()
        .flatten()
        .and_then(|card| card.query_selector(".approval__reason").ok().flatten());
    let field = own.or_else(|| document().get_element_by_id("message"));
    if let Some(field) = field.and_then(|field| field.dyn_into::<HtmlElement>().ok()) {
        let _ = field.focus();
    }
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
