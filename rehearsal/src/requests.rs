//! Requests of clients to an agent, by socket or by REST.

use serde_json::{Value, json};

use crate::agent::AgentMessage;

/// Actions of the real server, each followed by its arguments; an unknown argument rejects the action.
const ACTIONS: &str = "
    message content image_urls file_urls wait_for_response security_risk
    change_agent_state agent_state thought
    run command is_input thought blocking is_static cwd hidden security_risk
    read path start end thought view_range impl_source security_risk
    recall recall_type query thought
    null
    run_ipython code thought include_extra kernel_init_code security_risk
    write path content start end thought
    edit path command file_text old_str new_str insert_line thought security_risk
    browse url thought return_axtree security_risk
    browse_interactive browser_actions thought return_axtree security_risk
    think thought
    finish final_thought outputs thought
    delegate agent inputs thought
    condensation_request
    task_tracking command task_list thought
";

/// The arguments of an action, `None` for an unknown one.
fn arguments(action: &str) -> Option<Vec<&'static str>> {
    let mut actions = ACTIONS.lines().map(str::split_whitespace);
    let mut words = actions.find(|words| words.clone().next() == Some(action))?;
    words.next();
    Some(words.collect())
}

/// Parses a client's action. `None` means that the real server's handler would raise.
pub fn read(mut payload: Value) -> Option<AgentMessage> {
    if payload["observation"].is_string() {
        payload["source"] = "user".into();
        payload["message"] = payload["content"].clone();
        return Some(AgentMessage::Observation(payload));
    }
    let kind = payload["action"].as_str()?.to_owned();
    let mut args = match payload["args"].take() {
        Value::Null => json!({}),
        args => args,
    };
    // The official client sends a timestamp with every action, and the server drops it.
    let given = args.as_object_mut()?;
    given.remove("timestamp");
    let known = arguments(&kind)?;
    if !given.keys().all(|name| known.contains(&name.as_str())) {
        return None;
    }
    let list = |value: &Value| match value {
        Value::Array(_) => value.clone(),
        _ => json!([]),
    };
    match kind.as_str() {
        "message" => Some(AgentMessage::Message {
            content: args["content"].as_str()?.to_owned(),
            images: list(&args["image_urls"]),
            files: list(&args["file_urls"]),
        }),
        "change_agent_state" => Some(AgentMessage::State(
            args["agent_state"].as_str()?.to_owned(),
        )),
        "run" if !args["command"].is_string() => None,
        "read" if !args["path"].is_string() => None,
        _ => Some(AgentMessage::Act { kind, args }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_action_or_argument_rejects_the_whole_message() {
        for payload in [
            json!({"action": "no_such_action", "args": {}}),
            json!({"action": "initialize", "args": {}}),
            json!({"action": "message", "args": {"content": "x", "no_such_arg": 1}}),
            json!("just text"),
            json!(null),
        ] {
            assert!(read(payload.clone()).is_none(), "{payload}");
        }
    }

    #[test]
    fn the_time_of_the_official_client_is_dropped() {
        let payload = json!({"action": "message", "args": {"content": "x", "timestamp": "2026-11-21T00:00:00.000Z"}});
        assert!(
            matches!(read(payload), Some(AgentMessage::Message { content, .. }) if content == "x")
        );
    }
}
