//! What the work is about, pinned above the message field while something is left to do: the goal and the task list.

use crate::{
    conversation::{Goal, TaskStatus},
    store::use_conversation,
    ui::timeline::TaskList,
};
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

/// What the agent is sent back to work for, and how far that is.
#[component]
pub(super) fn PinnedGoal() -> impl IntoView {
    let goal = use_conversation().of_session(|session| session.goal.clone());
    move || {
        let goal = goal.get()?;
        let missing = (!goal.missing.is_empty()).then(|| {
            view! { <p class="pinned__text muted">{format!("Still missing: {}", goal.missing)}</p> }
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
    }
}

fn progress(goal: &Goal) -> String {
    let round = match goal.rounds {
        Some(rounds) => format!("round {} of {rounds}", goal.round),
        None => format!("round {}", goal.round),
    };
    match goal.status.as_str() {
        "running" => format!("Goal, {round}"),
        "complete" => "Goal reached".to_owned(),
        "capped" => format!("Goal given up, {round}"),
        "interrupted" => format!("Goal interrupted, {round}"),
        other => format!("Goal {other}, {round}"),
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
        assert_eq!(progress(&goal("running", Some(5))), "Goal, round 2 of 5");
        assert_eq!(progress(&goal("complete", None)), "Goal reached");
        assert_eq!(progress(&goal("odd", None)), "Goal odd, round 2");
    }
}
