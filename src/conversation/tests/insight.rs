//! Time, cost and tokens by step.

use super::*;
use crate::conversation::{Insight, Report, Spent, Step};
use proptest::prelude::*;
use std::collections::HashMap;

/// Reports on a log as the journal does.
fn report(items: impl IntoIterator<Item = LogItem>) -> Report {
    reported(items, &HashMap::new())
}

fn reported(items: impl IntoIterator<Item = LogItem>, waits: &HashMap<i64, i64>) -> Report {
    let (mut timeline, mut insight) = (Timeline::default(), Insight::default());
    for item in items {
        if let Some(taken) = timeline.push(item.clone()) {
            insight.take(&item, taken.row);
        }
    }
    insight.report(waits, &[])
}

fn times(step: &Step) -> (u64, u64, u64) {
    let Spent {
        model,
        tool,
        person,
        ..
    } = step.spent;
    (model / 1000, tool / 1000, person / 1000)
}

/// A command that waits 6 seconds for approval and runs for 4.
fn approved() -> Vec<LogItem> {
    vec![
        asks(1, "go"),
        state(2, "running"),
        state(5, "awaiting_user_confirmation"),
        run_asking(6, "make"),
        steers(11, "user_confirmed"),
        state(12, "user_confirmed"),
        run(13, "make"),
        output(15, 13, "ok", 0),
        replies(19, "Done."),
    ]
}

#[test]
fn the_time_of_a_step_is_split_into_model_tools_and_person() {
    let report = report(approved());
    let steps: Vec<_> = report.steps.iter().map(times).collect();
    // The model worked from the message to the command, and from its output to the message.
    assert_eq!(steps, [(5, 3, 6), (4, 0, 0)]);
    assert_eq!(report.longest_wait.map(|step| step.number), Some(1));
}

#[test]
fn the_journal_knows_better_how_long_a_person_took() {
    let row = report(approved()).steps[0].row;
    let report = reported(approved(), &HashMap::from([(row, 7000)]));
    assert_eq!(times(&report.steps[0]), (5, 2, 7));
}

#[test]
fn what_waited_and_never_ran_spent_no_time_in_tools() {
    let asked = [
        state(2, "running"),
        state(5, "awaiting_user_confirmation"),
        run_asking(6, "make"),
    ];
    // Stopped while it waited: the error comes before the status.
    let stopped = asked
        .clone()
        .into_iter()
        .chain([not_executed(50, 6), state(51, "stopped")]);
    assert_eq!(times(&report(stopped).steps[0]), (4, 0, 46));
    // The result comes before the status as well.
    let late = asked
        .into_iter()
        .chain([output(50, 6, "ok", 0), state(51, "running")]);
    assert_eq!(times(&report(late).steps[0]), (4, 0, 46));
}

#[test]
fn calls_that_waited_together_waited_once_and_ran_after_that() {
    use crate::conversation::from_v1::item;
    use crate::wire::v1::Event;
    use serde_json::json;
    let at = |second: i64| format!("2026-11-21T00:00:{second:02}");
    let read = |pos: i64, mut value: serde_json::Value, second: i64| {
        value["id"] = format!("e{pos}").into();
        value["timestamp"] = at(second).into();
        item(&Event::read(value), Some(pos), None)
    };
    let call = |pos: i64, second| {
        let value = json!({"kind": "ActionEvent", "source": "agent", "tool_name": "terminal", "tool_call_id": format!("c{pos}"),
            "llm_response_id": "r", "action": {"kind": "TerminalAction", "command": format!("make {pos}")}});
        read(pos, value, second)
    };
    let result = |pos: i64, of: i64, second| {
        let value = json!({"kind": "ObservationEvent", "source": "environment", "action_id": format!("e{of}"), "tool_call_id": format!("c{of}"),
            "observation": {"kind": "TerminalObservation", "content": [], "exit_code": 0}});
        read(pos, value, second)
    };
    let status = |pos: i64, status: &str, second| {
        let value = json!({"kind": "ConversationStateUpdateEvent", "source": "environment", "key": "execution_status", "value": status});
        read(pos, value, second)
    };
    let log = || {
        [
            status(1, "running", 1),
            call(2, 3),
            call(3, 3),
            status(4, "waiting_for_confirmation", 3),
            status(5, "running", 43),
            result(6, 2, 45),
            result(7, 3, 46),
        ]
    };
    let steps = |report: Report| report.steps.iter().map(times).collect::<Vec<_>>();
    assert_eq!(steps(report(log())), [(2, 2, 40), (0, 3, 0)]);
    let row = report(log()).steps[0].row;
    let waits = HashMap::from([(row, 39_000)]);
    assert_eq!(steps(reported(log(), &waits)), [(2, 3, 39), (0, 4, 0)]);
}

#[test]
fn a_pause_between_two_tasks_belongs_to_nobody() {
    let report = report([
        asks(1, "go"),
        replies(3, "Done."),
        state(4, "awaiting_user_input"),
        asks(3000, "more"),
        replies(3002, "Done, too."),
    ]);
    let steps: Vec<_> = report.steps.iter().map(times).collect();
    assert_eq!(steps, [(2, 0, 0), (2, 0, 0)]);
}

#[test]
fn costs_are_differences_of_the_totals() {
    let report = report([
        asks(1, "go"),
        paid(run(2, "ls"), 0.25, 100),
        output(3, 2, "a", 0),
        paid(run(4, "pwd"), 0.75, 300),
        output(5, 4, "b", 1),
        // Late: the totals were higher before.
        paid(replies(6, "Done."), 0.5, 200),
    ]);
    let costs: Vec<_> = report.steps.iter().map(|step| step.spent.cost).collect();
    assert_eq!(costs, [0.25, 0.5, 0.0]);
    assert_eq!((report.total.cost, report.total.prompt_tokens), (0.75, 300));
    assert_eq!(report.dearest.map(|step| step.number), Some(2));
    let failures: Vec<_> = report
        .commands
        .iter()
        .map(|one| (one.line.as_str(), one.failures))
        .collect();
    assert_eq!((report.failed, failures), (1, vec![("pwd", 1)]));
}

#[test]
fn a_server_that_has_lost_a_part_of_its_totals_is_followed() {
    let counted = |id, prompt, completion| {
        let mut item = paid(run(id, "ls"), 1.0, prompt);
        if let Some(metrics) = &mut item.metrics {
            metrics.completion_tokens = completion;
        }
        item
    };
    let report = report([counted(1, 100, 30), counted(2, 200, 10)]);
    let total = &report.total;
    assert_eq!((total.prompt_tokens, total.completion_tokens), (200, 10));
}

#[test]
fn files_are_counted_by_edits_and_repeated_calls_are_marked() {
    let report = report([
        edit(1, "/a"),
        edited(2, 1, "ok"),
        edit(3, "/a"),
        edited(4, 3, "ok"),
        edit(5, "/b"),
    ]);
    let files: Vec<_> = report
        .files
        .iter()
        .map(|file| (file.path.as_str(), file.edits))
        .collect();
    assert_eq!(files, [("/a", 2), ("/b", 1)]);
    let repeated: Vec<_> = report.steps.iter().map(|step| step.repeated).collect();
    assert_eq!((report.repeated, repeated), (1, vec![false, true, false]));
}

#[test]
fn a_long_log_keeps_its_sums_and_its_newest_steps() {
    let steps = (0..5000).flat_map(|at| {
        let id = 2 * at;
        let command = format!("make {at}");
        [
            paid(run(id, &command), (at + 1) as f64, 10 * (at as u64 + 1)),
            output(id + 1, id, "no", 2),
        ]
    });
    let report = report(steps);
    assert_eq!(report.steps.len(), 240);
    assert_eq!(report.steps.last().map(|step| step.number), Some(5000));
    assert_eq!(report.total.steps, 5000);
    assert_eq!(
        (report.total.cost, report.total.prompt_tokens),
        (5000.0, 50_000)
    );
    assert_eq!(report.failed, 5000);
    assert!(report.more_names && report.commands.len() <= 20);
}

proptest! {
    #[test]
    fn the_sums_are_the_totals_of_the_session(spent in prop::collection::vec((0..6_u8, 0..100_u64), 0..400)) {
        let (mut cost, mut tokens) = (0.0, 0);
        let items = spent.iter().enumerate().map(|(at, (kind, rise))| {
            let id = at as i64;
            let item = match kind {
                0 => run(id, "ls"),
                1 => output(id, id - 1, "a", 0),
                2 => replies(id, "Well."),
                3 => state(id, "running"),
                4 => asks(id, "go"),
                _ => think(id),
            };
            if *rise % 3 == 0 {
                return item;
            }
            (cost, tokens) = (cost + *rise as f64 / 64.0, tokens + rise);
            paid(item, cost, tokens)
        });
        let report = report(items.collect::<Vec<_>>());
        prop_assert!((report.total.cost - cost).abs() < 1e-9);
        prop_assert_eq!(report.total.prompt_tokens, tokens);
    }
}
