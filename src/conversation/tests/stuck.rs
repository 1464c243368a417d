//! When an agent counts as stuck, and when it does not.

use super::*;
use crate::conversation::{Stuck, StuckRule};

/// A log of steps, each a command with its output.
fn steps(first: i64, steps: &[(&str, &str)]) -> Vec<LogItem> {
    let step = |(at, (command, text)): (usize, &(&str, &str))| {
        let id = first + 2 * at as i64;
        [run(id, command), output(id + 1, id, text, 0)]
    };
    steps.iter().enumerate().flat_map(step).collect()
}

fn stuck(items: impl IntoIterator<Item = LogItem>) -> Option<Stuck> {
    Timeline::of(items).session().stuck()
}

#[track_caller]
fn check_rule(items: Vec<LogItem>, expected: StuckRule, times: u32) {
    let before = &items[..items.len() - 1];
    assert_eq!(stuck(before.to_vec()), None, "one event earlier");
    let found = stuck(items).expect("it is stuck");
    assert_eq!((found.rule, found.times), (expected, times));
}

#[test]
fn the_same_command_with_the_same_output_is_a_loop_at_the_fourth_time() {
    check_rule(steps(1, &[("ls", "a"); 4]), StuckRule::Repetition, 4);
}

#[test]
fn an_output_that_changes_is_getting_further() {
    let outputs = ["a", "b", "c", "d", "e", "f"];
    assert_eq!(stuck(steps(1, &outputs.map(|out| ("ls", out)))), None);
}

#[test]
fn the_same_call_that_cannot_be_executed_is_a_loop_at_the_third_time() {
    let items = (0..3).flat_map(|at| [run(2 * at, "ls"), not_executed(2 * at + 1, 2 * at)]);
    check_rule(items.collect(), StuckRule::Errors, 3);
}

#[test]
fn a_command_that_fails_differently_is_no_loop() {
    let items = (0..4).flat_map(|at| [run(2 * at, "ls"), output(2 * at + 1, 2 * at, "no", at)]);
    assert_eq!(stuck(items), None);
}

#[test]
fn three_messages_in_sequence_are_a_monologue() {
    check_rule(
        (0..3).map(|id| replies(id, "Well.")).collect(),
        StuckRule::Monologue,
        3,
    );
}

#[test]
fn messages_with_answers_or_work_between_them_are_none() {
    let talk = (0..8).map(|id| {
        if id % 3 == 2 {
            asks(id, "And?")
        } else {
            replies(id, "Well.")
        }
    });
    assert_eq!(stuck(talk), None);
    let mut work = Vec::new();
    for at in 0..4 {
        work.push(replies(10 * at, "Well."));
        work.extend(steps(
            10 * at + 1,
            &[("ls", ["a", "b", "c", "d"][at as usize])],
        ));
    }
    assert_eq!(stuck(work), None);
}

#[test]
fn two_steps_in_turn_are_a_loop_after_six() {
    let turns: Vec<_> = [("ls", "a"), ("pwd", "b")]
        .into_iter()
        .cycle()
        .take(6)
        .collect();
    check_rule(steps(1, &turns), StuckRule::Alternation, 6);
}

#[test]
fn going_in_circles_is_a_loop_only_if_it_costs() {
    let round = [("ls", "a"), ("pwd", "b"), ("id", "c")];
    let steps = steps(1, &round.into_iter().cycle().take(15).collect::<Vec<_>>());
    let mut paid_steps = steps.clone();
    for (at, item) in paid_steps
        .iter_mut()
        .enumerate()
        .filter(|(at, _)| at % 2 == 0)
    {
        *item = paid(item.clone(), at as f64 / 100.0, at as u64);
    }
    assert_eq!(stuck(steps), None);
    check_rule(paid_steps, StuckRule::NoChange, 12);
}

#[test]
fn a_person_who_says_something_starts_the_count_again() {
    let mut items = steps(1, &[("ls", "a"); 3]);
    items.push(asks(20, "Try again"));
    items.extend(steps(21, &[("ls", "a"); 3]));
    assert_eq!(stuck(items), None);
}

#[test]
fn a_command_that_is_sent_again_after_its_approval_counts_once() {
    let mut items = Vec::new();
    for id in [0, 10, 20] {
        items.extend([
            state(id + 1, "awaiting_user_confirmation"),
            run_asking(id + 2, "ls"),
            steers(id + 3, "user_confirmed"),
            run(id + 4, "ls"),
            output(id + 5, id + 4, "a", 0),
        ]);
    }
    assert_eq!(stuck(items), None);
}

#[test]
fn events_that_arrive_late_do_not_count() {
    let mut items = vec![run(100, "make"), output(101, 100, "done", 0)];
    items.extend(steps(1, &[("ls", "a"); 5]));
    assert_eq!(stuck(items), None);
}

#[test]
fn the_subject_is_short_and_the_state_small() {
    let long = "ä".repeat(100_000);
    let items: Vec<LogItem> = steps(1, &[(long.as_str(), "a"); 40]);
    let timeline = Timeline::of(items);
    let found = timeline.session().stuck().expect("it is stuck");
    assert_eq!(found.times, 40);
    assert!(found.subject.len() < 130, "{}", found.subject.len());
    let size = serde_json::to_string(timeline.session())
        .expect("plain data")
        .len();
    assert!(size < 3000, "{size}");
}

#[test]
fn what_the_agent_works_on_is_known_until_its_result() {
    let does = |items: Vec<LogItem>| {
        let session = Timeline::of(items).session().clone();
        session.works_on().map(str::to_owned)
    };
    assert_eq!(
        does(vec![run(1, "make test")]).as_deref(),
        Some("make test")
    );
    assert_eq!(does(vec![run(1, "make test"), output(2, 1, "ok", 0)]), None);
    assert_eq!(does(vec![replies(1, "Well.")]), None);
}
