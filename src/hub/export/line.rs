//! What an event says, as plain text.

use crate::conversation::{Body, LogItem, Tool};
use crate::render::tool_in_words;
use crate::wire::json_text;

/// Longest text, in characters.
const LONGEST: usize = 4_000;

/// What an event says, shortened; empty if it says nothing to a reader.
pub fn event_in_words(item: &LogItem) -> String {
    let text = match &item.body {
        Body::Message(message) => message.text.clone(),
        Body::Call(call) => call_in_words(&call.tool),
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

fn call_in_words(tool: &Tool) -> String {
    let (verb, subject) = tool_in_words(tool);
    match tool {
        Tool::Think { .. } | Tool::Finish { .. } | Tool::Decline { .. } => subject.into_owned(),
        Tool::Mcp { arguments, .. } | Tool::Other { arguments, .. } => {
            format!("{verb} {subject} {}", json_text(arguments))
        }
        _ => format!("{verb} {subject}"),
    }
}
