//! Whole conversations: events in, rows and state out.

use super::*;
use crate::conversation::{CallState, Card, Row, Status, Timeline};

/// All rows, one line each: position, content, state.
fn lines(timeline: &Timeline) -> Vec<String> {
    let line = |row: &Row| {
        let text = match &row.card {
            Card::Message { message, .. } => format!("{:?}: {}", row.from, message.text),
            Card::Call(call) => {
                let results = call.executions.iter().map(|one| one.result.text.as_str());
                let results: Vec<&str> = results.collect();
                format!("{:?} {}", call.state, results.join("+"))
            }
            card => format!("{card:?}"),
        };
        format!("{} {}", row.pos, text.trim_end())
    };
    timeline.rows().iter().map(line).collect()
}

fn waiting(timeline: &Timeline) -> Vec<String> {
    let pending = timeline.session().pending.iter();
    pending
        .flat_map(|pending| &pending.calls)
        .map(|call| call.key.clone())
        .collect()
}

#[test]
fn calls_side_by_side_wait_together_and_are_answered_each() {
    let mut timeline = Timeline::of([
        status(0, "running"),
        run(1, "r", "a"),
        run(2, "r", "b"),
        status(3, "waiting_for_confirmation"),
    ]);
    assert_eq!(waiting(&timeline), ["e1", "e2"]);
    assert_eq!(lines(&timeline), ["1 Waiting", "2 Waiting"]);
    timeline.push(status(4, "running"));
    assert_eq!(lines(&timeline), ["1 Running", "2 Running"]);
    timeline.push(output(5, 2, "B"));
    timeline.push(output(6, 1, "A"));
    assert_eq!(lines(&timeline), ["1 Done A", "2 Done B"]);
    assert_eq!(waiting(&timeline), [""; 0]);
}

#[test]
fn a_rejection_ends_the_run_before_it_says_so() {
    let timeline = Timeline::of([
        run(1, "r", "rm"),
        status(2, "waiting_for_confirmation"),
        status(3, "idle"),
        rejected(4, 1),
    ]);
    assert_eq!(lines(&timeline), ["1 Rejected(\"no\")"]);
    assert_eq!(timeline.session().status, Status::Idle);
}

#[test]
fn a_message_while_something_waits_discards_nothing() {
    let mut timeline = Timeline::of([
        run(1, "r", "rm"),
        status(2, "waiting_for_confirmation"),
        says(3, "user", "Please do not."),
    ]);
    assert_eq!(
        waiting(&timeline),
        ["e1"],
        "until its status says otherwise"
    );
    timeline.push(status(4, "running"));
    assert_eq!(waiting(&timeline), [""; 0]);
    assert_eq!(lines(&timeline)[0], "1 Running");
    timeline.push(output(5, 1, "gone"));
    assert_eq!(lines(&timeline)[0], "1 Done gone");
}

#[test]
fn what_was_cut_off_names_its_newest_call() {
    let timeline = Timeline::of([
        run(1, "r", "sleep"),
        fails(2, 1),
        status(3, "paused"),
        at(4, json!({"kind": "InterruptEvent", "source": "user"})),
    ]);
    assert_eq!(
        lines(&timeline),
        ["1 CutOff(\"cut off\")", "4 Stopped { hard: true }"]
    );
}

#[test]
fn hooks_stand_in_the_step_that_they_are_about() {
    let timeline = Timeline::of([
        hook(1, 3, "PreToolUse"),
        hook(2, 3, "PreToolUse"),
        run(3, "r", "ls"),
        output(4, 3, "out"),
        hook(5, 3, "PostToolUse"),
        hook(6, 99, "Stop"),
    ]);
    let rows = timeline.rows();
    let Card::Call(call) = &rows[0].card else {
        panic!("{rows:?}")
    };
    let hooks: Vec<&str> = call.hooks.iter().map(|hook| hook.event.as_str()).collect();
    assert_eq!(hooks, ["PreToolUse", "PreToolUse", "PostToolUse"]);
    assert_eq!((call.state.clone(), rows[0].pos), (CallState::Done, 3));
    assert!(matches!(&rows[1].card, Card::Hook(hook) if hook.event == "Stop"));
}

#[test]
fn work_of_a_sub_agent_does_not_hide_how_the_run_ends() {
    let task = at(
        1,
        json!({"kind": "ActionEvent", "source": "agent", "tool_call_id": "c1",
            "action": {"kind": "TaskAction", "prompt": "p", "subagent_type": "s"}}),
    );
    let timeline = Timeline::of([task, status(2, "error")]);
    assert_eq!(timeline.session().status, Status::Error);
    assert!(!timeline.session().delegating);
}

#[test]
fn a_failure_stands_above_the_timeline_with_what_helps_until_somebody_goes_on() {
    let failure = at(
        3,
        json!({"kind": "ConversationErrorEvent", "code": "LLMRateLimitError", "detail": "slow down",
            "classification": {"kind": "rate_limit"}}),
    );
    let mut timeline = Timeline::of([status(2, "error"), failure, stats(4, 0.1)]);
    let notice = timeline.session().notice.clone().unwrap();
    assert_eq!(
        (notice.text.as_str(), notice.remedy),
        ("slow down", Some(Remedy::Retry))
    );
    assert_eq!(lines(&timeline).len(), 1);
    timeline.push(status(5, "running"));
    assert_eq!(timeline.session().notice, None);
}

#[test]
fn a_call_of_an_acp_agent_is_one_row() {
    let told = |seq: i64, status: &str| {
        at(
            seq,
            json!({"kind": "ACPToolCallEvent", "source": "agent", "tool_call_id": "t", "status": status,
                "title": "List", "tool_kind": "execute", "raw_input": {"command": "ls"}, "raw_output": "a"}),
        )
    };
    let mut timeline = Timeline::of([
        status(0, "running"),
        told(1, "pending"),
        told(2, "in_progress"),
    ]);
    assert_eq!(lines(&timeline), ["1 Running"]);
    timeline.push(told(3, "completed"));
    assert_eq!(lines(&timeline), ["1 Done a"]);
}

#[test]
fn what_is_so_is_what_was_said_last_in_the_log_and_not_last_on_the_line() {
    let policy = |seq: i64, kind: &str| {
        at(
            seq,
            json!({"kind": "ConversationStateUpdateEvent", "key": "confirmation_policy", "value": {"kind": kind}}),
        )
    };
    let timeline = Timeline::of([
        policy(9, "AlwaysConfirm"),
        policy(4, "NeverConfirm"),
        stats(5, 0.5),
    ]);
    let session = timeline.session();
    assert_eq!(*session.policy, Some(crate::conversation::Policy::Always));
    assert_eq!(session.metrics.cost, 0.5);
    assert_eq!(session.newest_pos, Some(9));
}

#[test]
fn a_snapshot_never_overrules_what_comes_behind_it() {
    let snapshot = json!({"kind": "ConversationStateUpdateEvent", "key": "full_state", "value": {"execution_status": "running"}});
    let snapshot = || item(&Event::read(snapshot.clone()), None, None);
    let timeline = Timeline::of([snapshot(), status(3, "running"), status(7, "finished")]);
    assert_eq!(timeline.session().status, Status::Finished);
    assert!(timeline.rows().is_empty());
    let later = Timeline::of([status(7, "finished"), snapshot()]);
    assert_eq!(later.session().status, Status::Running, "it tells of now");
}

#[test]
fn a_call_that_could_not_be_made_was_never_begun() {
    let call = at(
        1,
        json!({"kind": "ActionEvent", "source": "agent", "tool_name": "no_such_tool", "tool_call_id": "c1",
            "tool_call": {"arguments": "{}"}, "llm_response_id": "r"}),
    );
    let timeline = Timeline::of([status(0, "running"), call, fails(2, 1)]);
    assert_eq!(lines(&timeline), ["1 NotExecuted(\"cut off\")"]);
}

#[test]
fn a_message_without_anything_in_it_is_no_row() {
    let timeline = Timeline::of([says(1, "agent", ""), says(2, "environment", "Use a tool.")]);
    assert_eq!(lines(&timeline), ["2 Environment: Use a tool."]);
}
