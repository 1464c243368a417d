//! Reading never fails, loses nothing, and ignores differences in spelling.

use super::*;
use serde_json::{Value, json};

fn event(value: Value) -> Event {
    match Incoming::read(value) {
        Incoming::Event(event) => *event,
        other => panic!("not an event: {other:?}"),
    }
}

fn action(value: Value) -> Action {
    match event(value).payload {
        Payload::Action { action, .. } => action,
        other => panic!("not an action: {other:?}"),
    }
}

fn observation(value: Value) -> Observation {
    match event(value).payload {
        Payload::Observation { observation, .. } => observation,
        other => panic!("not an observation: {other:?}"),
    }
}

#[test]
fn a_command_is_read_with_its_metadata() {
    let read = event(json!({
        "id": 9, "timestamp": "2026-11-21T00:57:24.171016", "source": "agent", "message": "Running command: ls",
        "action": "run", "timeout": 120.0,
        "tool_call_metadata": {"function_name": "execute_bash", "tool_call_id": "call_1", "total_calls_in_response": 1,
            "model_response": {"choices": []}},
        "llm_metrics": {"accumulated_cost": 0.5, "max_budget_per_task": null, "costs": [],
            "accumulated_token_usage": {"model": "default", "prompt_tokens": 7}},
        "args": {"command": "ls", "is_input": false, "cwd": null, "confirmation_state": "awaiting_confirmation", "security_risk": 2}
    }));
    assert_eq!(read.id, Some(EventId::Number(9)));
    assert_eq!(read.source, EventSource::Agent);
    assert_eq!(read.tool_call_metadata.unwrap().tool_call_id, "call_1");
    assert_eq!(
        read.llm_metrics
            .unwrap()
            .accumulated_token_usage
            .unwrap()
            .prompt_tokens,
        7
    );
    let Payload::Action {
        kind: ActionType::Run,
        action: Action::Run(run),
    } = read.payload
    else {
        panic!()
    };
    assert_eq!(run.command, "ls");
    assert_eq!(
        run.confirmation_state,
        ActionConfirmationStatus::AwaitingConfirmation
    );
    assert_eq!(run.security_risk, ActionSecurityRisk::High);
}

#[test]
fn numeric_and_text_ids_identify_the_same_event() {
    let number = event(json!({"id": 12, "action": "null"})).id.unwrap();
    let text = event(json!({"id": "12", "action": "null"})).id.unwrap();
    assert_eq!(
        (number.to_string(), number.number()),
        (text.to_string(), text.number())
    );
    assert_eq!(
        event(json!({"id": "abc", "action": "null"}))
            .id
            .unwrap()
            .number(),
        None
    );
    assert_eq!(event(json!({"id": {}, "action": "null"})).id, None);
}

#[test]
fn words_are_read_in_any_case_and_written_in_lower_case() {
    let state = AgentState::from("PAUSED".to_owned());
    assert_eq!((&state, state.as_str()), (&AgentState::Paused, "paused"));
    assert_eq!(
        event(json!({"source": "ENVIRONMENT", "action": "null"})).source,
        EventSource::Environment
    );
    assert!(matches!(action(json!({"action": "NULL"})), Action::Null(_)));
}

#[test]
fn an_unknown_word_survives_a_round_trip() {
    for word in ["nonsense", "", "Ünknown"] {
        let state: AgentState = serde_json::from_value(json!(word)).unwrap();
        assert_eq!(state, AgentState::Unknown(word.to_owned()));
        assert_eq!(serde_json::to_value(state).unwrap(), json!(word));
    }
    for risk in [
        json!(-1),
        json!(0),
        json!(1),
        json!(2),
        json!(7),
        json!("odd"),
    ] {
        let read: ActionSecurityRisk = serde_json::from_value(risk.clone()).unwrap();
        assert_eq!(serde_json::to_value(read).unwrap(), risk);
    }
}

#[test]
fn nulls_and_missing_fields_are_the_same() {
    assert!(matches!(action(json!({"action": "null"})), Action::Null(_)));
    assert_eq!(
        action(json!({"action": "message"})),
        Action::Message(MessageAction::default())
    );
    let nulls = json!({"action": "message", "args": {"content": null, "image_urls": null, "security_risk": null}});
    assert_eq!(action(nulls), Action::Message(MessageAction::default()));
    assert_eq!(
        observation(json!({"observation": "run", "content": null, "extras": null})),
        Observation::Run(CmdOutputObservation::default())
    );
}

#[test]
fn an_unknown_action_survives_a_round_trip() {
    let sent = json!({"action": "teleport", "args": {"where": ["here", 2]}});
    let read = action(sent.clone());
    assert_eq!(read, Action::Unknown(sent.clone()));
    assert_eq!(serde_json::to_value(read).unwrap(), sent);
}

#[test]
fn a_known_tag_with_unexpected_fields_keeps_all_of_them() {
    let sent = json!({"observation": "run", "extras": {"metadata": "none"}});
    assert_eq!(observation(sent.clone()), Observation::Unknown(sent));
    let sent = json!({"observation": "run", "extras": ["ls"]});
    assert_eq!(observation(sent.clone()), Observation::Unknown(sent));
    let Action::Unknown(kept) = action(json!({"action": "run", "args": [1, 2]})) else {
        panic!()
    };
    assert_eq!(kept["args"], json!([1, 2]));
}

#[test]
fn a_known_action_survives_a_round_trip() {
    let read = action(
        json!({"action": "edit", "args": {"path": "/a", "command": "insert", "insert_line": 3,
        "new_str": "x", "impl_source": "oh_aci", "security_risk": 1, "future": true}}),
    );
    let again: Action = serde_json::from_value(serde_json::to_value(&read).unwrap()).unwrap();
    assert_eq!(read, again);
}

#[test]
fn frames_without_an_id_are_distinguished() {
    let cases = [
        (
            json!({"status_update": true, "type": "info", "id": "STATUS$READY", "message": ""}),
            "status",
        ),
        (
            json!({"status_update": true, "type": "info", "message": "0a", "conversation_title": "T"}),
            "status",
        ),
        (json!({"error": true, "message": "Failed"}), "error"),
        (json!({"id": 3, "action": "null"}), "event"),
        (json!({"id": 3, "what": "ever"}), "event"),
        (json!({"observation": "browse", "error": true}), "event"),
        (json!({"hello": 1}), "unknown"),
        (json!("text"), "unknown"),
        (json!([]), "unknown"),
        (json!(null), "unknown"),
    ];
    for (value, expected) in cases {
        let found = match Incoming::read(value.clone()) {
            Incoming::Event(_) => "event",
            Incoming::StatusUpdate(_) => "status",
            Incoming::ErrorFrame(_) => "error",
            Incoming::Unknown(kept) => {
                assert_eq!(kept, value);
                "unknown"
            }
        };
        assert_eq!(found, expected, "{value}");
    }
}

#[test]
fn sent_actions_have_exactly_the_arguments_of_upstream() {
    let cases = [
        (
            UserAction::Message {
                content: "hi".to_owned(),
                image_urls: vec![],
                file_urls: vec![],
            },
            json!({"action": "message", "args": {"content": "hi", "image_urls": [], "file_urls": []}}),
        ),
        (
            UserAction::ChangeAgentState {
                agent_state: AgentState::UserConfirmed,
            },
            json!({"action": "change_agent_state", "args": {"agent_state": "user_confirmed"}}),
        ),
        (
            UserAction::Run(CmdRunAction {
                command: "ls".to_owned(),
                ..CmdRunAction::default()
            }),
            json!({"action": "run", "args": {"command": "ls", "is_input": false, "thought": "", "blocking": false,
                "hidden": false, "security_risk": -1}}),
        ),
    ];
    for (action, expected) in cases {
        assert_eq!(serde_json::to_value(action).unwrap(), expected);
    }
}

#[test]
fn the_types_of_the_addendum_are_read_and_hide_the_key() {
    let node: FileNode =
        serde_json::from_value(json!({"path": "/w/d", "name": "d", "type": "directory",
        "children": [{"path": "/w/d/f", "name": "f", "type": "file", "size": 1024}]}))
        .unwrap();
    assert_eq!(node.kind, FileType::Directory);
    assert_eq!(node.children.unwrap()[0].size, Some(1024));
    let settings: BackendSettings = serde_json::from_value(
        json!({"backend_host": "h", "backend_port": 8000, "session_api_key": "s3cret"}),
    )
    .unwrap();
    assert_eq!((settings.backend_port, settings.use_tls), (8000, false));
    assert!(!format!("{settings:?}").contains("s3cret"));
}

#[test]
fn a_number_without_a_value_costs_only_itself() {
    let read = observation(
        json!({"id": 3, "observation": "run", "content": "the mean is nan",
        "extras": {"command": "python m.py", "metadata": {"exit_code": 0, "pid": "NaN", "score": "NaN"}}}),
    );
    let Observation::Run(run) = read else {
        panic!("it is a result: {read:?}");
    };
    assert_eq!((run.metadata.exit_code, run.metadata.pid), (Some(0), None));
    let read =
        action(json!({"action": "run", "args": {"command": "echo NaN", "security_risk": "NaN"}}));
    assert!(matches!(read, Action::Run(run) if run.command == "echo NaN"));
}

#[test]
fn fields_beside_the_tag_are_read_as_those_of_the_payload() {
    let read = action(
        json!({"command": "ls", "thought": "Look", "keep_prompt": true, "action": "run", "timeout": 3,
        "is_confirmed": "confirmed"}),
    );
    let Action::Run(run) = read else {
        panic!("it is a command: {read:?}");
    };
    assert_eq!((run.command.as_str(), run.thought.as_str()), ("ls", "Look"));
    assert_eq!(run.confirmation_state.as_str(), "confirmed");
    assert_eq!(Value::Object(run.more), json!({"keep_prompt": true}));
    let read = action(
        json!({"content": "Hello", "images_urls": null, "source": "user", "action": "message"}),
    );
    assert!(matches!(read, Action::Message(message) if message.content == "Hello"));
    let read = event(
        json!({"content": "a.txt", "command_id": -1, "command": "ls", "exit_code": 2, "observation": "run"}),
    );
    let Payload::Observation {
        content,
        observation: Observation::Run(run),
        ..
    } = read.payload
    else {
        panic!("it is a result: {read:?}");
    };
    assert_eq!(
        (content.as_str(), run.metadata.exit_code),
        ("a.txt", Some(2))
    );
}
