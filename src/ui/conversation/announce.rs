//! Says aloud, to those who cannot see it change, that an answer is needed or that the agent has ended.

use crate::{api::SessionView, conversation::Status, render::CardView, store::use_conversation};
use leptos::prelude::*;

/// A live region. What happens is announced, and at first only what needs an answer.
#[component]
pub(super) fn Announcer() -> impl IntoView {
    let store = use_conversation();
    let words = store.of_session(words);
    let said = RwSignal::new(String::new());
    Effect::new(move |before: Option<String>| {
        let words = words.get();
        let news = match before {
            Some(before) => before != words,
            None => store.session.read_untracked().approval.is_some(),
        };
        if news {
            said.set(words.clone());
        }
        words
    });
    view! {
        <div class="visually-hidden" role="status" aria-live="polite">
            {move || said.get()}
        </div>
    }
}

fn words(session: &SessionView) -> String {
    if let Some(approval) = &session.approval {
        let what = approval.rows.iter().find_map(|row| match &row.card {
            CardView::Step(step) => Some(format!(": {} {}", step.verb, step.subject)),
            _ => None,
        });
        return format!("Your answer is needed{}", what.unwrap_or_default());
    }
    match &session.status {
        Status::Finished => "The agent has finished".to_owned(),
        Status::AwaitingInput => "The agent waits for a message".to_owned(),
        Status::Error | Status::Stuck => "The agent has stopped on an error".to_owned(),
        Status::Paused => "Paused".to_owned(),
        Status::Stopped => "Stopped".to_owned(),
        _ => String::new(),
    }
}
