//! The agent's plan.

use super::panel::Frame;
use crate::store::use_conversation;
use crate::ui::parts::EmptyState;
use crate::ui::timeline::TaskList;
use leptos::prelude::*;

/// The task list as it is now.
#[component]
pub fn TasksPanel() -> impl IntoView {
    let tasks = use_conversation().of_session(|session| session.tasks.clone());
    view! {
        <Frame title="Tasks">
            {move || {
                let tasks = tasks.get();
                if tasks.is_empty() {
                    view! { <EmptyState title="No tasks" text="Agents write a plan for longer work; it appears here."/> }
                        .into_any()
                } else {
                    view! { <TaskList tasks/> }.into_any()
                }
            }}
        </Frame>
    }
}
