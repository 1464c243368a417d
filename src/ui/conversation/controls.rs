//! The three controls of the agent: Pause, Resume and Stop. The header of a phone has room for one of them; the other is
//! in the menu.

use super::text;
use crate::ui::parts::varying;
use crate::{
    api::Steering,
    backend::{ConnectionState, Runtime},
    conversation::{Remedy, Status},
    render::CardView,
    store::{Call, ConversationStore, Derived, use_conversation},
    ui::{
        parts::{Arming, TooEarly},
        shell::ServerForm,
    },
};
use leptos::{html, prelude::*};
use wasm_bindgen::JsCast;

/// The controls that apply to the current state.
fn offered_now(store: ConversationStore) -> Derived<&'static [Steering]> {
    store.derived(move |session| {
        let reachable = session.runtime == Runtime::Running
            && !matches!(session.connection, ConnectionState::Refused { .. });
        let offered = if reachable && session.status == Status::Idle {
            // After a rejection the agent waits to be resumed; before its first model call there is nothing to resume.
            let began = session.metrics.prompt_tokens > 0;
            if began { &[Steering::Resume][..] } else { &[] }
        } else if reachable && !(session.status == Status::Error && offers_retry(store)) {
            offered(&session.status)
        } else {
            &[]
        };
        match offered {
            // A budget that is used up has to be lifted first.
            [Steering::Resume, rest @ ..] if session.budget.is_some() => rest,
            offered => offered,
        }
    })
}

/// Whether the newest row is a failure that can be tried again: its Retry does what Resume would.
fn offers_retry(store: ConversationStore) -> bool {
    let newest = store.timeline.last();
    newest.is_some_and(|newest| match &newest.view.read().card {
        CardView::Notice(notice) => {
            matches!(notice.remedy, Some(Remedy::Settings | Remedy::Retry))
        }
        _ => false,
    })
}

/// The buttons of the controls that apply.
#[component]
pub(super) fn Controls(steer: Call) -> impl IntoView {
    let store = use_conversation();
    let interrupts = interrupts(store);
    let offered = offered_now(store);
    // Controls replace each other in place, so they need arming, except Stop, which must be usable at any time. They may
    // move with the text beside them.
    let arming = Arming::new(false);
    let group = NodeRef::<html::Div>::new();
    Effect::new(move || {
        let any_waits = offered.get().iter().any(|order| *order != Steering::Stop);
        if let Some(group) = group.get().filter(|_| any_waits) {
            arming.begin(group.unchecked_into());
        }
    });
    any_view! {
        <ServerForm action=steer>
            <input type="hidden" name="id" value=store.id() />
            <div class="cluster" node_ref=group>
                {varying(move || {
                    arming.disarm();
                    let offered = offered.get();
                    let secondary = secondary_of(offered);
                    offered
                        .iter()
                        .map(|order| {
                            let secondary = Some(*order) == secondary;
                            view! { <Control order=*order secondary interrupts busy=steer.pending() arming /> }
                        })
                        .collect_view()
                })}
                <TooEarly arming />
            </div>
        </ServerForm>
    }
}

/// The control that a phone has in the menu.
#[component]
pub(super) fn ControlAside(steer: Call) -> impl IntoView {
    let store = use_conversation();
    let interrupts = interrupts(store);
    let offered = offered_now(store);
    varying(move || {
        secondary_of(offered.get()).map(|order| {
            let (value, label, _, says) = describe(order, interrupts);
            view! {
                <ServerForm action=steer class="menu__item--narrow">
                    <input type="hidden" name="id" value=store.id() />
                    <button class="menu__item" name="order" value=value title=says>
                        {label}
                    </button>
                </ServerForm>
            }
        })
    })
}

/// Whether Stop kills the running command.
fn interrupts(store: ConversationStore) -> bool {
    store
        .backend
        .with_value(|backend| backend.capabilities.interrupt)
}

/// Of two controls, the one that is needed less urgently.
fn secondary_of(offered: &[Steering]) -> Option<Steering> {
    match offered {
        [Steering::Pause, _] => Some(Steering::Pause),
        [_, second] => Some(*second),
        _ => None,
    }
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

/// The value, label, class and hint of a control.
fn describe(
    order: Steering,
    interrupts: bool,
) -> (&'static str, &'static str, &'static str, &'static str) {
    match order {
        Steering::Pause => ("pause", text::pause(), "button", text::pause_hint()),
        Steering::Resume => ("resume", text::resume(), "button", text::resume_hint()),
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
    }
}

#[component]
fn Control(
    order: Steering,
    /// Whether a phone has it in the menu.
    secondary: bool,
    interrupts: bool,
    busy: Memo<bool>,
    arming: Arming,
) -> impl IntoView {
    let waits = arming.waits();
    let (value, label, class, says) = describe(order, interrupts);
    let guarded = order != Steering::Stop;
    let class = match secondary {
        true => format!("{class} button--wide"),
        false => class.to_owned(),
    };
    let arms = if secondary { "optional" } else { "" };
    any_view! {
        <button
            class=class
            name="order"
            value=value
            title=says
            data-arms=guarded.then_some(arms)
            aria-busy=move || busy.get().then_some("true")
            aria-disabled=move || (guarded && waits.get()).then_some("true")
            on:click=move |click| {
                if guarded {
                    arming.guard(&click);
                }
            }
        >
            <span>{label}</span>
        </button>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_could_mean_yes_is_offered_while_an_answer_is_awaited() {
        assert_eq!(offered(&Status::AwaitingConfirmation), [Steering::Stop]);
    }

    #[test]
    fn a_phone_has_one_control_in_its_header() {
        for status in [
            Status::Running,
            Status::Paused,
            Status::AwaitingConfirmation,
        ] {
            let offered = offered(&status);
            let secondary = usize::from(secondary_of(offered).is_some());
            assert_eq!(offered.len() - secondary, 1);
        }
        assert_eq!(
            secondary_of(offered(&Status::Running)),
            Some(Steering::Pause)
        );
        assert_eq!(secondary_of(offered(&Status::Paused)), Some(Steering::Stop));
    }
}
