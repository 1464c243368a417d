//! What an ACP agent (Claude Code, Codex, Gemini) does by itself: its calls come as they are, in the same log.

use super::{Content, text_of};
use serde::Deserialize;
use serde_json::Value;

/// A call of an ACP agent: one event when it begins, one when it has ended, joined by `tool_call_id`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct ACPToolCallEvent {
    /// The agent's id of the call.
    pub tool_call_id: String,
    /// What it does, in a few words.
    pub title: String,
    /// `pending`, `in_progress`, `completed`, `failed`.
    pub status: String,
    /// `read`, `edit`, `delete`, `move`, `search`, `execute`, `think`, `fetch`, `other`.
    pub tool_kind: String,
    /// What it was given: of the agent's own making.
    pub raw_input: Value,
    /// What came of it: of the agent's own making.
    pub raw_output: Value,
    /// What came of it, in parts.
    pub content: Vec<ACPContent>,
    /// It failed.
    pub is_error: bool,
}

/// A part of what came of a call.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ACPContent {
    /// Text or a picture.
    Content {
        /// It.
        content: Content,
    },
    /// A file was changed.
    Diff {
        /// Which.
        path: String,
        /// Its text before; missing for a new file.
        #[serde(default, alias = "oldText")]
        old_text: String,
        /// Its text now.
        #[serde(default, alias = "newText")]
        new_text: String,
    },
    /// A part that we do not know.
    #[serde(untagged)]
    Unknown(Value),
}

impl ACPContent {
    /// What it reads as; empty for a change of a file.
    pub fn text(&self) -> String {
        match self {
            Self::Content { content } => text_of(std::slice::from_ref(content)),
            Self::Diff { .. } => String::new(),
            Self::Unknown(value) => value.to_string(),
        }
    }
}
