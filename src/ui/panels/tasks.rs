//! The agent's task list.

use super::panel::Frame;
use super::text;
use crate::store::use_conversation;
use crate::ui::parts::{EmptyState, varying};
use crate::ui::timeline::TaskList;
use leptos::prelude::*;

/// The current task list.
#[component]
pub fn TasksPanel() -> impl IntoView {
    let tasks = use_conversation().derived(|session| session.tasks.clone());
    view! {
        <Frame title=text::tasks()>
            {varying(move || {
                let tasks = tasks.get();
                if tasks.is_empty() {
                    any_view! { <EmptyState title=text::no_tasks() text=text::no_tasks_hint()/> }
                } else {
                    any_view! { <TaskList tasks/> }
                }
            })}
        </Frame>
    }
}
