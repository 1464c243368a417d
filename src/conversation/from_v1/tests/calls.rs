//! Calls and their results.

use super::*;
use crate::conversation::ResultShape;

#[test]
fn tools_mean_what_they_mean_in_0_x() {
    assert_eq!(
        tool_of(json!({"kind": "TerminalAction", "command": "ls", "is_input": false})),
        Tool::Shell {
            command: "ls".to_owned(),
            input: false
        }
    );
    let edit = |fields: Value| {
        let mut action = json!({"kind": "FileEditorAction", "path": "/a"});
        action
            .as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        tool_of(action)
    };
    let path = || "/a".to_owned();
    assert_eq!(
        edit(json!({"command": "view", "view_range": [2, -1]})),
        Tool::File(FileOp::View {
            path: path(),
            range: Some((2, -1))
        })
    );
    assert_eq!(
        edit(json!({"command": "str_replace", "old_str": "x", "new_str": null})),
        Tool::File(FileOp::Replace {
            path: path(),
            old: "x".to_owned(),
            new: String::new()
        })
    );
    assert_eq!(
        edit(json!({"command": "undo_edit"})),
        Tool::File(FileOp::Undo { path: path() })
    );
    assert_eq!(
        tool_of(json!({"kind": "ReadFileAction", "file_path": "/a", "offset": 10, "limit": 5})),
        Tool::File(FileOp::View {
            path: path(),
            range: Some((11, 15))
        })
    );
    assert_eq!(
        tool_of(json!({"kind": "GrepAction", "pattern": "x", "path": "/a", "include": "*.rs"})),
        Tool::Search {
            pattern: "x".to_owned(),
            place: "/a *.rs".to_owned()
        }
    );
    assert_eq!(
        tool_of(json!({"kind": "StartChildConversationAction", "task": "t", "title": "T"})),
        Tool::SubAgent {
            agent: "T".to_owned(),
            task: "t".to_owned(),
            apart: true
        }
    );
}

#[test]
fn a_tool_that_we_do_not_know_is_shown_by_name_and_arguments() {
    let call = call_of(
        "show_panel",
        json!({"kind": "ClientAction_show_panel", "panel": "files"}),
    );
    let Tool::Other { name, arguments } = call.tool else {
        panic!("another tool")
    };
    assert_eq!(
        (name.as_str(), &arguments["panel"]),
        ("show_panel", &json!("files"))
    );
    // A known kind with an unknown command.
    let odd = call_of(
        "file_editor",
        json!({"kind": "FileEditorAction", "command": "fold"}),
    );
    assert!(matches!(odd.tool, Tool::Other { .. }));
    // Truncated arguments stay unchanged.
    let body = body_of(
        json!({"kind": "ActionEvent", "tool_name": "x", "tool_call": {"arguments": "{\"a\": "}}),
    );
    assert!(
        matches!(body, Body::Call(Call { tool: Tool::Other { arguments, .. }, .. }) if arguments == "{\"a\": ")
    );
    let scroll = call_of(
        "browser_list_tabs",
        json!({"kind": "BrowserListTabsAction"}),
    );
    assert_eq!(
        scroll.tool,
        Tool::Browser {
            action: "list tabs".to_owned(),
            url: None
        }
    );
}

#[test]
fn calls_of_one_answer_of_the_model_are_a_group() {
    let call = call_of("terminal", json!({"kind": "TerminalAction"}));
    assert_eq!(
        (call.group.as_deref(), call.call_id.as_deref()),
        (Some("r"), Some("c"))
    );
    assert!(call.held, "1.x holds whatever waits");
}

#[test]
fn the_models_own_sentence_is_told_and_the_servers_repetition_is_not() {
    let with = |summary: &str| {
        let event = json!({"kind": "ActionEvent", "tool_name": "terminal", "summary": summary});
        match body_of(event) {
            Body::Call(call) => call.summary,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(with("Look around"), "Look around");
    assert_eq!(with("terminal: {\"command\": \"ls\"}"), "");
}

#[test]
fn reasoning_is_found_in_each_of_its_spellings() {
    let with = |fields: Value| {
        let mut event = json!({"kind": "ActionEvent", "tool_name": "x"});
        event
            .as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        match body_of(event) {
            Body::Call(call) => call.reasoning,
            other => panic!("{other:?}"),
        }
    };
    let blocks = json!([{"type": "redacted_thinking", "data": "0"}, {"type": "thinking", "thinking": "b", "signature": "s"}]);
    assert_eq!(
        with(json!({"reasoning_content": "a", "thinking_blocks": blocks})),
        "a"
    );
    assert_eq!(with(json!({"thinking_blocks": blocks})), "b");
    assert_eq!(
        with(json!({"responses_reasoning_item": {"id": "x", "summary": ["c"]}})),
        "c"
    );
}

#[test]
fn a_command_ends_with_its_code_or_still_runs() {
    let run = |code: i64, suffix: &str, is_error: bool| {
        result_of(
            json!({"kind": "TerminalObservation", "content": text("out"), "is_error": is_error, "exit_code": code,
                "metadata": {"exit_code": code, "suffix": suffix, "working_dir": "/w"}}),
        )
    };
    let done = run(0, "\n[The command completed with exit code 0.]", false);
    assert_eq!(
        (done.exit_code, done.failed, done.unfinished),
        (Some(0), false, false)
    );
    assert!(done.remarks.is_empty());
    assert!(run(2, "", false).failed);
    let waits = run(-1, "[still]", false);
    assert_eq!(
        (waits.exit_code, waits.failed, waits.unfinished),
        (None, false, true)
    );
    assert_eq!(waits.remarks, ["[still]"]);
    let refused = run(-1, "", true);
    assert_eq!((refused.failed, refused.unfinished), (true, false));
}

#[test]
fn an_edit_brings_both_texts_and_a_failed_one_none() {
    let edited = |is_error: bool| {
        result_of(
            json!({"kind": "FileEditorObservation", "command": "create", "path": "/a", "content": text("ok"),
                "is_error": is_error, "new_content": "b\n"}),
        )
    };
    assert_eq!(edited(false).texts, Some((String::new(), "b\n".to_owned())));
    assert_eq!(edited(true).texts, None);
}

#[test]
fn other_results_say_what_they_are_for() {
    let view = result_of(
        json!({"kind": "FileEditorObservation", "command": "view", "content": text("1\tx")}),
    );
    assert_eq!(view.shape, ResultShape::NumberedFile);
    let page =
        result_of(json!({"kind": "BrowserObservation", "content": [], "screenshot_data": "AAAA"}));
    assert_eq!(page.images, ["data:image/png;base64,AAAA"]);
    let mcp = result_of(json!({"kind": "MCPToolObservation", "content": [
        {"type": "text", "text": "[Tool 'add' executed.]"}, {"type": "text", "text": "42"}]}));
    assert_eq!(mcp.text, "42");
    let plan = result_of(
        json!({"kind": "TaskTrackerObservation", "command": "plan", "content": [],
        "task_list": [{"title": "a", "status": "in_progress"}]}),
    );
    assert_eq!(plan.tasks.unwrap()[0].status, TaskStatus::InProgress);
    let child = result_of(
        json!({"kind": "StartChildConversationObservation", "content": [], "conversation_id": "k"}),
    );
    assert_eq!(child.conversation.as_deref(), Some("k"));
    let thought = json!({"kind": "ObservationEvent", "observation": {"kind": "ThinkObservation", "content": text("logged")}});
    assert_eq!(body_of(thought), Body::Nothing);
}

#[test]
fn calls_of_an_acp_agent_are_told_piece_by_piece() {
    let event = |status: &str, more: Value| {
        let mut event = json!({"kind": "ACPToolCallEvent", "id": status, "tool_call_id": "t", "title": "Edit a",
            "status": status, "tool_kind": "edit", "raw_input": {"file_path": "/a", "old_string": "x", "new_string": "y"}});
        event
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        read(event)
    };
    let begun = event("pending", json!({}));
    assert_eq!(begun.answers, None);
    assert!(
        matches!(&begun.body, Body::Call(call) if call.call_id.as_deref() == Some("t")
        && call.tool == Tool::File(FileOp::Replace { path: "/a".to_owned(), old: "x".to_owned(), new: "y".to_owned() }))
    );
    let more = event("in_progress", json!({}));
    assert_eq!(more.answers, Some(Answer::Call("t".to_owned())));
    assert!(matches!(more.body, Body::Call(_)));
    let done = event(
        "completed",
        json!({"content": [{"type": "diff", "path": "/a", "oldText": "x\n", "new_text": "y\n"}]}),
    );
    assert!(matches!(
        done.body,
        Body::Result(ToolResult { texts: Some(_), .. })
    ));
    let failed = event(
        "failed",
        json!({"raw_output": {"error": "refused"}, "is_error": true}),
    );
    assert!(
        matches!(failed.body, Body::Result(ToolResult { failed: true, text, .. }) if text == "refused")
    );
}

#[test]
fn a_risk_that_nobody_rated_is_unknown_and_never_low() {
    let risk = |risk: Value| {
        let body = body_of(
            json!({"kind": "ActionEvent", "source": "agent", "tool_name": "terminal", "tool_call_id": "c1",
            "action": {"kind": "TerminalAction", "command": "ls"}, "security_risk": risk}),
        );
        match body {
            Body::Call(call) => call.risk,
            other => panic!("{other:?}"),
        }
    };
    let rated = ["LOW", "MEDIUM", "HIGH"].map(|rating| risk(json!(rating)));
    assert_eq!(rated, [Risk::Low, Risk::Medium, Risk::High]);
    for unrated in [json!("UNKNOWN"), json!("HARMLESS"), json!(null)] {
        assert_eq!(risk(unrated.clone()), Risk::Unknown, "{unrated}");
    }
}

#[test]
fn a_result_of_an_unknown_kind_is_shown_with_all_its_fields() {
    let deep = json!({"deep": "FIND-C"});
    let result =
        result_of(json!({"kind": "TeleportObservation", "output": "FIND-B", "status": deep}));
    assert_eq!(result.shape, ResultShape::Json);
    assert_eq!(
        result.text,
        r#"{"output":"FIND-B","status":{"deep":"FIND-C"}}"#
    );
    let result = result_of(
        json!({"kind": "TeleportObservation", "content": text("FIND-A"), "status": deep}),
    );
    assert_eq!(result.text, "FIND-A\n\n{\"status\":{\"deep\":\"FIND-C\"}}");
    let odd = result_of(json!({"kind": "TeleportObservation", "content": {"a": "FIND"}}));
    assert!(odd.text.contains("FIND"), "{odd:?}");
    // A known kind with unexpected fields, and an error.
    let odd =
        result_of(json!({"kind": "TerminalObservation", "is_error": true, "metadata": "FIND"}));
    assert!(odd.failed && odd.text.contains("FIND"), "{odd:?}");
    let plain =
        result_of(json!({"kind": "GrepObservation", "content": text("a"), "matches": ["a"]}));
    assert_eq!(plain.text, "a");
}
