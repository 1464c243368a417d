//! What an event says, as plain text.

use crate::conversation::{Body, FileOp, LogItem, Tool};

/// Longest text, in characters.
const LONGEST: usize = 4_000;

/// What an event says, shortened; empty if it says nothing to a reader.
pub fn event_in_words(item: &LogItem) -> String {
    let text = match &item.body {
        Body::Message(message) => message.text.clone(),
        Body::Call(call) => tool_in_words(&call.tool),
        Body::Result(result) => result.text.clone(),
        Body::Rejected { reason } if reason.is_empty() => "Rejected".to_owned(),
        Body::Rejected { reason } => format!("Rejected: {reason}"),
        Body::CallError { text, .. } | Body::RunError { text, .. } => text.clone(),
        Body::Condensed { summary, .. } => summary.clone(),
        Body::Note(note) => note.clone(),
        Body::Title(title) => title.clone(),
        _ => String::new(),
    };
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

fn tool_in_words(tool: &Tool) -> String {
    match tool {
        Tool::Shell { command, .. } => format!("Run: {command}"),
        Tool::Cell { code } => format!("Python: {code}"),
        Tool::File(operation) => match operation {
            FileOp::View { path, .. } => format!("Read {path}"),
            FileOp::Undo { path } => format!("Undo {path}"),
            FileOp::Create { path, .. } => format!("Create {path}"),
            FileOp::Insert { path, .. }
            | FileOp::Rewrite { path, .. }
            | FileOp::Replace { path, .. } => format!("Edit {path}"),
        },
        Tool::Browser { action, url } => format!("Browse {}", url.as_deref().unwrap_or(action)),
        Tool::Think { text } | Tool::Finish { text } | Tool::Decline { text } => text.clone(),
        Tool::Tasks { .. } => "Update tasks".to_owned(),
        Tool::Mcp { name, arguments } | Tool::Other { name, arguments } => {
            format!("{name} {arguments}")
        }
        Tool::SubAgent { agent, task, .. } => format!("Delegate to {agent}: {task}"),
        Tool::Skill { name } => format!("Skill {name}"),
        Tool::Search { pattern, place } => format!("Search {pattern} {place}"),
        Tool::Condense => "Summarize older events".to_owned(),
    }
}
