//! Which calls the server would carry out if it were told to go on.

use serde_json::Value;

/// Ids of the calls that have no result among these events, which are the newest, newest first: what the server
/// would carry out if it were told to go on. Told as the server tells it: a result names its call by id, an error
/// by the id of the tool call, which models are free to use again, so only what is newer than a call counts.
pub(super) fn unanswered(newest: &[Value]) -> Vec<String> {
    let (mut calls, mut errors) = (Vec::new(), Vec::new());
    let mut open = Vec::new();
    for event in newest {
        let text = |key: &str| event.get(key).and_then(Value::as_str);
        match text("kind") {
            Some("ObservationEvent" | "UserRejectObservation") => calls.extend(text("action_id")),
            Some("AgentErrorEvent") => errors.extend(text("tool_call_id")),
            Some("ActionEvent") => {
                // Without an action it cannot be carried out.
                let can_run = event.get("action").is_some_and(|action| !action.is_null());
                let has = |known: &[&str], name| text(name).is_some_and(|id| known.contains(&id));
                if can_run && !has(&calls, "id") && !has(&errors, "tool_call_id") {
                    open.extend(text("id").map(str::to_owned));
                }
            }
            _ => {}
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_has_no_result_behind_it_is_open_whatever_hooks_say() {
        let call = |id: &str| json!({ "id": id, "kind": "ActionEvent", "action": {}, "tool_call_id": format!("call-{id}") });
        let newest = [
            json!({ "id": "r", "kind": "AgentErrorEvent", "tool_call_id": "call-a" }),
            json!({ "id": "s", "kind": "ObservationEvent", "action_id": "b", "tool_call_id": "call-c" }),
            json!({ "id": "h", "kind": "HookExecutionEvent", "action_id": "c" }),
            call("c"),
            call("b"),
            call("a"),
            json!({ "id": "o", "kind": "AgentErrorEvent", "tool_call_id": "call-c" }),
            json!({ "id": "d", "kind": "ActionEvent", "tool_call_id": "call-d" }),
            json!({ "id": "e", "kind": "ActionEvent", "action": null, "tool_call_id": "call-e" }),
        ];
        assert_eq!(unanswered(&newest), ["c"]);
    }
}
