//! Approvals: 0.62 sends the status first, repeats the action after the answer, and sends nothing if a message comes
//! instead.

use super::*;
use crate::conversation::{Confirmation, Risk};

/// A command with an approval request and its answer.
fn question() -> Vec<LogItem> {
    vec![
        state(8, "awaiting_user_confirmation"),
        run_asking(9, "rm x"),
    ]
}

fn with(events: Vec<LogItem>, more: impl IntoIterator<Item = LogItem>) -> Vec<LogItem> {
    events.into_iter().chain(more).collect()
}

/// Pending rows, each with whether it is held back.
fn waiting(events: impl IntoIterator<Item = LogItem>) -> Option<Vec<(i64, bool)>> {
    let timeline = Timeline::of(events);
    let pending = timeline.session().pending.clone()?;
    let pos = |row| timeline.row(row).map_or(-1, |row| row.pos);
    Some(
        pending
            .calls
            .iter()
            .map(|call| (pos(call.row), call.held))
            .collect(),
    )
}

#[test]
fn a_command_waits_as_soon_as_it_is_known() {
    assert_eq!(
        waiting([state(8, "awaiting_user_confirmation")]),
        Some(vec![])
    );
    assert_eq!(waiting(question()), Some(vec![(9, true)]));
    check(question(), ["9 run Waiting"]);
    let timeline = Timeline::of(question());
    let pending = timeline.session().pending.clone().unwrap();
    assert_eq!(
        (pending.calls[0].key.as_str(), pending.calls[0].risk),
        ("9", Risk::High)
    );
}

#[test]
fn the_state_may_come_after_the_command() {
    let events = question().into_iter().rev();
    assert_eq!(waiting(events.clone()), Some(vec![(9, true)]));
    check(events, ["9 run Waiting"]);
}

#[test]
fn an_approved_command_is_one_row_and_keeps_its_thought() {
    let approved = with(question(), [steers(10, "user_confirmed"), run(11, "rm x")]);
    assert_eq!(waiting(approved.clone()), None);
    check(approved.clone(), ["9 run Approved"]);
    let done = with(
        approved,
        [
            state(12, "user_confirmed"),
            output(13, 11, "", 0),
            state(14, "running"),
        ],
    );
    check(done.clone(), ["9 run Done > "]);
    let Card::Call(call) = &Timeline::of(done).rows()[0].card else {
        panic!()
    };
    assert_eq!(
        (call.call.thought.as_str(), call.call.confirmation),
        ("May I?", Confirmation::Confirmed)
    );
}

#[test]
fn a_replay_without_states_reads_the_same() {
    check(
        [
            run_asking(9, "rm x"),
            run(11, "rm x"),
            output(13, 11, "gone", 0),
        ],
        ["9 run Done > gone"],
    );
    check(
        [
            run_asking(9, "rm x"),
            run_rejected(11, "rm x"),
            rejected(12, 11),
        ],
        ["9 run Rejected(\"Rejected!\")"],
    );
}

#[test]
fn a_rejected_command_says_so_with_the_reason() {
    let answered = with(
        question(),
        [steers(10, "user_rejected"), run_rejected(11, "rm x")],
    );
    check(answered.clone(), ["9 run Rejected(\"\")"]);
    // As recorded: the observation is 13; the states are 12 and later.
    let told = with(
        answered,
        [
            rejected(13, 11),
            state(12, "user_rejected"),
            state(14, "awaiting_user_input"),
        ],
    );
    assert_eq!(waiting(told.clone()), None);
    check(told, ["9 run Rejected(\"Rejected!\")"]);
}

#[test]
fn a_message_instead_of_an_answer_discards_the_command() {
    let events = with(question(), [asks(10, "Why?")]);
    assert_eq!(waiting(events.clone()), None);
    let discarded = "9 run NotExecuted(\"not answered in time\")";
    check(events.clone(), [discarded, "10 Human says \"Why?\""]);
    let later = with(
        events,
        [
            state(12, "running"),
            run(13, "rm x"),
            output(14, 13, "gone", 0),
        ],
    );
    check(
        later,
        [discarded, "10 Human says \"Why?\"", "13 run Done > gone"],
    );
}

#[test]
fn an_approval_that_ends_without_an_answer_is_known_until_the_agent_works_again() {
    let lapsed = |more: Vec<LogItem>| {
        let events = with(question(), more);
        let backwards = Timeline::of(events.clone().into_iter().rev());
        let lapsed = Timeline::of(events).session().lapsed();
        assert_eq!(lapsed, backwards.session().lapsed(), "in any order");
        lapsed
    };
    assert!(!lapsed(vec![]), "it waits");
    assert!(lapsed(vec![state(10, "stopped")]));
    assert!(lapsed(vec![state(10, "paused")]));
    assert!(lapsed(vec![
        state(10, "error"),
        state(11, "awaiting_user_input")
    ]));
    assert!(!lapsed(vec![state(10, "stopped"), state(11, "running")]));
    assert!(!lapsed(vec![asks(10, "Why?"), state(11, "stopped")]));
    assert!(!lapsed(vec![
        steers(10, "user_confirmed"),
        run(11, "rm x"),
        state(12, "stopped"),
    ]));
    assert!(!lapsed(vec![
        steers(10, "user_rejected"),
        run_rejected(11, "rm x"),
        rejected(13, 11),
        state(14, "awaiting_user_input"),
    ]));
}

#[test]
fn a_message_does_not_touch_a_command_that_runs() {
    check(
        [state(7, "running"), run(8, "ls"), asks(9, "Well?")],
        ["8 run Running", "9 Human says \"Well?\""],
    );
}

#[test]
fn rows_that_an_answer_changes_are_named() {
    let mut timeline = Timeline::of(question());
    let row = timeline.rows()[0].clone();
    let taken = timeline.push(asks(10, "Why?")).unwrap();
    assert_eq!(taken.others, [row.id]);
    assert!(timeline.rows()[0].seq > row.seq, "its version goes up");
}

#[test]
fn an_edit_is_carried_out_before_the_answer_and_again_after_it() {
    let asked = vec![
        state(15, "awaiting_user_confirmation"),
        edit(16, "/a"),
        edited(17, 16, "created"),
    ];
    assert_eq!(waiting(asked.clone()), Some(vec![(16, false)]));
    check(asked.clone(), ["16 edit Waiting > created"]);
    let again = with(asked, [steers(18, "user_confirmed"), edit(19, "/a")]);
    check(again.clone(), ["16 edit Approved > created"]);
    let done = with(
        again,
        [edited(21, 19, "ERROR:\nexists"), state(22, "running")],
    );
    assert_eq!(waiting(done.clone()), None);
    check(done, ["16 edit Done > created > ERROR:\nexists"]);
}

#[test]
fn the_same_command_twice_is_two_rows() {
    check(
        [
            run(8, "ls"),
            output(9, 8, "a", 0),
            asks(10, "Again"),
            run(12, "ls"),
            output(13, 12, "b", 0),
        ],
        [
            "8 run Done > a",
            "10 Human says \"Again\"",
            "12 run Done > b",
        ],
    );
}

#[test]
fn the_same_command_after_an_approved_one_is_a_row_of_its_own() {
    let done = with(
        question(),
        [
            steers(10, "user_confirmed"),
            run(11, "rm x"),
            output(13, 11, "gone", 0),
        ],
    );
    check(
        with(done, [run(15, "rm x")]),
        ["9 run Done > gone", "15 run Running"],
    );
}

#[test]
fn a_stopped_question_is_closed() {
    let events = with(question(), [steers(10, "stopped"), state(11, "stopped")]);
    assert_eq!(waiting(events.clone()), None);
    check(
        events.clone(),
        ["9 run NotExecuted(\"not answered in time\")"],
    );
    let later = with(
        events,
        [asks(12, "Go on"), state(13, "running"), run(14, "rm x")],
    );
    assert_eq!(lines(&Timeline::of(later)).len(), 3);
}

#[test]
fn a_question_of_a_delegate_is_a_question() {
    let events = with(vec![state(5, "running"), delegate(6, "x")], question());
    assert_eq!(waiting(events), Some(vec![(9, true)]));
}
