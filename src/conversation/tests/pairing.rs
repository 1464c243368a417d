//! Calls and their results.

use super::*;

#[test]
fn a_command_and_its_output_are_one_row() {
    check(
        [
            asks(4, "Hi"),
            run(8, "ls"),
            output(9, 8, "a b", 0),
            replies(10, "Two files."),
        ],
        [
            "4 Human says \"Hi\"",
            "8 run Done > a b",
            "10 Agent says \"Two files.\"",
        ],
    );
}

#[test]
fn a_result_may_come_before_its_call() {
    check(
        [output(9, 8, "a b", 0), asks(4, "Hi"), run(8, "ls")],
        ["4 Human says \"Hi\"", "8 run Done > a b"],
    );
}

#[test]
fn a_result_whose_call_never_comes_is_shown() {
    check([output(9, 8, "a b", 0)], ["9 orphan > a b"]);
}

#[test]
fn two_results_wait_for_their_call_together() {
    let results = [not_executed(12, 10), output(14, 10, "late", 0)];
    check(
        results.clone(),
        ["12 orphan > Stop button pressed.\n\nlate"],
    );
    check(
        results.into_iter().chain([run(10, "wait")]),
        ["10 run Done > Stop button pressed. > late"],
    );
}

#[test]
fn what_comes_twice_is_there_once() {
    let events = [asks(4, "Hi"), run(8, "ls"), output(9, 8, "a b", 0)];
    check(
        events.clone().into_iter().chain(events),
        ["4 Human says \"Hi\"", "8 run Done > a b"],
    );
}

#[test]
fn a_result_finds_its_call_years_later() {
    let between = (9..3000).map(|id| replies(id, ""));
    let events = [run(8, "ls")]
        .into_iter()
        .chain(between)
        .chain([output(4000, 8, "at last", 0)]);
    assert_eq!(lines(&Timeline::of(events))[0], "8 run Done > at last");
}

#[test]
fn an_exit_code_tells_failure_and_minus_one_that_it_still_runs() {
    check(
        [
            run(1, "a"),
            output(2, 1, "no", 7),
            run(3, "b"),
            output(4, 3, "...", -1),
        ],
        ["1 run Failed > no", "3 run Done > ..."],
    );
    let timeline = Timeline::of([run(3, "b"), output(4, 3, "...", -1)]);
    let Card::Call(call) = &timeline.rows()[0].card else {
        panic!()
    };
    let result = &call.executions[0].result;
    assert_eq!(
        (result.exit_code, result.unfinished, result.failed),
        (None, true, false)
    );
}

#[test]
fn a_call_runs_until_the_run_ends_under_it() {
    check([state(3, "running"), run(8, "ls")], ["8 run Running"]);
    check(
        [state(3, "running"), run(8, "ls"), state(9, "paused")],
        ["8 run Running"],
    );
    for end in [
        "stopped",
        "error",
        "finished",
        "awaiting_user_input",
        "rate_limited",
        "loading",
    ] {
        check(
            [state(3, "running"), run(8, "ls"), state(9, end)],
            ["8 run Unknown(\"no result before the run ended\")"],
        );
    }
}

#[test]
fn a_call_that_ended_without_result_stays_so_when_the_agent_goes_on() {
    check(
        [
            run(8, "ls"),
            state(9, "stopped"),
            asks(10, "Go on"),
            state(11, "running"),
            run(12, "pwd"),
        ],
        [
            "8 run Unknown(\"no result before the run ended\")",
            "10 Human says \"Go on\"",
            "12 run Running",
        ],
    );
}

#[test]
fn a_call_that_arrives_after_the_end_of_its_run_does_not_run() {
    check(
        [state(9, "stopped"), run(8, "ls")],
        ["8 run Unknown(\"no result before the run ended\")"],
    );
}

#[test]
fn a_stopped_command_may_have_run_unless_it_waited_and_may_report_after_all() {
    check(
        [run(10, "wait"), not_executed(12, 10)],
        ["10 run Unknown(\"the agent was stopped while it ran\")"],
    );
    check(
        [
            run(10, "wait"),
            not_executed(12, 10),
            state(13, "stopped"),
            output(14, 10, "[1] 12", -1),
        ],
        ["10 run Failed > Stop button pressed. > [1] 12"],
    );
}

#[test]
fn thoughts_and_closing_words_need_no_answer() {
    check(
        [think(8), finish(9), state(10, "finished")],
        ["8 think Done", "9 finish Done"],
    );
}

#[test]
fn a_mistake_of_the_model_is_an_error_of_its_own() {
    check(
        [mistake(62, "No such tool."), mistake(63, "No such tool.")],
        ["62 error  No such tool.", "63 error  No such tool."],
    );
}

#[test]
fn an_answer_to_something_that_is_no_call_is_not_lost() {
    check(
        [asks(4, "Hi"), not_executed(5, 4)],
        ["4 Human says \"Hi\\n\\nStop button pressed.\""],
    );
}

#[test]
fn a_delegate_is_one_row_with_its_task_and_its_result() {
    check(
        [
            state(7, "running"),
            delegate(8, "Say hello"),
            asks(9, "TASK: Say hello"),
            state(10, "running"),
            run(13, "echo hello"),
            output(14, 13, "hello", 0),
            state(15, "finished"),
            state(16, "stopped"),
            delegate_done(19, "hello from the delegate"),
        ],
        [
            "8 delegate Done > hello from the delegate",
            "13 run Done > hello",
        ],
    );
}

#[test]
fn a_person_may_still_write_the_word_task() {
    check(
        [
            delegate(8, "Say hello"),
            asks(9, "TASK: something else"),
            asks(10, "TASK: Say hello, too"),
        ],
        [
            "8 delegate Running",
            "9 Human says \"TASK: something else\"",
            "10 Human says \"TASK: Say hello, too\"",
        ],
    );
}

#[test]
fn an_unknown_event_is_shown() {
    let event = read(serde_json::json!({"id": 5, "action": "teleport", "args": {}}));
    let json = r#""{\"action\":\"teleport\",\"args\":{}}""#;
    let line = format!("5 Unknown {{ kind: \"teleport\", json: {json} }}");
    check([event], [line.as_str()]);
}

/// CPU time of this thread in nanoseconds, which no other work lengthens; where the system does not tell it, that of a clock.
fn busy() -> u64 {
    static BEGIN: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let told = told.and_then(|text| text.split_whitespace().next()?.parse().ok());
    told.filter(|time| *time > 0)
        .unwrap_or_else(|| BEGIN.elapsed().as_nanos() as u64)
}

#[test]
fn the_time_for_the_pieces_of_an_output_grows_with_their_number_and_not_with_its_square() {
    let took = |count: usize| {
        let pieces = (0..count as i64).map(|piece| output(9 + piece, 8, "one more line\n", 0));
        let items: Vec<LogItem> = [run(8, "yes")].into_iter().chain(pieces).collect();
        let before = busy();
        let timeline = Timeline::of(items);
        let rows = timeline.rows();
        let after = busy();
        let Card::Call(call) = &rows[0].card else {
            panic!()
        };
        assert_eq!((rows.len(), call.executions.len()), (1, count));
        after - before
    };
    let shortest = |count| (0..3).map(|_| took(count)).min().expect("three tries");
    let (few, many) = (shortest(8_000), shortest(32_000));
    // Its square would be 16 times as much.
    assert!(many < few * 10, "{few} ns, {many} ns");
}

/// Old files of 0.x, whose events have neither ids nor causes.
#[test]
fn events_without_ids_belong_together_by_their_order() {
    let action = |tag: &str| read(serde_json::json!({"action": tag, "command": "ls", "code": "1"}));
    let result = |tag: &str, text: &str| {
        read(serde_json::json!({"observation": tag, "content": text, "exit_code": 0}))
    };
    let timeline = Timeline::of([
        action("run"),
        result("run", "a b"),
        action("run"),
        action("run_ipython"),
        result("run_ipython", "c"),
        // Not of the same kind, and not directly behind its action.
        action("run"),
        result("read", "d"),
        result("run", "e"),
    ]);
    let rows = lines(&timeline);
    let texts: Vec<&str> = rows
        .iter()
        .filter_map(|row| row.split_once(" > "))
        .map(|row| row.1)
        .collect();
    assert_eq!(texts, ["a b", "c", "d", "e"], "{rows:?}");
    assert_eq!(rows.len(), 6, "{rows:?}");
    assert_eq!(
        rows.iter().filter(|row| row.contains("orphan")).count(),
        2,
        "{rows:?}"
    );
}

#[test]
fn a_call_of_a_log_that_has_ended_does_not_run() {
    let timeline = Timeline::of([run(8, "ls")]);
    let mut session = timeline.session().clone();
    assert!(session.has_open_calls() && session.works_on().is_some());
    session.end_calls();
    assert!(!session.has_open_calls() && session.works_on().is_none());
    let row = Row::fold(&[(8, run(8, "ls"))], session.context(8)).expect("a row");
    let Card::Call(row) = row.card else {
        panic!("a call")
    };
    let reason = "no result before the run ended".to_owned();
    assert_eq!(row.state, crate::conversation::CallState::Unknown(reason));
}
