//! Files: read, written, edited.

use crate::wire::v0::{ActionSecurityRisk, FileEditSource, FileReadSource};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Reads a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileReadAction {
    /// Path of the file or directory.
    pub path: String,
    /// First line, counted from 0.
    pub start: i64,
    /// Line after the last; -1 is the end.
    pub end: i64,
    /// The agent's thought.
    pub thought: String,
    /// Risk rating.
    pub security_risk: ActionSecurityRisk,
    /// The tool that reads.
    #[serde(skip_serializing_if = "is_reader_unset")]
    pub impl_source: FileReadSource,
    /// First and last line, counted from 1 (`oh_aci`).
    pub view_range: Option<Vec<i64>>,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl Default for FileReadAction {
    fn default() -> Self {
        Self {
            path: String::new(),
            start: 0,
            end: -1,
            thought: String::new(),
            security_risk: ActionSecurityRisk::Unknown,
            impl_source: FileReadSource::default(),
            view_range: None,
            more: Map::new(),
        }
    }
}

/// The server has its own default, and refuses an empty value.
fn is_reader_unset(source: &FileReadSource) -> bool {
    source.as_str().is_empty()
}

/// Writes a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileWriteAction {
    /// Its path.
    pub path: String,
    /// Its text.
    pub content: String,
    /// First replaced line, counted from 0.
    pub start: i64,
    /// Line after the last replaced one; -1 is the end.
    pub end: i64,
    /// The agent's thought.
    pub thought: String,
    /// Risk rating.
    pub security_risk: ActionSecurityRisk,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl Default for FileWriteAction {
    fn default() -> Self {
        Self {
            path: String::new(),
            content: String::new(),
            start: 0,
            end: -1,
            thought: String::new(),
            security_risk: ActionSecurityRisk::Unknown,
            more: Map::new(),
        }
    }
}

/// Edits a file: by a command of the editor (`oh_aci`), or by a draft for a model to work in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileEditAction {
    /// Its path.
    pub path: String,
    /// `view`, `create`, `str_replace`, `insert`, `undo_edit` or `write`; empty for a draft.
    pub command: String,
    /// Text of the new file.
    pub file_text: Option<String>,
    /// The passage to replace.
    pub old_str: Option<String>,
    /// The new text.
    pub new_str: Option<String>,
    /// The line before the inserted text.
    pub insert_line: Option<i64>,
    /// The draft.
    pub content: String,
    /// First line of the draft's range, counted from 1.
    pub start: i64,
    /// Last line of the draft's range; -1 is the end.
    pub end: i64,
    /// The agent's thought.
    pub thought: String,
    /// Risk rating.
    pub security_risk: ActionSecurityRisk,
    /// The tool that edits.
    #[serde(skip_serializing_if = "is_editor_unset")]
    pub impl_source: FileEditSource,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl Default for FileEditAction {
    fn default() -> Self {
        Self {
            path: String::new(),
            command: String::new(),
            file_text: None,
            old_str: None,
            new_str: None,
            insert_line: None,
            content: String::new(),
            start: 1,
            end: -1,
            thought: String::new(),
            security_risk: ActionSecurityRisk::Unknown,
            impl_source: FileEditSource::default(),
            more: Map::new(),
        }
    }
}

/// The server has its own default, and refuses an empty value.
fn is_editor_unset(source: &FileEditSource) -> bool {
    source.as_str().is_empty()
}
