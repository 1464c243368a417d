//! A task list.

use crate::conversation::{Task, TaskStatus};
use leptos::prelude::*;

/// A task list.
#[component]
pub fn TaskList(tasks: Vec<Task>) -> impl IntoView {
    let tasks = tasks.into_iter().map(|task| {
        let (word, says) = match task.status {
            TaskStatus::Todo => ("todo", "to do"),
            TaskStatus::InProgress => ("in_progress", "in progress"),
            TaskStatus::Done => ("done", "done"),
        };
        let notes =
            (!task.notes.is_empty()).then(|| view! { <p class="task__notes">{task.notes}</p> });
        view! {
            <li class="task" data-status=word>
                <span class="task__title">{task.title}</span>
                <span class="visually-hidden">{format!(" ({says})")}</span>
                {notes}
            </li>
        }
    });
    view! { <ol class="tasks">{tasks.collect_view()}</ol> }
}
