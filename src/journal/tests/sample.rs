//! Events in the format of OpenHands 0.62, which keep tests of the journal and the hub short.

use crate::conversation::{LogItem, from_v0, from_v1};
use crate::journal::{Entry, Journal};
use crate::wire::v0::Incoming;
use crate::wire::v1::Event;
use serde_json::{Value, json};
use std::path::Path;

/// Parses raw JSON as the program does.
pub(crate) fn reader(raw: &str) -> LogItem {
    let event: Value = serde_json::from_str(raw).expect("tests write JSON");
    match event.get("kind") {
        Some(_) => from_v1::item(&Event::read(event), None, None),
        None => from_v0(&Incoming::read(event)),
    }
}

/// Opens a journal in `folder`.
pub(crate) async fn journal_in(folder: &Path) -> Journal {
    Journal::open(folder, reader)
        .await
        .expect("the folder can be written")
}

/// An entry as a backend returns it.
pub(crate) fn entry(event: &Value) -> Entry {
    let raw = event.to_string();
    Entry {
        item: reader(&raw),
        raw,
    }
}

/// A message from the user.
pub(crate) fn says(id: i64, text: &str) -> Value {
    event(
        id,
        "user",
        json!({ "action": "message", "args": { "content": text, "image_urls": [], "file_urls": [] } }),
    )
}

/// A message from the agent.
pub(crate) fn answers(id: i64, text: &str) -> Value {
    event(
        id,
        "agent",
        json!({ "action": "message", "args": { "content": text, "wait_for_response": true } }),
    )
}

/// A command.
pub(crate) fn runs(id: i64, command: &str) -> Value {
    run(id, command, "confirmed", "I shall run this.")
}

/// A command that needs approval.
pub(crate) fn asks(id: i64, command: &str) -> Value {
    run(id, command, "awaiting_confirmation", "I shall run this.")
}

/// The command again, after it was approved or rejected.
pub(crate) fn asked(id: i64, command: &str, confirmed: bool) -> Value {
    run(
        id,
        command,
        if confirmed { "confirmed" } else { "rejected" },
        "",
    )
}

fn run(id: i64, command: &str, confirmation: &str, thought: &str) -> Value {
    event(
        id,
        "agent",
        json!({ "action": "run", "message": format!("Running command: {command}"), "args": {
            "command": command, "is_input": false, "thought": thought, "blocking": false, "hidden": false,
            "confirmation_state": confirmation, "security_risk": 0 } }),
    )
}

/// The output of a command.
pub(crate) fn prints(id: i64, cause: i64, output: &str) -> Value {
    let extras = json!({ "command": "", "metadata": { "exit_code": 0, "prefix": "", "suffix": "" }, "hidden": false });
    event(
        id,
        "agent",
        json!({ "observation": "run", "content": output, "cause": cause, "success": true, "extras": extras }),
    )
}

/// A change of the agent's state.
pub(crate) fn state(id: i64, state: &str) -> Value {
    let extras = json!({ "agent_state": state, "reason": "" });
    event(
        id,
        "environment",
        json!({ "observation": "agent_state_changed", "content": "", "extras": extras }),
    )
}

/// A request to change the agent's state.
pub(crate) fn steers(id: i64, state: &str) -> Value {
    event(
        id,
        "user",
        json!({ "action": "change_agent_state", "args": { "agent_state": state, "thought": "" } }),
    )
}

/// A visited page with its screenshot.
pub(crate) fn browses(id: i64, screenshot: &str) -> Value {
    let extras = json!({ "url": "http://localhost/", "screenshot": screenshot, "error": false });
    event(
        id,
        "agent",
        json!({ "observation": "browse", "content": "A page", "extras": extras }),
    )
}

fn event(id: i64, source: &str, mut what: Value) -> Value {
    what["id"] = json!(id);
    what["source"] = json!(source);
    what["timestamp"] = json!(format!(
        "2026-11-21T10:{:02}:{:02}.000000",
        id / 60 % 60,
        id % 60
    ));
    if what.get("message").is_none() {
        what["message"] = json!("");
    }
    what
}

/// A conversation of `count` events: the user asks, the agent runs commands.
pub(crate) fn talk(count: i64) -> Vec<Value> {
    let one = |id: i64| match id % 4 {
        0 => says(id, &format!("Please look at number {id}")),
        1 => runs(id, &format!("cat notes/{id}.txt | head -n 20")),
        2 => prints(
            id,
            id - 1,
            &format!("line one of {id}\nline two\nline three"),
        ),
        _ => answers(id, &format!("Number **{id}** is fine, as `notes` says.")),
    };
    (0..count).map(one).collect()
}
