//! Translations of single events. The formats are those of 0.62, the texts are ours.

mod actions;
mod events;
mod observations;

use super::*;
use crate::conversation::{Call, FileOp, Message, Recall, ResultShape, Tool, ToolResult};
use serde_json::json;

fn item(value: Value) -> LogItem {
    from_v0(&Incoming::read(value))
}

fn body(value: Value) -> Body {
    item(value).body
}

fn call(value: Value) -> Call {
    match body(value) {
        Body::Call(call) => call,
        other => panic!("not a call: {other:?}"),
    }
}

fn tool(action: &str, args: Value) -> Tool {
    call(json!({"action": action, "args": args})).tool
}

fn result(observation: &str, content: &str, extras: Value) -> ToolResult {
    match body(
        json!({"observation": observation, "content": content, "extras": extras, "cause": 1}),
    ) {
        Body::Result(result) => result,
        other => panic!("not a result: {other:?}"),
    }
}
