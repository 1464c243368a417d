//! Screen reader announcements: an action needs approval, or the agent has stopped.

use super::text;
use crate::ui::parts::varying;
use crate::{
    api::SessionView, backend::Runtime, conversation::Status, render::CardView,
    store::use_conversation,
};
use leptos::prelude::*;

/// A live region. It announces every change, and on page load only a pending approval.
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
            {varying(move || said.get())}
        </div>
    }
}

fn words(session: &SessionView) -> String {
    if let Some(approval) = &session.approval {
        let what = approval.rows.iter().find_map(|row| match &row.card {
            CardView::Step(step) => Some(text::approval_needed_to(&step.verb, &step.subject)),
            _ => None,
        });
        return what.unwrap_or_else(|| text::approval_needed().to_owned());
    }
    if session.runtime == Runtime::Error {
        return text::sandbox_failed_short().to_owned();
    }
    match &session.status {
        Status::Finished => text::agent_finished(),
        Status::AwaitingInput => text::agent_waiting(),
        Status::Error | Status::Stuck => text::agent_failed(),
        Status::Paused => text::agent_paused(),
        Status::Stopped => text::agent_stopped(),
        _ => "",
    }
    .to_owned()
}
