//! The three controls, each saying what it really does.

use crate::{
    api::{Steer, Steering},
    backend::{LineState, Runtime},
    conversation::Status,
    store::use_conversation,
    ui::{parts::ErrorNote, shell::ServerForm},
};
use leptos::prelude::*;

/// Pause, Resume, Stop: those that make sense now.
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
            // After a rejection the agent goes on when somebody wants it; before its first word there is nothing.
            let began = session.metrics.prompt_tokens > 0;
            if began { &[Steering::Resume][..] } else { &[] }
        } else if reachable {
            offered(&session.status)
        } else {
            &[]
        }
    });
    let pausing = move || {
        let asked = matches!(
            steer.input().read().as_ref(),
            Some(Steer {
                order: Steering::Pause,
                ..
            })
        ) || matches!(steer.value().get(), Some(Ok(())));
        asked && offered.get().contains(&Steering::Pause) && steer.version().get() > 0
    };
    let error = move || steer.value().get().and_then(Result::err);
    view! {
        <ServerForm action=steer class="cluster">
            <input type="hidden" name="id" value=store.id() />
            {move || {
                offered
                    .get()
                    .iter()
                    .map(|order| view! { <Control order=*order interrupts busy=steer.pending() /> })
                    .collect_view()
            }}
        </ServerForm>
        <span class="muted" role="status">
            {move || pausing().then_some("Pauses after this step…")}
        </span>
        {move || error().map(|error| view! { <ErrorNote error /> })}
    }
    .into_any()
}

/// Which controls make sense. Never Resume while an answer is awaited: there it would be a yes.
fn offered(status: &Status) -> &'static [Steering] {
    match status {
        Status::Running | Status::Confirmed | Status::UserRejected | Status::RateLimited => {
            &[Steering::Pause, Steering::Stop]
        }
        Status::AwaitingConfirmation => &[Steering::Stop],
        Status::Paused => &[Steering::Resume, Steering::Stop],
        Status::Stopped | Status::Error | Status::Stuck => &[Steering::Resume],
        _ => &[],
    }
}

#[component]
fn Control(order: Steering, interrupts: bool, busy: Memo<bool>) -> impl IntoView {
    let (value, label, class, says) = match order {
        Steering::Pause => ("pause", "Pause", "button", "Pauses after this step"),
        Steering::Resume => (
            "resume",
            "Resume",
            "button button--primary",
            "Goes on where it was",
        ),
        Steering::Stop if interrupts => (
            "stop",
            "Stop",
            "button button--danger",
            "Stops now, the running command with it",
        ),
        Steering::Stop => (
            "stop",
            "Stop",
            "button button--danger",
            "Stops now; the running command may end later",
        ),
    };
    view! {
        <button class=class name="order" value=value title=says aria-busy=move || busy.get().then_some("true")>
            {label}
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
