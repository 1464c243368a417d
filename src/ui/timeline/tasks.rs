//! A task list.

use super::text;
use crate::conversation::{Task, TaskStatus};
use leptos::prelude::*;

/// A task list.
#[component]
pub fn TaskList(tasks: Vec<Task>) -> impl IntoView {
    let tasks = tasks.into_iter().map(|task| {
        let (word, says) = match task.status {
            TaskStatus::Todo => ("todo", text::task_todo()),
            TaskStatus::InProgress => ("in_progress", text::task_in_progress()),
            TaskStatus::Done => ("done", text::task_done()),
        };
        let notes =
            (!task.notes.is_empty()).then(|| view! { <p class="task__notes">{task.notes}</p> });
        view! {
            <li class="task" data-status=word>
                <span class="task__title">{task.title}</span>
                <span class="visually-hidden">{text::task_status(says)}</span>
                {notes}
            </li>
        }
    });
    view! { <ol class="tasks">{tasks.collect_view()}</ol> }
}
