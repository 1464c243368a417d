//! The three controls of the agent: Pause, Resume and Stop.

use super::text;
use crate::{
    api::{Steer, Steering},
    backend::{LineState, Runtime},
    conversation::Status,
    store::use_conversation,
    ui::{
        parts::{Arming, ErrorNote},
        shell::ServerForm,
    },
};
use leptos::{html, prelude::*};
use wasm_bindgen::JsCast;

/// The controls that apply to the current state.
#[component]
pub(super) fn Controls() -> impl IntoView {
    let store = use_conversation();
    let steer = ServerAction::<Steer>::new();
    let interrupts = store
        .backend
        .with_value(|backend| backend.capabilities.interrupt);
    let offered = store.of_session(move |session| {
        let reachable = session.runtime == Runtime::Running
            && !matches!(session.line, LineState::Refused { .. });
        if reachable && session.status == Status::Idle {
            // After a rejection the agent waits to be resumed; before its first model call there is nothing to resume.
            let began = session.metrics.prompt_tokens > 0;
            if began { &[Steering::Resume][..] } else { &[] }
        } else if reachable {
            offered(&session.status)
        } else {
            &[]
        }
    });
    let pausing = store.of_session(|session| session.pausing);
    // Controls replace each other in place, so they need arming. They may move with the text beside them, because Stop
    // must stay usable.
    let arming = Arming::new(false);
    let group = NodeRef::<html::Div>::new();
    Effect::new(move || {
        offered.track();
        if let Some(group) = group.get() {
            arming.begin(group.unchecked_into());
        }
    });
    let error = move || steer.value().get().and_then(Result::err);
    view! {
        <ServerForm action=steer>
            <input type="hidden" name="id" value=store.id() />
            <div class="cluster" node_ref=group>
                {move || {
                    arming.disarm();
                    offered
                        .get()
                        .iter()
                        .map(|order| view! { <Control order=*order interrupts busy=steer.pending() arming /> })
                        .collect_view()
                }}
            </div>
        </ServerForm>
        <span class="muted" role="status">
            {move || pausing.get().then(text::pausing)}
        </span>
        {move || error().map(|error| view! { <ErrorNote error /> })}
    }
    .into_any()
}

/// The controls that apply to a status. Resume is never offered while an approval is pending: it would approve the
/// action.
fn offered(status: &Status) -> &'static [Steering] {
    match status {
        status if status.can_pause() => &[Steering::Pause, Steering::Stop],
        Status::AwaitingConfirmation => &[Steering::Stop],
        Status::Paused => &[Steering::Resume, Steering::Stop],
        Status::Stopped | Status::Error | Status::Stuck => &[Steering::Resume],
        _ => &[],
    }
}

#[component]
fn Control(order: Steering, interrupts: bool, busy: Memo<bool>, arming: Arming) -> impl IntoView {
    let waits = arming.waits();
    let (value, label, class, says) = match order {
        Steering::Pause => ("pause", text::pause(), "button", text::pause_hint()),
        Steering::Resume => (
            "resume",
            text::resume(),
            "button button--primary",
            text::resume_hint(),
        ),
        Steering::Stop if interrupts => (
            "stop",
            text::stop(),
            "button button--danger",
            text::stop_hint(),
        ),
        Steering::Stop => (
            "stop",
            text::stop(),
            "button button--danger",
            text::stop_hint_later(),
        ),
    };
    view! {
        <button
            class=class
            name="order"
            value=value
            title=says
            data-arms=""
            aria-busy=move || busy.get().then_some("true")
            aria-disabled=move || waits.get().then_some("true")
            on:click=move |click| arming.guard(&click)
        >
            <span>{label}</span>
        </button>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_could_mean_yes_is_offered_while_an_answer_is_awaited() {
        assert_eq!(offered(&Status::AwaitingConfirmation), [Steering::Stop]);
    }
}
