//! Translating the tool calls of ACP agents (Claude Code, Codex, Gemini).
//!
//! Such an agent reports a call by a series of events: the first starts it, the last is its result, and those in
//! between are updates. Its arguments have an agent-specific format, so only the fields common to all agents are
//! interpreted.

use super::{images, plain_call};
use crate::conversation::{Body, Call, FileOp, Tool, ToolResult};
use crate::wire::v1::{ACPContent, ACPToolCallEvent, Content, Event};
use serde_json::Value;

/// Whether the event is an update of a call that was started before.
pub(super) fn is_more(call: &ACPToolCallEvent) -> bool {
    call.status != "pending"
}

pub(super) fn body(event: &Event, call: &ACPToolCallEvent) -> Body {
    if matches!(call.status.as_str(), "completed" | "failed") || call.is_error {
        return Body::Result(result(call));
    }
    Body::Call(Call {
        call_id: Some(call.tool_call_id.clone()).filter(|id| !id.is_empty()),
        group: Some(call.tool_call_id.clone()),
        tool_name: call.tool_kind.clone(),
        summary: call.title.clone(),
        ..plain_call(event, tool(call))
    })
}

fn tool(call: &ACPToolCallEvent) -> Tool {
    let given = |names: &[&str]| {
        let mut found = names
            .iter()
            .filter_map(|name| call.raw_input.get(name)?.as_str());
        found.next().map(str::to_owned)
    };
    let path = || given(&["file_path", "path", "abs_path"]);
    let known = match call.tool_kind.as_str() {
        "execute" => given(&["command"]).map(|command| Tool::Shell {
            command,
            input: false,
        }),
        "read" => path().map(|path| Tool::File(FileOp::View { path, range: None })),
        "edit" => edit(
            call,
            path(),
            given(&["old_string"]),
            given(&["new_string", "content"]),
        ),
        "fetch" => given(&["url"]).map(|url| Tool::Browser {
            action: url.clone(),
            url: Some(url),
        }),
        "search" => given(&["pattern", "query"]).map(|pattern| Tool::Search {
            pattern,
            place: path().unwrap_or_default(),
        }),
        _ => None,
    };
    known.unwrap_or_else(|| Tool::Other {
        name: call.title.clone(),
        arguments: call.raw_input.clone(),
    })
}

fn edit(
    call: &ACPToolCallEvent,
    path: Option<String>,
    old: Option<String>,
    new: Option<String>,
) -> Option<Tool> {
    let op = match (change(call), path?, old, new) {
        (Some((path, old, new)), ..) => FileOp::Replace { path, old, new },
        (None, path, Some(old), Some(new)) => FileOp::Replace { path, old, new },
        (None, path, None, Some(text)) => FileOp::Create { path, text },
        _ => return None,
    };
    Some(Tool::File(op))
}

/// The file change among the content parts.
fn change(call: &ACPToolCallEvent) -> Option<(String, String, String)> {
    call.content.iter().find_map(|part| match part {
        ACPContent::Diff {
            path,
            old_text,
            new_text,
        } => Some((path.clone(), old_text.clone(), new_text.clone())),
        _ => None,
    })
}

fn result(call: &ACPToolCallEvent) -> ToolResult {
    let texts: Vec<String> = call.content.iter().map(ACPContent::text).collect();
    let text = texts.join("\n");
    let parts: Vec<Content> = call
        .content
        .iter()
        .filter_map(|part| match part {
            ACPContent::Content { content } => Some(content.clone()),
            _ => None,
        })
        .collect();
    let change = change(call);
    ToolResult {
        text: if text.trim().is_empty() {
            raw(&call.raw_output)
        } else {
            text
        },
        images: images(&parts),
        failed: call.is_error || call.status == "failed",
        path: change.as_ref().map(|(path, ..)| path.clone()),
        texts: change.map(|(_, old, new)| (old, new)),
        ..ToolResult::default()
    }
}

/// The raw output, used if there are no content parts.
fn raw(output: &Value) -> String {
    match output {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => match other.get("error").and_then(Value::as_str) {
            Some(error) => error.to_owned(),
            None => other.to_string(),
        },
    }
}
