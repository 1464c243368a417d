//! Events that are not understood, and results that cannot be read.
//!
//! What they say is shown, and that a step was not executed is never concluded from them.

use super::*;
use crate::conversation::{CallState, Risk, Tool};
use serde_json::json;

/// Its event is lost, or cannot be read by anything: that it was not executed would be a lie.
#[test]
fn a_command_whose_result_cannot_be_read_is_not_called_unexecuted() {
    let marker = read(json!({"id": 9, "unreadable": "status 500"}));
    check(
        [
            run(8, "python m.py"),
            marker,
            state(10, "awaiting_user_input"),
        ],
        [
            "8 run Unknown(\"no result before the run ended\")",
            "9 Unknown { kind: \"event\", json: \"{\\\"unreadable\\\":\\\"status 500\\\"}\" }",
        ],
    );
}

#[test]
fn a_result_of_an_unknown_kind_ends_its_call_and_is_shown() {
    let result = |tag: &str, extras: serde_json::Value| {
        read(
            json!({"id": 9, "cause": 8, "source": "agent", "observation": tag, "content": "ready", "extras": extras}),
        )
    };
    let shown = |result| {
        let timeline = Timeline::of([run(8, "deploy"), result, state(10, "finished")]);
        assert!(timeline.session().open.is_empty());
        lines(&timeline)
    };
    assert_eq!(
        shown(result("preview", json!({"state": "up"}))),
        [r#"8 run Done > ready

{"extras":{"state":"up"},"observation":"preview"}"#]
    );
    // A known kind with unexpected fields.
    let shown = shown(result("run", json!({"metadata": 7})));
    assert!(shown[0].starts_with("8 run Done > ready"), "{shown:?}");
}

#[test]
fn what_answers_a_message_does_not_become_its_text() {
    let answer =
        read(json!({"id": 5, "cause": 4, "observation": "preview", "content": "x", "extras": {}}));
    let timeline = Timeline::of([asks(4, "Hi"), answer]);
    assert_eq!(lines(&timeline)[0], "4 Human says \"Hi\"");
    assert_eq!(timeline.rows().len(), 2);
}

#[test]
fn an_unknown_action_that_needs_approval_is_a_call_with_its_arguments() {
    let asked = |state: &str| {
        json!({"id": 8, "source": "agent", "action": "deploy_preview",
            "args": {"url": "https://example.org", "confirmation_state": state, "security_risk": 2}})
    };
    let timeline = Timeline::of([
        state(7, "awaiting_user_confirmation"),
        read(asked("awaiting_confirmation")),
    ]);
    let Card::Call(row) = &timeline.rows()[0].card else {
        panic!("a call");
    };
    let arguments = json!({"url": "https://example.org"});
    let name = "deploy_preview".to_owned();
    assert_eq!(row.call.tool, Tool::Other { name, arguments });
    assert_eq!(
        (&row.state, row.call.risk),
        (&CallState::Waiting, Risk::High)
    );
}
