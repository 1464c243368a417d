//! Builds events in the format of 0.62: in event 8, `run(8, "ls")`, the agent runs `ls`.

use crate::conversation::{LogItem, from_v0};
use crate::wire::v0::Incoming;
use serde_json::{Value, json};

pub(super) fn read(value: Value) -> LogItem {
    from_v0(&Incoming::read(value))
}

fn event(id: i64, source: &str, mut fields: Value) -> LogItem {
    fields["id"] = id.into();
    fields["source"] = source.into();
    fields["timestamp"] = format!("2026-11-21T00:{:02}:{:02}.000000", id / 60 % 60, id % 60).into();
    read(fields)
}

fn action(id: i64, source: &str, tag: &str, args: Value) -> LogItem {
    event(id, source, json!({"action": tag, "args": args}))
}

fn observation(id: i64, cause: i64, tag: &str, content: &str, extras: Value) -> LogItem {
    event(
        id,
        "agent",
        json!({"observation": tag, "cause": cause, "content": content, "extras": extras}),
    )
}

/// A message from a person.
pub(super) fn asks(id: i64, text: &str) -> LogItem {
    action(id, "user", "message", json!({"content": text}))
}

/// A message from the agent.
pub(super) fn replies(id: i64, text: &str) -> LogItem {
    action(
        id,
        "agent",
        "message",
        json!({"content": text, "wait_for_response": true}),
    )
}

/// A command that needs no approval.
pub(super) fn run(id: i64, command: &str) -> LogItem {
    action(
        id,
        "agent",
        "run",
        json!({"command": command, "confirmation_state": "confirmed"}),
    )
}

/// A command that needs approval.
pub(super) fn run_asking(id: i64, command: &str) -> LogItem {
    let args = json!({"command": command, "thought": "May I?", "confirmation_state": "awaiting_confirmation",
        "security_risk": 2});
    action(id, "agent", "run", args)
}

/// A rejected command, as it is sent again.
pub(super) fn run_rejected(id: i64, command: &str) -> LogItem {
    action(
        id,
        "agent",
        "run",
        json!({"command": command, "confirmation_state": "rejected"}),
    )
}

pub(super) fn output(id: i64, cause: i64, text: &str, exit_code: i64) -> LogItem {
    observation(
        id,
        cause,
        "run",
        text,
        json!({"metadata": {"exit_code": exit_code}}),
    )
}

pub(super) fn edit(id: i64, path: &str) -> LogItem {
    let args =
        json!({"path": path, "command": "create", "file_text": "x", "impl_source": "oh_aci"});
    action(id, "agent", "edit", args)
}

pub(super) fn edited(id: i64, cause: i64, text: &str) -> LogItem {
    observation(id, cause, "edit", text, json!({"impl_source": "oh_aci"}))
}

pub(super) fn think(id: i64) -> LogItem {
    action(id, "agent", "think", json!({"thought": "Hm."}))
}

pub(super) fn finish(id: i64) -> LogItem {
    action(id, "agent", "finish", json!({"final_thought": "Done."}))
}

/// A task is delegated to another agent.
pub(super) fn delegate(id: i64, task: &str) -> LogItem {
    event(
        id,
        "agent",
        json!({"action": "delegate", "args": {"agent": "BrowsingAgent", "inputs": {"task": task}},
            "tool_call_metadata": {"function_name": "delegate", "tool_call_id": "call_d"}}),
    )
}

/// The delegate's result, without a cause.
pub(super) fn delegate_done(id: i64, text: &str) -> LogItem {
    event(
        id,
        "agent",
        json!({"observation": "delegate", "content": text, "extras": {"outputs": {}},
            "tool_call_metadata": {"function_name": "delegate", "tool_call_id": "call_d"}}),
    )
}

pub(super) fn state(id: i64, state: &str) -> LogItem {
    failed_state(id, state, "")
}

pub(super) fn failed_state(id: i64, state: &str, reason: &str) -> LogItem {
    let extras = json!({"agent_state": state, "reason": reason});
    event(
        id,
        "agent",
        json!({"observation": "agent_state_changed", "content": "", "extras": extras}),
    )
}

/// A person requests a state.
pub(super) fn steers(id: i64, state: &str) -> LogItem {
    action(
        id,
        "user",
        "change_agent_state",
        json!({"agent_state": state}),
    )
}

pub(super) fn rejected(id: i64, cause: i64) -> LogItem {
    observation(id, cause, "user_rejected", "Rejected!", json!({}))
}

pub(super) fn not_executed(id: i64, cause: i64) -> LogItem {
    let extras = json!({"error_id": "AGENT_ERROR$ERROR_ACTION_NOT_EXECUTED_STOPPED"});
    observation(id, cause, "error", "Stop button pressed.", extras)
}

/// The model called a tool that does not exist.
pub(super) fn mistake(id: i64, text: &str) -> LogItem {
    event(
        id,
        "agent",
        json!({"observation": "error", "content": text, "extras": {"error_id": ""}}),
    )
}

pub(super) fn tasks(id: i64, cause: i64, title: &str, status: &str) -> LogItem {
    let list = json!([{"id": "1", "title": title, "status": status, "notes": ""}]);
    observation(
        id,
        cause,
        "task_tracking",
        "",
        json!({"command": "plan", "task_list": list}),
    )
}

/// A frame without an id.
pub(super) fn update(kind: &str, code: &str, text: &str) -> LogItem {
    read(json!({"status_update": true, "type": kind, "id": code, "message": text}))
}

pub(super) fn titled(title: &str) -> LogItem {
    read(
        json!({"status_update": true, "type": "info", "message": "0a", "conversation_title": title}),
    )
}

/// Attaches the model's totals to an event.
pub(super) fn paid(mut item: LogItem, cost: f64, tokens: u64) -> LogItem {
    item.metrics = Some(crate::conversation::Metrics {
        cost,
        prompt_tokens: tokens,
        ..Default::default()
    });
    item
}
