//! The Gemini-style file tools.

use serde::Deserialize;
use serde_json::{Map, Value};

/// A file is read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct ReadFileAction {
    /// Its path.
    pub file_path: String,
    /// Number of lines to skip.
    pub offset: Option<i64>,
    /// Number of lines to read.
    pub limit: Option<i64>,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// A file is written.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct WriteFileAction {
    /// Its path.
    pub file_path: String,
    /// Its text.
    pub content: String,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// A passage is replaced.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct EditAction {
    /// Path of the file.
    pub file_path: String,
    /// The passage to replace.
    pub old_string: String,
    /// The new text.
    pub new_string: String,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// A passage was replaced.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct EditObservation {
    /// Path of the file.
    pub file_path: Option<String>,
    /// Its previous text.
    pub old_content: Option<String>,
    /// Its new text.
    pub new_content: Option<String>,
}

/// A directory is listed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct ListDirectoryAction {
    /// Its path.
    pub dir_path: String,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}
