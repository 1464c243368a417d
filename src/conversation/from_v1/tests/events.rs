//! Events other than calls and results.

use super::*;
use crate::conversation::{Goal, Policy, Status};

fn state(key: &str, value: Value) -> LogItem {
    read(
        json!({"kind": "ConversationStateUpdateEvent", "id": "s", "source": "environment", "key": key, "value": value}),
    )
}

fn change(item: LogItem) -> crate::conversation::StateChange {
    match item.body {
        Body::State(change) => *change,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_place_in_the_log_and_the_zone_of_the_clock_are_given() {
    let event = Event::read(
        json!({"kind": "PauseEvent", "id": "p", "source": "user", "timestamp": "1970-01-01T02:00:00"}),
    );
    let item = item(&event, Some(7), Some(120));
    assert_eq!(
        (item.key.as_deref(), item.pos, item.from),
        (Some("p"), Some(7), Actor::Human)
    );
    assert_eq!((item.at.millis, item.at.zoned), (0, true));
}

#[test]
fn pause_and_interrupt_differ() {
    assert_eq!(
        body_of(json!({"kind": "PauseEvent"})),
        Body::Stopped { hard: false }
    );
    assert_eq!(
        body_of(json!({"kind": "InterruptEvent"})),
        Body::Stopped { hard: true }
    );
}

#[test]
fn a_message_brings_its_pictures_skills_and_reasoning() {
    let item = read(
        json!({"kind": "MessageEvent", "source": "user", "activated_skills": ["zebra"],
        "extended_content": text("<EXTRA_INFO>"), "llm_message": {"role": "user", "reasoning_content": "hm", "content": [
            {"type": "text", "text": "a"}, {"type": "image", "image_urls": ["data:image/png;base64,A", "file:///etc"]}]}}),
    );
    let Body::Message(message) = item.body else {
        panic!("a message")
    };
    assert_eq!(
        (message.text.as_str(), message.reasoning.as_str()),
        ("a", "hm")
    );
    assert_eq!(message.images, ["data:image/png;base64,A"]);
    assert_eq!(message.recall.chips, ["zebra"]);
    assert_eq!(message.recall.knowledge[0].content, "<EXTRA_INFO>");
}

#[test]
fn what_the_goal_loop_says_is_no_persons() {
    let said = |words: &str| {
        read(json!({"kind": "MessageEvent", "source": "user", "llm_message": {"content": text(words)}})).from
    };
    assert_eq!(
        said("The goal is NOT yet complete (audit iteration 1)."),
        Actor::Environment
    );
    assert_eq!(said("Go on"), Actor::Human);
}

#[test]
fn failures_say_what_helps() {
    let failure = |class: Value| match body_of(
        json!({"kind": "ConversationErrorEvent", "code": "C", "detail": "d", "classification": class}),
    ) {
        Body::RunError { remedy, .. } => remedy.unwrap(),
        other => panic!("{other:?}"),
    };
    for (kind, remedy) in [
        ("auth", Remedy::Settings),
        ("quota", Remedy::Settings),
        ("config", Remedy::Settings),
        ("rate_limit", Remedy::Retry),
        ("transient", Remedy::Retry),
        ("agent_action", Remedy::Nothing),
    ] {
        assert_eq!(failure(json!({"kind": kind})), remedy, "{kind}");
    }
    assert_eq!(
        failure(json!({"kind": "internal", "user_action": "retry"})),
        Remedy::Retry
    );
    assert_eq!(failure(Value::Null), Remedy::Nothing);
}

#[test]
fn an_error_of_a_call_names_it_by_its_id_alone() {
    let item =
        read(json!({"kind": "AgentErrorEvent", "tool_call_id": "c", "error": "no such tool"}));
    assert_eq!(item.answers, Some(Answer::Call("c".to_owned())));
}

#[test]
fn a_rejection_says_who_and_why() {
    let why = |source: &str, reason: &str| match body_of(
        json!({"kind": "UserRejectObservation", "rejection_source": source, "rejection_reason": reason}),
    ) {
        Body::Rejected { reason } => reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(why("user", "Too dangerous"), "Too dangerous");
    assert_eq!(why("user", "User rejected the action"), "");
    assert_eq!(why("hook", "forbidden"), "Blocked by a hook: forbidden");
}

#[test]
fn states_change_what_they_name_and_nothing_else() {
    assert_eq!(
        state("execution_status", json!("waiting_for_confirmation")).body,
        Body::Status {
            status: Status::AwaitingConfirmation,
            reason: String::new()
        }
    );
    let policy = change(state(
        "confirmation_policy",
        json!({"kind": "ConfirmRisky", "threshold": "HIGH", "confirm_unknown": true}),
    ));
    assert_eq!(
        policy.policy,
        Some(Policy::Risky {
            threshold: Risk::High,
            unknown: true
        })
    );
    assert_eq!(
        change(state("security_analyzer", Value::Null)).analyzer,
        Some(String::new())
    );
    let goal = change(state(
        "goal",
        json!({"objective": "o", "status": "running", "iteration": 1, "max_iterations": 4,
        "verdict": {"missing": "m"}}),
    ));
    assert_eq!(
        goal.goal,
        Some(Some(Goal {
            objective: "o".to_owned(),
            status: "running".to_owned(),
            round: 1,
            rounds: Some(4),
            missing: "m".to_owned()
        }))
    );
    assert_eq!(
        change(state("agent", json!({"llm": {"model": "openai/x"}})))
            .model
            .as_deref(),
        Some("openai/x")
    );
    assert_eq!(change(state("brand_new", json!(1))), Default::default());
}

#[test]
fn costs_are_summed_and_told_by_use() {
    let usage = |cost: f64, tokens: u64| {
        json!({"model_name": "m", "accumulated_cost": cost,
        "accumulated_token_usage": {"prompt_tokens": tokens, "per_turn_token": tokens}})
    };
    let item = state(
        "stats",
        json!({"usage_to_metrics": {"default": usage(0.5, 10), "task:task_1": usage(0.25, 1),
        "task:task_2": usage(0.25, 2)}}),
    );
    let metrics = item.metrics.unwrap();
    assert_eq!(
        (metrics.cost, metrics.prompt_tokens, metrics.per_turn_token),
        (1.0, 13, 10)
    );
    let names: Vec<(&str, f64)> = metrics
        .usages
        .iter()
        .map(|usage| (usage.name.as_str(), usage.cost))
        .collect();
    assert_eq!(names, [("default", 0.5), ("task", 0.5)]);
}

#[test]
fn a_snapshot_tells_everything_and_has_no_place() {
    let snapshot = json!({"kind": "ConversationStateUpdateEvent", "id": "s", "key": "full_state", "value": {
        "execution_status": "idle", "confirmation_policy": {"kind": "NeverConfirm"}, "agent": {"llm": {"model": "acp-managed"}},
        "agent_state": {"acp_agent_name": "fake-acp", "acp_agent_version": "0.1", "acp_current_model_id": "fake-a"},
        "stats": {"usage_to_metrics": {}}}});
    let item = item(&Event::read(snapshot), Some(3), None);
    assert_eq!((item.key.clone(), item.pos), (None, None));
    let change = change(item);
    assert_eq!(change.status, Some(Status::Idle));
    assert_eq!(change.model.as_deref(), Some("fake-a"));
    assert_eq!(change.about, Some(vec!["fake-acp 0.1".to_owned()]));
    assert_eq!(change.analyzer, Some(String::new()));
}

#[test]
fn what_is_not_known_is_shown_by_its_name() {
    assert_eq!(
        body_of(json!({"kind": "FutureEvent"})),
        Body::Unknown {
            kind: "FutureEvent".to_owned(),
            json: r#"{"kind":"FutureEvent"}"#.to_owned(),
            result: None,
        }
    );
    assert_eq!(
        body_of(json!("rubbish")),
        Body::Unknown {
            kind: "event".to_owned(),
            json: r#""rubbish""#.to_owned(),
            result: None,
        }
    );
}

#[test]
fn a_result_with_unexpected_fields_still_belongs_to_its_call() {
    let event = json!({"kind": "ObservationEvent", "id": "o", "action_id": "a", "tool_name": 7,
        "observation": {"kind": "FutureObservation", "content": [{"type": "text", "text": "done"}]}});
    let item = item(&Event::read(event), Some(2), None);
    assert_eq!(item.answers, Some(Answer::Key("a".to_owned())));
    assert!(matches!(item.body, Body::Unknown { result: Some(text), .. } if text == "done"));
}
