//! Open calls: those that the server would execute on "run".

use serde_json::Value;

/// Ids of the calls without a result among the newest events (newest first), by the server's own rule: a result names
/// its call by id, an error by the tool call's id, which models may reuse: only events newer than a call count.
pub(super) fn unanswered(newest: &[Value]) -> Vec<String> {
    let (mut calls, mut errors) = (Vec::new(), Vec::new());
    let mut open = Vec::new();
    for event in newest {
        let text = |key: &str| event.get(key).and_then(Value::as_str);
        match text("kind") {
            Some("ObservationEvent" | "UserRejectObservation") => calls.extend(text("action_id")),
            Some("AgentErrorEvent") => errors.extend(text("tool_call_id")),
            Some("ActionEvent") => {
                // A call without an action cannot be executed.
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

/// The unanswered calls that a page asks about, without those of [`crate::conversation::Tool::answers_itself`].
pub(super) fn asked_about(newest: &[Value]) -> Vec<String> {
    let mut open = unanswered(newest);
    open.retain(|key| {
        newest.iter().any(|event| {
            let kind = event.pointer("/action/kind").and_then(Value::as_str);
            event["id"] == **key && !matches!(kind, Some("ThinkAction" | "FinishAction"))
        })
    });
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
