//! A conversation of any length, in the format of OpenHands 0.62: a user asks, the agent runs commands.

use handrail::conversation::{LogItem, from_v0};
use handrail::journal::Entry;
use handrail::wire::v0::Incoming;
use serde_json::{Value, json};

/// Parses raw events like the product does.
pub fn reader(raw: &str) -> LogItem {
    from_v0(&Incoming::read(
        serde_json::from_str(raw).expect("it was written here"),
    ))
}

/// `count` events: every fourth is a user message, the others are a command, its output and a comment.
pub fn talk(count: i64) -> Vec<Entry> {
    (0..count)
        .map(|id| {
            let raw = event(id).to_string();
            Entry {
                item: reader(&raw),
                raw,
            }
        })
        .collect()
}

fn event(id: i64) -> Value {
    let mut event = match id % 4 {
        0 => json!({ "source": "user", "action": "message",
            "args": { "content": format!("Please look at number {id}"), "image_urls": [], "file_urls": [] } }),
        1 => json!({ "source": "agent", "action": "run", "args": {
            "command": format!("cat notes/{id}.txt | head -n 20"), "is_input": false, "thought": "I shall run this.",
            "blocking": false, "hidden": false, "confirmation_state": "confirmed", "security_risk": 0 } }),
        2 => json!({ "source": "agent", "observation": "run", "cause": id - 1, "success": true,
            "content": format!("line one of {id}\nline two\nline three"),
            "extras": { "command": "", "metadata": { "exit_code": 0, "prefix": "", "suffix": "" }, "hidden": false } }),
        _ => json!({ "source": "agent", "action": "message",
            "args": { "content": format!("Number **{id}** is fine, as `notes` says."), "wait_for_response": true } }),
    };
    event["id"] = json!(id);
    event["message"] = json!("");
    event["timestamp"] = json!("2026-11-21T10:00:00.000000");
    event
}
