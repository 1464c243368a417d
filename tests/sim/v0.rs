//! Events in the format of 0.62 (`protocol/v0.md` sections 5 and 6), as recorded.

use serde_json::Value;

/// A text as a JSON string.
pub fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn event(id: usize, source: &str, rest: &str) -> String {
    let (minute, second) = (id / 60 % 60, id % 60);
    format!(
        r#"{{"id":{id},"timestamp":"2026-11-21T10:{minute:02}:{second:02}.000000","source":"{source}",{rest}}}"#
    )
}

pub fn says(id: usize, source: &str, text: &str) -> String {
    let text = quoted(text);
    event(
        id,
        source,
        &format!(
            r#""message":{text},"action":"message","args":{{"content":{text},"file_urls":[],"image_urls":[],"wait_for_response":false,"security_risk":-1}}"#
        ),
    )
}

/// A message that says what was spent so far, in US dollars.
pub fn spends(id: usize, cost: f64) -> String {
    event(
        id,
        "agent",
        &format!(
            r#""message":"I go on.","action":"message","args":{{"content":"I go on.","file_urls":[],"image_urls":[],"wait_for_response":false,"security_risk":-1}},"llm_metrics":{{"accumulated_cost":{cost}}}"#
        ),
    )
}

/// The agent's state. The source of the live form is the agent, that of a replay the environment.
pub fn state(id: usize, state: &str, live: bool) -> String {
    let source = if live { "agent" } else { "environment" };
    event(
        id,
        source,
        &format!(
            r#""message":"","observation":"agent_state_changed","content":"","extras":{{"agent_state":"{state}","reason":""}}"#
        ),
    )
}

/// A state requested by a user.
pub fn steers(id: usize, state: &str) -> String {
    event(
        id,
        "user",
        &format!(
            r#""message":"Agent state changed to {state}","action":"change_agent_state","args":{{"agent_state":"{state}","thought":""}}"#
        ),
    )
}

/// A command; `confirmation` is one of awaiting_confirmation, confirmed, rejected.
pub fn runs(id: usize, command: &str, confirmation: &str, call: usize) -> String {
    let thought = if confirmation == "awaiting_confirmation" {
        "I would like to run this."
    } else {
        ""
    };
    let quoted = quoted(command);
    event(
        id,
        "agent",
        &format!(
            r#""message":"Running command","action":"run","tool_call_metadata":{{"function_name":"execute_bash","tool_call_id":"call_{call}","total_calls_in_response":1}},"args":{{"command":{quoted},"is_input":false,"thought":"{thought}","blocking":false,"hidden":false,"confirmation_state":"{confirmation}","security_risk":0}}"#
        ),
    )
}

/// The output of a command.
pub fn prints(id: usize, cause: usize, output: &str) -> String {
    let quoted = quoted(output);
    event(
        id,
        "agent",
        &format!(
            r#""message":"","cause":{cause},"observation":"run","content":{quoted},"success":true,"extras":{{"command":"","metadata":{{"exit_code":0,"prefix":"","suffix":""}},"hidden":false}}"#
        ),
    )
}

pub fn rejected(id: usize, cause: usize) -> String {
    event(
        id,
        "agent",
        &format!(
            r#""message":"Action has been rejected by the user! Waiting for further user input.","cause":{cause},"observation":"user_rejected","content":"Action has been rejected by the user! Waiting for further user input.","extras":{{}}"#
        ),
    )
}

/// A recall after a message: sent live, left out of a replay.
pub fn recalls(id: usize) -> String {
    event(
        id,
        "user",
        r#""message":"Retrieving content","action":"recall","args":{"recall_type":"knowledge","query":"","thought":""}"#,
    )
}
