//! Actions and messages.

use super::*;

#[test]
fn tools_are_said_neutrally() {
    let path = "/w/a".to_owned();
    let (text, old) = ("new".to_owned(), "old".to_owned());
    let cases = [
        (
            "run",
            json!({"command": "", "is_input": true}),
            Tool::Shell {
                command: String::new(),
                input: true,
            },
        ),
        (
            "run_ipython",
            json!({"code": "1"}),
            Tool::Cell {
                code: "1".to_owned(),
            },
        ),
        (
            "read",
            json!({"path": "/w/a"}),
            Tool::File(FileOp::View {
                path: path.clone(),
                range: None,
            }),
        ),
        (
            "read",
            json!({"path": "/w/a", "view_range": [4, 5]}),
            Tool::File(FileOp::View {
                path: path.clone(),
                range: Some((4, 5)),
            }),
        ),
        (
            "read",
            json!({"path": "/w/a", "start": 3, "end": 9}),
            Tool::File(FileOp::View {
                path: path.clone(),
                range: Some((4, 9)),
            }),
        ),
        (
            "write",
            json!({"path": "/w/a", "content": "new"}),
            Tool::File(FileOp::Create {
                path: path.clone(),
                text: text.clone(),
            }),
        ),
        (
            "edit",
            json!({"path": "/w/a", "command": "create", "file_text": "new", "impl_source": "oh_aci"}),
            Tool::File(FileOp::Create {
                path: path.clone(),
                text: text.clone(),
            }),
        ),
        (
            "edit",
            json!({"path": "/w/a", "command": "str_replace", "old_str": "old", "new_str": "new"}),
            Tool::File(FileOp::Replace {
                path: path.clone(),
                old,
                new: text.clone(),
            }),
        ),
        (
            "edit",
            json!({"path": "/w/a", "command": "insert", "insert_line": 2, "new_str": "new"}),
            Tool::File(FileOp::Insert {
                path: path.clone(),
                line: 2,
                text: text.clone(),
            }),
        ),
        (
            "edit",
            json!({"path": "/w/a", "command": "undo_edit"}),
            Tool::File(FileOp::Undo { path: path.clone() }),
        ),
        (
            "edit",
            json!({"path": "/w/a", "content": "new", "start": 1, "end": -1, "impl_source": "llm_based_edit"}),
            Tool::File(FileOp::Rewrite {
                path,
                range: (1, -1),
                text,
            }),
        ),
        (
            "browse_interactive",
            json!({"browser_actions": "goto(\"http://a/\")"}),
            Tool::Browser {
                action: "goto(\"http://a/\")".to_owned(),
                url: Some("http://a/".to_owned()),
            },
        ),
        (
            "browse_interactive",
            json!({"browser_actions": "click('12')"}),
            Tool::Browser {
                action: "click('12')".to_owned(),
                url: None,
            },
        ),
        (
            "call_tool_mcp",
            json!({"name": "add", "arguments": {"a": null}}),
            Tool::Mcp {
                name: "add".to_owned(),
                arguments: json!({"a": null}),
            },
        ),
        (
            "delegate",
            json!({"agent": "BrowsingAgent", "inputs": {"task": "look"}}),
            Tool::SubAgent {
                apart: false,
                agent: "BrowsingAgent".to_owned(),
                task: "look".to_owned(),
            },
        ),
        (
            "finish",
            json!({"final_thought": "Done."}),
            Tool::Finish {
                text: "Done.".to_owned(),
            },
        ),
        (
            "finish",
            json!({"outputs": {"content": "42"}}),
            Tool::Finish {
                text: "42".to_owned(),
            },
        ),
        (
            "reject",
            json!({"outputs": {"reason": "no"}}),
            Tool::Decline {
                text: "no".to_owned(),
            },
        ),
        ("condensation_request", json!({}), Tool::Condense),
    ];
    for (action, args, expected) in cases {
        assert_eq!(tool(action, args.clone()), expected, "{action} {args}");
    }
}

#[test]
fn a_call_keeps_what_rides_on_it() {
    let call = call(
        json!({"id": 9, "action": "run", "message": "Running command: ls", "source": "agent",
        "tool_call_metadata": {"function_name": "execute_bash", "tool_call_id": "call_1"},
        "args": {"command": "ls", "thought": "Look.", "confirmation_state": "awaiting_confirmation", "security_risk": 2}}),
    );
    assert_eq!(
        (call.tool_name.as_str(), call.call_id.as_deref()),
        ("execute_bash", Some("call_1"))
    );
    assert_eq!(
        (call.thought.as_str(), call.summary.as_str()),
        ("Look.", "Running command: ls")
    );
    assert_eq!(
        (call.risk, call.confirmation, call.held),
        (Risk::High, Confirmation::Awaiting, true)
    );
}

#[test]
fn only_commands_cells_and_the_browser_are_held_back() {
    for (action, held) in [
        ("run", true),
        ("run_ipython", true),
        ("browse", true),
        ("browse_interactive", true),
        ("edit", false),
        ("read", false),
        ("write", false),
        ("call_tool_mcp", false),
    ] {
        assert_eq!(
            call(json!({"action": action, "args": {}})).held,
            held,
            "{action}"
        );
    }
}

#[test]
fn only_a_person_steers() {
    let change = |source: &str| {
        body(
            json!({"source": source, "action": "change_agent_state", "args": {"agent_state": "PAUSED"}}),
        )
    };
    assert_eq!(
        change("user"),
        Body::Steered {
            status: Status::Paused
        }
    );
    assert_eq!(change("environment"), Body::Nothing);
}

#[test]
fn condensations_count_what_is_forgotten() {
    let count = |args: Value| match body(json!({"action": "condensation", "args": args})) {
        Body::Condensed { forgotten, .. } => forgotten,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        count(json!({"forgotten_event_ids": [1, 2], "summary": null})),
        Some(2)
    );
    assert_eq!(
        count(json!({"forgotten_events_start_id": 8, "forgotten_events_end_id": 70})),
        Some(63)
    );
    assert_eq!(
        count(json!({"forgotten_events_start_id": 8, "forgotten_events_end_id": 7})),
        Some(0)
    );
    assert_eq!(
        count(json!({"forgotten_events_start_id": i64::MAX, "forgotten_events_end_id": i64::MIN})),
        None
    );
    assert_eq!(count(json!({})), None);
}

#[test]
fn masked_secrets_stay_masked() {
    let said = body(
        json!({"action": "message", "source": "agent", "args": {"content": "It is <secret_hidden>."}}),
    );
    assert_eq!(
        said,
        Body::Message(Message {
            text: "It is <secret_hidden>.".to_owned(),
            ..Message::default()
        })
    );
}

#[test]
fn a_risk_that_nobody_rated_is_unknown_and_never_low() {
    let risk = |risk: Value| {
        let args = json!({"command": "ls", "security_risk": risk});
        call(json!({"id": 9, "action": "run", "source": "agent", "args": args})).risk
    };
    let rated = [0, 1, 2].map(|rating| risk(json!(rating)));
    assert_eq!(rated, [Risk::Low, Risk::Medium, Risk::High]);
    for unrated in [json!(-1), json!(7), json!(null)] {
        assert_eq!(risk(unrated.clone()), Risk::Unknown, "{unrated}");
    }
}
