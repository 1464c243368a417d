//! What single events mean. The shapes are those of 0.62, the texts are ours.

use super::*;
use crate::conversation::{Call, FileOp, Message, Recall, ResultShape, Tool, ToolResult};
use serde_json::json;

fn item(value: Value) -> LogItem {
    from_v0(&Incoming::read(value))
}

fn body(value: Value) -> Body {
    item(value).body
}

fn call(value: Value) -> Call {
    match body(value) {
        Body::Call(call) => call,
        other => panic!("not a call: {other:?}"),
    }
}

fn tool(action: &str, args: Value) -> Tool {
    call(json!({"action": action, "args": args})).tool
}

fn result(observation: &str, content: &str, extras: Value) -> ToolResult {
    match body(
        json!({"observation": observation, "content": content, "extras": extras, "cause": 1}),
    ) {
        Body::Result(result) => result,
        other => panic!("not a result: {other:?}"),
    }
}

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
fn a_failed_edit_begins_with_error_and_a_file_that_does_is_no_failure() {
    assert!(result("edit", "ERROR:\nno", json!({"impl_source": "oh_aci"})).failed);
    assert!(result("read", "ERROR:\nno", json!({"impl_source": "oh_aci"})).failed);
    assert!(
        !result(
            "read",
            "ERROR: line one of a log",
            json!({"impl_source": "default"})
        )
        .failed
    );
    assert!(
        !result(
            "edit",
            "The file says ERROR: here",
            json!({"impl_source": "oh_aci"})
        )
        .failed
    );
}

#[test]
fn a_numbered_file_is_known_by_its_heading() {
    let content = "Here's the result of running `cat -n` on /w/a:\n     1\tx\n";
    let read = result(
        "read",
        content,
        json!({"path": "/w/a", "impl_source": "oh_aci"}),
    );
    assert_eq!(
        (read.shape, read.path.as_deref()),
        (ResultShape::NumberedFile, Some("/w/a"))
    );
    assert_eq!(
        result("read", "x\n", json!({"impl_source": "default"})).shape,
        ResultShape::Plain
    );
}

#[test]
fn a_command_tells_how_it_ended_once() {
    let extras = |code: i64, suffix: &str| {
        json!({"metadata": {"exit_code": code, "working_dir": "/w", "prefix": "[cut]",
        "username": null, "suffix": suffix}})
    };
    let failed = result(
        "run",
        "no",
        extras(7, "\n[The command completed with exit code 7.]"),
    );
    assert_eq!(
        (failed.exit_code, failed.failed, failed.path.as_deref()),
        (Some(7), true, Some("/w"))
    );
    assert_eq!(failed.remarks, ["[cut]"]);
    let unfinished = result("run", "", extras(-1, "\n[The command has no new output.]"));
    assert_eq!(
        (
            unfinished.exit_code,
            unfinished.unfinished,
            unfinished.failed
        ),
        (None, true, false)
    );
    assert_eq!(
        unfinished.remarks,
        ["[cut]", "[The command has no new output.]"]
    );
}

#[test]
fn a_cell_fails_by_jupyters_traceback_and_by_no_other() {
    let ruler = "-".repeat(75);
    let raised = format!(
        "before\n{ruler}\nZeroDivisionError          Traceback (most recent call last)\nCell In[1], line 1"
    );
    let cases = [
        (raised.as_str(), true),
        (
            "  Cell In[2], line 1\n    1/\n      ^\nSyntaxError: invalid syntax",
            true,
        ),
        ("Traceback (most recent call last)\n  in a log file", false),
        (
            "--------\nno ruler, no Traceback (most recent call last)",
            false,
        ),
        ("SyntaxError: printed by the code", false),
        ("42", false),
    ];
    for (text, failed) in cases {
        let content = format!(
            "{text}\n[Jupyter current working directory: /w]\n[Jupyter Python interpreter: /p]"
        );
        let cell = result("run_ipython", &content, json!({"image_urls": null}));
        assert_eq!(
            (cell.failed, cell.text.as_str(), cell.remarks.len()),
            (failed, text, 2),
            "{text}"
        );
    }
}

#[test]
fn an_mcp_answer_is_its_texts_and_its_failure_is_inside() {
    let content = json!({"content": [{"type": "text", "text": "2"}, {"type": "text", "text": "3"},
        {"type": "image", "data": "AAAA", "mimeType": "image/png"}], "isError": true});
    let answer = result("mcp", &content.to_string(), json!({}));
    assert_eq!(
        (answer.text.as_str(), answer.failed, answer.shape),
        ("2\n3", true, ResultShape::Plain)
    );
    assert_eq!(answer.images, ["data:image/png;base64,AAAA"]);
    let odd = json!({"content": [{"type": "resource"}], "isError": false}).to_string();
    let answer = result("mcp", &odd, json!({}));
    assert_eq!((answer.text, answer.shape), (odd, ResultShape::Json));
    assert_eq!(result("mcp", "plain words", json!({})).text, "plain words");
}

#[test]
fn pictures_are_addresses_of_pictures_only() {
    let page = |screenshot: &str| {
        result(
            "browse",
            "",
            json!({"screenshot": screenshot, "error": false}),
        )
        .images
        .len()
    };
    assert_eq!(page("data:image/png;base64,AAAA"), 1);
    assert_eq!(
        (
            page(""),
            page("javascript:alert(1)"),
            page("data:text/html,x")
        ),
        (0, 0, 0)
    );
}

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
            code: "E".to_owned()
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
fn recalled_context_is_labels_and_texts() {
    let Body::Recall(Recall { chips, knowledge }) = body(
        json!({"observation": "recall", "extras": {
        "repo_name": "o/r", "repo_branch": "main", "date": "2026-11-21", "repo_instructions": "Be nice.",
        "custom_secrets_descriptions": {"TOKEN": "for tests"}, "runtime_hosts": {"http://localhost:1": 2},
        "microagent_knowledge": [{"name": "rust", "trigger": "cargo", "content": "Use it."}]}}),
    ) else {
        panic!()
    };
    assert_eq!(
        chips,
        [
            "o/r",
            "main",
            "2026-11-21",
            "rust",
            "secret TOKEN: for tests"
        ]
    );
    let names: Vec<_> = knowledge
        .iter()
        .map(|text| (text.name.as_str(), text.trigger.as_str()))
        .collect();
    assert_eq!(names, [("Repository instructions", ""), ("rust", "cargo")]);
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
            text: String::new()
        }
    );
}

#[test]
fn what_is_not_understood_has_the_best_name_there_is() {
    let kind = |value: Value| match body(value) {
        Body::Unknown { kind } => kind,
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
