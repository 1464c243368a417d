//! The goal and the task list, pinned above the message field until they are complete.

use super::text;
use crate::ui::parts::varying;
use crate::{
    conversation::{Goal, Task, TaskStatus},
    store::use_conversation,
    ui::timeline::TaskList,
};
use leptos::prelude::*;

/// The progress of the tasks; a click opens the whole list.
#[component]
pub(super) fn PinnedTasks() -> impl IntoView {
    let store = use_conversation();
    let tasks = store.derived(|session| session.tasks.clone());
    let open = Memo::new(move |_| {
        tasks.with(|tasks| tasks.iter().any(|task| task.status != TaskStatus::Done))
    });
    let done = move || {
        let is_done = |task: &&Task| task.status == TaskStatus::Done;
        tasks.with(|tasks| tasks.iter().filter(is_done).count())
    };
    let now = move || {
        let is_now = |task: &&Task| task.status == TaskStatus::InProgress;
        let task = tasks.with(|tasks| tasks.iter().find(is_now).map(|task| task.title.clone()));
        task.unwrap_or_default()
    };
    any_view! {
        {varying(move || {
            open.get()
                .then(|| {
                    view! {
                        <details class="pinned">
                            <summary class="pinned__head">
                                <span class="pinned__label number">
                                    {varying(move || text::tasks(done(), tasks.with(Vec::len)))}
                                </span>
                                <span class="pinned__now truncate muted">{varying(now)}</span>
                            </summary>
                            {varying(move || view! { <TaskList tasks=tasks.get() /> })}
                        </details>
                    }
                })
        })}
    }
}

/// The goal that the agent works towards, and its progress.
#[component]
pub(super) fn PinnedGoal() -> impl IntoView {
    let goal = use_conversation().derived(|session| session.goal.clone());
    varying(move || {
        let goal = goal.get()?;
        let missing = (!goal.missing.is_empty()).then(|| {
            view! { <p class="pinned__text muted">{text::missing(&goal.missing)}</p> }
        });
        Some(view! {
            <details class="pinned">
                <summary class="pinned__head">
                    <span class="pinned__label number">{progress(&goal)}</span>
                    <span class="pinned__now truncate muted">{goal.objective.clone()}</span>
                </summary>
                <p class="pinned__text">{goal.objective}</p>
                {missing}
            </details>
        })
    })
}

fn progress(goal: &Goal) -> String {
    let round = match goal.rounds {
        Some(rounds) => text::round_of(goal.round, rounds),
        None => text::round(goal.round),
    };
    match goal.status.as_str() {
        "running" => text::goal_running(round),
        "complete" => text::goal_reached().to_owned(),
        "capped" => text::goal_capped(round),
        "interrupted" => text::goal_interrupted(round),
        other => text::goal_other(other, round),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_far_a_goal_is() {
        let goal = |status: &str, rounds| Goal {
            status: status.to_owned(),
            round: 2,
            rounds,
            ..Goal::default()
        };
        assert_eq!(progress(&goal("running", Some(5))), "Goal: round 2 of 5");
        assert_eq!(progress(&goal("complete", None)), "Goal reached");
        assert_eq!(progress(&goal("odd", None)), "Goal odd: round 2");
    }
}
