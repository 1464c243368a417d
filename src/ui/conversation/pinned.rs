//! The task list, pinned above the message field while there is something left to do.

use crate::{conversation::TaskStatus, store::use_conversation, ui::timeline::TaskList};
use leptos::prelude::*;

/// How far the tasks are, with the whole list one click away.
#[component]
pub(super) fn PinnedTasks() -> impl IntoView {
    let store = use_conversation();
    let tasks = store.of_session(|session| session.tasks.clone());
    let open = Memo::new(move |_| {
        tasks
            .read()
            .iter()
            .any(|task| task.status != TaskStatus::Done)
    });
    let done = move || {
        tasks
            .read()
            .iter()
            .filter(|task| task.status == TaskStatus::Done)
            .count()
    };
    let now = move || {
        let tasks = tasks.read();
        let task = tasks
            .iter()
            .find(|task| task.status == TaskStatus::InProgress);
        task.map(|task| task.title.clone()).unwrap_or_default()
    };
    view! {
        {move || {
            open.get()
                .then(|| {
                    view! {
                        <details class="pinned">
                            <summary class="pinned__head">
                                <span class="pinned__label number">
                                    {move || format!("Tasks {} of {}", done(), tasks.read().len())}
                                </span>
                                <span class="pinned__now truncate muted">{now}</span>
                            </summary>
                            {move || view! { <TaskList tasks=tasks.get() /> }}
                        </details>
                    }
                })
        }}
    }
    .into_any()
}
