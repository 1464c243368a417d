//! Calls made by an ACP agent itself (Claude Code, Codex, Gemini): stored in the same log, in the agent's own format.

use super::{Content, text_of};
use serde::Deserialize;
use serde_json::Value;

/// A call of an ACP agent: one event at its start, one at its end, joined by `tool_call_id`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct ACPToolCallEvent {
    /// The agent's id for the call.
    pub tool_call_id: String,
    /// A short title.
    pub title: String,
    /// `pending`, `in_progress`, `completed`, `failed`.
    pub status: String,
    /// `read`, `edit`, `delete`, `move`, `search`, `execute`, `think`, `fetch`, `other`.
    pub tool_kind: String,
    /// The input, in the agent's own format.
    pub raw_input: Value,
    /// The output, in the agent's own format.
    pub raw_output: Value,
    /// The output, in parts.
    pub content: Vec<ACPContent>,
    /// It failed.
    pub is_error: bool,
}

/// A part of the output of a call.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ACPContent {
    /// Text or an image.
    Content {
        /// The text or image.
        content: Content,
    },
    /// A file was changed.
    Diff {
        /// Its path.
        path: String,
        /// Its previous text; missing for a new file.
        #[serde(default, alias = "oldText")]
        old_text: String,
        /// Its new text.
        #[serde(default, alias = "newText")]
        new_text: String,
    },
    /// An unknown part.
    #[serde(untagged)]
    Unknown(Value),
}

impl ACPContent {
    /// The part as text; empty for a change of a file.
    pub fn text(&self) -> String {
        match self {
            Self::Content { content } => text_of(std::slice::from_ref(content)),
            Self::Diff { .. } => String::new(),
            Self::Unknown(value) => value.to_string(),
        }
    }
}
