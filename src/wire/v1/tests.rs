//! Events of 1.x are read in every shape, and unknown ones keep their fields.

use super::*;
use serde_json::{Value, json};

fn payload(event: Value) -> Payload {
    Event::read(event).payload
}

#[test]
fn nulls_and_missing_fields_are_the_same() {
    let with = json!({"kind": "ActionEvent", "id": "a", "action": null, "tool_name": "x", "thought": null, "summary": null});
    let without = json!({"kind": "ActionEvent", "id": "a", "tool_name": "x"});
    assert_eq!(Event::read(with), Event::read(without));
}

#[test]
fn a_state_without_a_value_is_null() {
    let update =
        payload(json!({"kind": "ConversationStateUpdateEvent", "key": "security_analyzer"}));
    assert_eq!(
        update,
        Payload::ConversationStateUpdate(Box::new(StateUpdate::SecurityAnalyzer(None)))
    );
}

#[test]
fn unknown_events_keep_all_their_fields() {
    let event = json!({"kind": "FutureEvent", "id": "a", "deep": {"x": [1, 2]}});
    assert_eq!(payload(event.clone()), Payload::Unknown(event));
    let Payload::Action(action) = payload(
        json!({"kind": "ActionEvent", "action": {"kind": "ClientAction_show_panel", "panel": "files"}}),
    ) else {
        panic!("an action")
    };
    assert_eq!(
        action.action,
        Some(Action::Other(
            json!({"kind": "ClientAction_show_panel", "panel": "files"})
        ))
    );
    let state = payload(json!({"kind": "ConversationStateUpdateEvent", "key": "new", "value": 1}));
    assert!(
        matches!(state, Payload::ConversationStateUpdate(update) if matches!(*update, StateUpdate::Unknown(_)))
    );
}

#[test]
fn a_known_kind_with_unexpected_fields_is_kept_with_its_id() {
    let event = Event::read(json!({"kind": "MessageEvent", "id": "a", "llm_message": 7}));
    assert_eq!(event.id.as_deref(), Some("a"));
    assert!(matches!(event.payload, Payload::Unknown(_)));
    assert!(matches!(payload(json!([1])), Payload::Unknown(_)));
}

#[test]
fn frames_of_the_session_socket_are_read() {
    assert_eq!(
        Frame::read(json!({"type": "sync", "from_seq": -1})),
        Frame::Sync {
            from_seq: Some(-1),
            through_seq: None
        }
    );
    assert!(matches!(
        Frame::read(json!({"type": "durable", "seq": 3, "event": {}})),
        Frame::Durable { seq: 3, .. }
    ));
    assert!(matches!(
        Frame::read(json!({"type": "delta", "item_id": "a", "kind": "text", "content": "x"})),
        Frame::Delta(Delta {
            kind: DeltaKind::Text,
            ..
        })
    ));
    assert!(matches!(
        Frame::read(json!({"type": "new", "x": 1})),
        Frame::Unknown(_)
    ));
}

#[test]
fn a_zone_is_appended_only_to_a_naive_time() {
    let zoned = |text: &str, ahead| {
        let mut event = json!({"timestamp": text});
        say_zone(&mut event, ahead);
        event["timestamp"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        zoned("2026-11-21T00:16:45.5", 90),
        "2026-11-21T00:16:45.5+01:30"
    );
    assert_eq!(
        zoned("2026-11-21T00:16:45.5", -300),
        "2026-11-21T00:16:45.5-05:00"
    );
    assert_eq!(zoned("2026-11-21T00:16:45Z", 60), "2026-11-21T00:16:45Z");
    assert_eq!(zoned("yesterday", 60), "yesterday");
}

#[test]
fn a_conversation_is_read_without_its_model_calls() {
    let info = ConversationInfo::read(json!({
        "id": "c", "title": null, "execution_status": "idle", "hook_config": null,
        "stats": {"usage_to_metrics": {"default": {"accumulated_cost": 0.5, "costs": [{"cost": 0.5}]}}},
    }))
    .unwrap();
    assert_eq!(info.execution_status, Some(ExecutionStatus::Idle));
    assert_eq!(
        info.stats.unwrap().usage_to_metrics["default"].accumulated_cost,
        0.5
    );
    assert_eq!(ConversationInfo::read(json!("c")), None);
}

#[test]
fn an_id_that_is_too_long_counts_as_missing() {
    let id =
        |length: usize| Event::read(json!({"kind": "MessageEvent", "id": "x".repeat(length)})).id;
    assert_eq!(id(256).map(|id| id.len()), Some(256));
    assert_eq!(id(257), None);
}

#[test]
fn a_number_without_a_value_costs_only_itself() {
    let read = payload(
        json!({"kind": "ConversationErrorEvent", "code": "E", "detail": "NaN is told",
        "classification": {"kind": "auth", "retryable": "NaN"}}),
    );
    let Payload::ConversationError(error) = read else {
        panic!("it is an error: {read:?}");
    };
    assert_eq!(error.detail, "NaN is told");
}
