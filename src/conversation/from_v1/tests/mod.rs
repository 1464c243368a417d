//! Translations of single 1.x events. The formats are those of 1.58, the texts are ours.

mod calls;
mod drafts;
mod events;
mod properties;
mod recordings;
mod timeline;

use super::*;
use crate::conversation::{FileOp, ToolResult};
use crate::wire::v1::Action;
use serde_json::{Value, json};

fn read(value: Value) -> LogItem {
    item(&Event::read(value), None, None)
}

fn body_of(value: Value) -> Body {
    read(value).body
}

/// A call of `tool_name` with this action.
fn call_of(tool_name: &str, action: Value) -> Call {
    let arguments = action.to_string();
    let event = json!({"kind": "ActionEvent", "id": "a", "tool_name": tool_name, "tool_call_id": "c",
        "action": action, "tool_call": {"arguments": arguments}, "llm_response_id": "r"});
    match body_of(event) {
        Body::Call(call) => call,
        other => panic!("not a call: {other:?}"),
    }
}

fn tool_of(action: Value) -> Tool {
    call_of("tool", action).tool
}

fn result_of(observation: Value) -> ToolResult {
    match body_of(
        json!({"kind": "ObservationEvent", "id": "b", "action_id": "a", "observation": observation}),
    ) {
        Body::Result(result) => result,
        other => panic!("not a result: {other:?}"),
    }
}

fn text(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

/// An event at position `seq`; its id is `e` and the position.
fn at(seq: i64, mut event: Value) -> LogItem {
    event["id"] = format!("e{seq}").into();
    event["timestamp"] = format!("2026-11-21T00:{:02}:{:02}", seq / 60 % 60, seq % 60).into();
    item(&Event::read(event), Some(seq), None)
}

/// The agent runs `command`, in the model response `group`.
fn run(seq: i64, group: &str, command: &str) -> LogItem {
    at(
        seq,
        json!({"kind": "ActionEvent", "source": "agent", "tool_name": "terminal", "tool_call_id": format!("c{seq}"),
            "action": {"kind": "TerminalAction", "command": command}, "llm_response_id": group, "security_risk": "HIGH"}),
    )
}

/// The output of the call at `call`.
fn output(seq: i64, call: i64, printed: &str) -> LogItem {
    at(
        seq,
        json!({"kind": "ObservationEvent", "source": "environment", "action_id": format!("e{call}"),
            "tool_call_id": format!("c{call}"),
            "observation": {"kind": "TerminalObservation", "content": text(printed), "exit_code": 0}}),
    )
}

fn status(seq: i64, word: &str) -> LogItem {
    at(
        seq,
        json!({"kind": "ConversationStateUpdateEvent", "source": "environment", "key": "execution_status", "value": word}),
    )
}

fn says(seq: i64, source: &str, words: &str) -> LogItem {
    at(
        seq,
        json!({"kind": "MessageEvent", "source": source, "llm_message": {"content": text(words)}}),
    )
}

/// The call at `call` could not be executed.
fn fails(seq: i64, call: i64) -> LogItem {
    at(
        seq,
        json!({"kind": "AgentErrorEvent", "source": "agent", "tool_call_id": format!("c{call}"), "error": "cut off"}),
    )
}

fn rejected(seq: i64, call: i64) -> LogItem {
    at(
        seq,
        json!({"kind": "UserRejectObservation", "source": "environment", "action_id": format!("e{call}"),
            "rejection_reason": "no", "rejection_source": "user"}),
    )
}

/// A hook around the call at `call`.
fn hook(seq: i64, call: i64, event: &str) -> LogItem {
    at(
        seq,
        json!({"kind": "HookExecutionEvent", "source": "hook", "action_id": format!("e{call}"),
            "hook_event_type": event, "hook_command": "check", "stdout": "checked"}),
    )
}

fn stats(seq: i64, cost: f64) -> LogItem {
    at(
        seq,
        json!({"kind": "ConversationStateUpdateEvent", "source": "environment", "key": "stats",
            "value": {"usage_to_metrics": {"default": {"accumulated_cost": cost}}}}),
    )
}
