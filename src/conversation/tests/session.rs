//! The session state.

use super::*;
use crate::conversation::{Remedy, Session, Status, TaskStatus, Tone};

fn session(events: impl IntoIterator<Item = LogItem>) -> Session {
    Timeline::of(events).session().clone()
}

#[test]
fn the_highest_position_says_the_status_and_not_the_last_arrival() {
    let late = session([
        state(9, "awaiting_user_input"),
        state(0, "loading"),
        state(6, "running"),
    ]);
    assert_eq!(
        (late.status, late.newest_pos),
        (Status::AwaitingInput, Some(9))
    );
}

#[test]
fn endings_of_a_delegate_are_not_the_agents() {
    let mut events = vec![
        state(7, "running"),
        delegate(8, "x"),
        state(10, "running"),
        state(15, "finished"),
        state(16, "stopped"),
    ];
    let during = session(events.clone());
    assert_eq!((during.status, during.delegating), (Status::Running, true));
    events.push(delegate_done(19, "y"));
    events.push(state(20, "finished"));
    let after = session(events);
    assert_eq!((after.status, after.delegating), (Status::Finished, false));
}

#[test]
fn what_is_finished_stays_so_when_its_sandbox_is_stopped() {
    let mut events = vec![
        state(7, "running"),
        state(8, "finished"),
        state(9, "stopped"),
    ];
    let stopped = session(events.clone());
    assert_eq!((stopped.status, stopped.status_pos), (Status::Finished, 9));
    events.extend([state(10, "loading"), state(11, "stopped")]);
    assert_eq!(session(events).status, Status::Stopped, "another run");
}

#[test]
fn a_stop_by_a_person_ends_a_delegation_that_never_reports() {
    let events = [
        state(7, "running"),
        delegate(8, "x"),
        steers(9, "stopped"),
        state(10, "stopped"),
    ];
    let stopped = session(events);
    assert_eq!(
        (stopped.status, stopped.delegating),
        (Status::Stopped, false)
    );
}

#[test]
fn unknown_states_are_kept_as_they_are_written() {
    assert_eq!(
        session([state(3, "nonsense")]).status,
        Status::Other("nonsense".to_owned())
    );
    assert_eq!(session([state(3, "PAUSED")]).status, Status::Paused);
}

#[test]
fn one_failure_is_one_row_however_often_and_in_whichever_order_it_is_told() {
    let told = failed_state(10, "error", "Bad request");
    let frame = update("error", "STATUS$ERROR", "Bad request");
    let row = ["10 error STATUS$ERROR Bad request"];
    check([told.clone(), frame.clone(), frame.clone()], row);
    check(
        [run(9, "x"), output(10, 9, "", 0), frame.clone()],
        ["9 run Done > ", row[0]],
    );
    check(
        [
            frame.clone(),
            frame,
            failed_state(1, "error", "Bad request"),
        ],
        ["0 error STATUS$ERROR Bad request"],
    );
}

#[test]
fn another_failure_has_a_row_and_a_notice_of_its_own() {
    let key = "STATUS$ERROR_LLM_AUTHENTICATION";
    let lost = "STATUS$ERROR_RUNTIME_DISCONNECTED";
    let events = [
        update("error", key, ""),
        failed_state(10, "error", key),
        update("error", lost, "Gone"),
        update("error", lost, "Gone"),
        update("error", "STATUS$ERROR", "Bad request"),
        failed_state(11, "error", "Out of disk space"),
    ];
    check(
        events.clone(),
        [
            "0 error STATUS$ERROR_LLM_AUTHENTICATION ",
            "10 error STATUS$ERROR_RUNTIME_DISCONNECTED Gone",
            "10 error STATUS$ERROR Bad request",
            "11 error  Out of disk space",
        ],
    );
    let notice = session(events).notice.expect("a notice");
    assert_eq!(
        (notice.code.as_str(), notice.text.as_str()),
        ("", "Out of disk space")
    );
}

#[test]
fn failures_that_were_stored_in_one_row_are_all_named() {
    let reports = [
        update("error", "STATUS$ERROR_LLM_AUTHENTICATION", ""),
        update("error", "STATUS$ERROR_RUNTIME_DISCONNECTED", "Gone"),
    ];
    let items: Vec<_> = (1..).zip(reports).collect();
    let row = crate::conversation::Row::fold(&items, Default::default()).expect("a row");
    assert_eq!(
        line(&row),
        "0 error  STATUS$ERROR_LLM_AUTHENTICATION\nSTATUS$ERROR_RUNTIME_DISCONNECTED\nGone"
    );
}

#[test]
fn the_same_failure_after_something_else_is_a_new_row() {
    let frame = || update("error", "", "Bad");
    check(
        [frame(), asks(5, "Again"), frame()],
        ["0 error  Bad", "5 Human says \"Again\"", "5 error  Bad"],
    );
}

#[test]
fn a_failure_stands_above_the_timeline_until_something_happens() {
    let mut events = vec![failed_state(10, "error", "STATUS$ERROR_LLM_AUTHENTICATION")];
    let failed = session(events.clone());
    let notice = failed.notice.unwrap();
    assert_eq!(
        (notice.tone, notice.code.as_str()),
        (Tone::Bad, "STATUS$ERROR_LLM_AUTHENTICATION")
    );
    events.push(asks(11, "Again"));
    let after = session(events);
    assert_eq!(after.notice, None);
    assert_eq!(
        (after.status, after.reason.as_str()),
        (Status::Error, "STATUS$ERROR_LLM_AUTHENTICATION")
    );
}

#[test]
fn starting_up_is_told_until_it_is_ready() {
    let mut events = vec![
        state(0, "loading"),
        update("info", "STATUS$STARTING_RUNTIME", ""),
    ];
    assert_eq!(session(events.clone()).notice.unwrap().tone, Tone::Info);
    events.push(update("info", "STATUS$READY", ""));
    assert_eq!(session(events).notice, None);
}

#[test]
fn a_fatal_frame_is_an_error() {
    let frame =
        read(serde_json::json!({"error": true, "message": "Failed to create agent session"}));
    check([frame.clone()], ["0 error  Failed to create agent session"]);
    let session = session([frame]);
    let notice = session.notice.unwrap();
    assert_eq!(
        (notice.tone, notice.remedy),
        (Tone::Bad, Some(Remedy::StartAgain))
    );
    assert_eq!(session.newest_pos, None, "a frame has no place upstream");
}

#[test]
fn totals_are_taken_whole_and_never_go_back() {
    let totals = session([paid(run(8, "a"), 0.5, 70), paid(run(6, "b"), 0.25, 30)]).metrics;
    assert_eq!((totals.cost, totals.prompt_tokens), (0.5, 70));
}

#[test]
fn the_newest_task_list_counts() {
    let list = session([
        tasks(11, 10, "Look", "done"),
        tasks(5, 4, "Look", "in_progress"),
    ])
    .tasks;
    assert_eq!((list.len(), list[0].status), (1, TaskStatus::Done));
}

#[test]
fn a_title_is_taken_and_changes_no_row() {
    let timeline = Timeline::of([titled("Demo")]);
    assert_eq!(
        (timeline.session().title.as_str(), timeline.rows().len()),
        ("Demo", 0)
    );
}

#[test]
fn open_calls_without_end_do_not_grow_the_session() {
    let timeline = Timeline::of((0..1000).map(|id| run(id, "x")));
    let text = serde_json::to_string(timeline.session()).unwrap();
    assert!(text.len() < 30_000, "{}", text.len());
}

#[test]
fn a_session_survives_being_stored() {
    let events = [
        state(8, "awaiting_user_confirmation"),
        run_asking(9, "rm"),
        update("error", "A", "b"),
    ];
    let session = session(events);
    let text = serde_json::to_string(&session).unwrap();
    assert_eq!(serde_json::from_str::<Session>(&text).unwrap(), session);
    assert_eq!(
        serde_json::from_str::<Session>("{}").unwrap(),
        Session::default()
    );
}
