//! Events in the format of the agent-server 1.x (`protocol/v1.md` section 6), as recorded.

use super::v0::quoted;

/// The id of an event: a UUID that encodes its position.
pub fn key(conversation: usize, place: usize) -> String {
    format!("5e11ab1e-{conversation:04x}-4000-8000-{place:012x}")
}

fn event(key: &str, place: usize, source: &str, rest: &str) -> String {
    let (minute, second) = (place / 60 % 60, place % 60);
    format!(
        r#"{{"id":"{key}","timestamp":"2026-11-21T10:{minute:02}:{second:02}.000000","source":"{source}",{rest}}}"#
    )
}

pub fn says(key: &str, place: usize, source: &str, text: &str) -> String {
    let role = if source == "user" {
        "user"
    } else {
        "assistant"
    };
    let text = quoted(text);
    event(
        key,
        place,
        source,
        &format!(
            r#""llm_message":{{"role":"{role}","content":[{{"cache_prompt":false,"type":"text","text":{text}}}],"thinking_blocks":[]}},"activated_skills":[],"extended_content":[],"kind":"MessageEvent""#
        ),
    )
}

pub fn status(key: &str, place: usize, status: &str) -> String {
    event(
        key,
        place,
        "environment",
        &format!(
            r#""key":"execution_status","value":"{status}","kind":"ConversationStateUpdateEvent""#
        ),
    )
}

/// What was spent so far, in US dollars.
pub fn spends(key: &str, place: usize, cost: f64) -> String {
    event(
        key,
        place,
        "environment",
        &format!(
            r#""key":"stats","value":{{"usage_to_metrics":{{"default":{{"model_name":"m","accumulated_cost":{cost}}}}}}},"kind":"ConversationStateUpdateEvent""#
        ),
    )
}

pub fn pauses(key: &str, place: usize, hard: bool) -> String {
    let kind = if hard { "InterruptEvent" } else { "PauseEvent" };
    event(key, place, "user", &format!(r#""kind":"{kind}""#))
}

pub fn runs(key: &str, place: usize, command: &str, group: usize) -> String {
    let quoted = quoted(command);
    event(
        key,
        place,
        "agent",
        &format!(
            r#""thought":[{{"cache_prompt":false,"type":"text","text":"I would like to run this."}}],"thinking_blocks":[],"action":{{"command":{quoted},"is_input":false,"reset":false,"kind":"TerminalAction"}},"tool_name":"terminal","tool_call_id":"call_{place}","tool_call":{{"id":"call_{place}","name":"terminal","arguments":"{{}}","origin":"completion"}},"llm_response_id":"chatcmpl-{group}","security_risk":"LOW","summary":"a command","kind":"ActionEvent""#
        ),
    )
}

/// The result of the command at `call`.
pub fn prints(key: &str, place: usize, call: (&str, usize), output: &str) -> String {
    let (action, call) = call;
    let quoted = quoted(output);
    event(
        key,
        place,
        "environment",
        &format!(
            r#""tool_name":"terminal","tool_call_id":"call_{call}","observation":{{"content":[{{"cache_prompt":false,"type":"text","text":{quoted}}}],"is_error":false,"command":"","exit_code":0,"timeout":false,"kind":"TerminalObservation"}},"action_id":"{action}","extended_content":[],"kind":"ObservationEvent""#
        ),
    )
}

pub fn rejected(key: &str, place: usize, call: (&str, usize), reason: &str) -> String {
    let (action, call) = call;
    let reason = quoted(reason);
    event(
        key,
        place,
        "environment",
        &format!(
            r#""tool_name":"terminal","tool_call_id":"call_{call}","rejection_reason":{reason},"rejection_source":"user","action_id":"{action}","kind":"UserRejectObservation""#
        ),
    )
}
