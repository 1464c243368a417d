//! Common properties of events, and frames that are no events.

use super::*;

#[test]
fn errors_with_a_cause_belong_to_a_call() {
    let error = |cause: Value| {
        body(
            json!({"observation": "error", "content": "no", "cause": cause, "extras": {"error_id": "E"}}),
        )
    };
    assert_eq!(
        error(json!(3)),
        Body::CallError {
            text: "no".to_owned(),
            code: "E".to_owned()
        }
    );
    assert_eq!(
        error(Value::Null),
        Body::RunError {
            text: "no".to_owned(),
            code: "E".to_owned(),
            remedy: None
        }
    );
}

#[test]
fn answers_name_the_event_or_else_the_call() {
    let answers = |mut event: Value| {
        event["tool_call_metadata"] = json!({"tool_call_id": "call_1", "function_name": "f"});
        item(event).answers
    };
    assert_eq!(
        answers(json!({"observation": "run", "cause": "12"})),
        Some(Answer::Key("12".to_owned()))
    );
    assert_eq!(
        answers(json!({"observation": "delegate"})),
        Some(Answer::Call("call_1".to_owned()))
    );
    assert_eq!(answers(json!({"action": "run"})), None);
}

#[test]
fn live_and_replayed_events_are_the_same() {
    for observation in ["agent_state_changed", "recall"] {
        let live = json!({"id": 7, "source": "agent", "observation": observation, "timeout": 120.0, "content": "", "extras": {}});
        let replayed = json!({"id": 7, "source": "environment", "observation": observation, "content": "", "extras": {}});
        assert_eq!(item(live), item(replayed));
    }
}

#[test]
fn frames_are_titles_progress_and_errors() {
    let update = |fields: Value| {
        let mut frame = json!({"status_update": true});
        frame
            .as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        body(frame)
    };
    let code = "STATUS$ERROR_LLM_AUTHENTICATION";
    assert_eq!(
        update(json!({"type": "info", "conversation_title": "T", "message": "0a"})),
        Body::Title("T".to_owned())
    );
    assert_eq!(
        update(json!({"type": "info", "id": "STATUS$READY", "message": ""})),
        Body::Progress {
            code: "STATUS$READY".to_owned(),
            text: String::new()
        }
    );
    assert_eq!(
        update(json!({"type": "error", "id": code, "message": code})),
        Body::RunError {
            code: code.to_owned(),
            text: String::new(),
            remedy: None
        }
    );
}

#[test]
fn what_is_not_understood_has_the_best_name_there_is() {
    let kind = |value: Value| match body(value) {
        Body::Unknown { kind, .. } => kind,
        other => panic!("{other:?}"),
    };
    assert_eq!(kind(json!({"action": "teleport", "id": 1})), "teleport");
    assert_eq!(kind(json!({"observation": "run", "extras": []})), "run");
    assert_eq!(
        kind(json!({"kind": "MessageEvent", "id": "0a"})),
        "MessageEvent"
    );
    assert_eq!(kind(json!(["what"])), "event");
}

#[test]
fn what_is_not_understood_is_kept_whole() {
    let read = |value: Value| match body(value) {
        Body::Unknown { json, result, .. } => {
            (serde_json::from_str::<Value>(&json).unwrap(), result)
        }
        other => panic!("{other:?}"),
    };
    let action = json!({"action": "teleport", "args": {"to": "Mars"}, "message": "Off we go"});
    assert_eq!(read(action.clone()), (action, None));
    let seen = json!({"observation": "arrived", "content": "red", "extras": {"dust": 1}});
    assert_eq!(read(seen.clone()), (seen.clone(), None));
    let mut answer = seen;
    answer["cause"] = 3.into();
    let beside = json!({"observation": "arrived", "extras": {"dust": 1}});
    assert_eq!(read(answer), (beside, Some("red".to_owned())));
    assert_eq!(read(json!(["what"])), (json!(["what"]), None));
}

#[test]
fn a_field_that_should_be_a_number_and_is_none_does_not_cost_the_event() {
    let raw = br#"{"id": 3, "observation": "run", "cause": 2, "content": "nan", "extras": {"metadata": {"exit_code": NaN}},
        "llm_metrics": {"accumulated_cost": Infinity}}"#;
    let read = body(crate::wire::read_json(raw).unwrap());
    assert!(
        matches!(read, Body::Result(result) if result.text == "nan" && result.exit_code.is_none())
    );
}

#[test]
fn every_tag_of_the_enumeration_means_something() {
    for action in [
        "null",
        "message",
        "system",
        "start",
        "read",
        "write",
        "edit",
        "run",
        "run_ipython",
        "browse",
        "browse_interactive",
        "call_tool_mcp",
        "delegate",
        "think",
        "finish",
        "reject",
        "pause",
        "resume",
        "stop",
        "change_agent_state",
        "push",
        "send_pr",
        "recall",
        "condensation",
        "condensation_request",
        "task_tracking",
        "loop_recovery",
        "summarize",
    ] {
        assert!(
            !matches!(body(json!({"action": action})), Body::Unknown { .. }),
            "{action}"
        );
    }
    for observation in [
        "null",
        "run",
        "run_ipython",
        "browse",
        "browse_interactive",
        "read",
        "write",
        "edit",
        "error",
        "success",
        "user_rejected",
        "agent_state_changed",
        "delegate",
        "think",
        "condense",
        "recall",
        "mcp",
        "chat",
        "message",
        "download",
        "task_tracking",
        "loop_detection",
    ] {
        assert!(
            !matches!(
                body(json!({"observation": observation})),
                Body::Unknown { .. }
            ),
            "{observation}"
        );
    }
}
