//! The editor.

use serde::Deserialize;
use serde_json::{Map, Value};

/// Something with a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct FileEditorAction {
    /// `view`, `create`, `str_replace`, `insert`, `undo_edit`.
    pub command: String,
    /// Which file or directory.
    pub path: String,
    /// For `create`: its text.
    pub file_text: String,
    /// For `str_replace`: the passage.
    pub old_str: String,
    /// For `str_replace` and `insert`: what stands there afterwards.
    pub new_str: String,
    /// For `insert`: behind which line; 0 is the beginning.
    pub insert_line: Option<i64>,
    /// For `view`: first and last line, 1-based; -1 is the end.
    pub view_range: Option<Vec<i64>>,
    /// What else stands in the arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// A file was looked at or changed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct FileEditorObservation {
    /// As asked.
    pub command: String,
    /// Which file.
    pub path: Option<String>,
    /// Its whole text before.
    pub old_content: Option<String>,
    /// Its whole text now.
    pub new_content: Option<String>,
}
