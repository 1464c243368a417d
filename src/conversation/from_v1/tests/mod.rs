//! What single events of 1.x mean. The shapes are those of 1.58, the texts are ours.

mod calls;
mod events;
mod recordings;

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

/// A call of `tool_name` with these fields.
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
