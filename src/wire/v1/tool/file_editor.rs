//! The editor.

use serde::Deserialize;
use serde_json::{Map, Value};

/// An operation on a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct FileEditorAction {
    /// `view`, `create`, `str_replace`, `insert`, `undo_edit`.
    pub command: String,
    /// Path of the file or directory.
    pub path: String,
    /// For `create`: its text.
    pub file_text: String,
    /// For `str_replace`: the passage to replace.
    pub old_str: String,
    /// For `str_replace` and `insert`: the new text.
    pub new_str: String,
    /// For `insert`: the line before it; 0 is the beginning.
    pub insert_line: Option<i64>,
    /// For `view`: first and last line, 1-based; -1 is the end.
    pub view_range: Option<Vec<i64>>,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// A file was viewed or changed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct FileEditorObservation {
    /// The command.
    pub command: String,
    /// Its path.
    pub path: Option<String>,
    /// Its previous text.
    pub old_content: Option<String>,
    /// Its new text.
    pub new_content: Option<String>,
}
