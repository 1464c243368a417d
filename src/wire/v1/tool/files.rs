//! The tools for files in the manner of Gemini.

use serde::Deserialize;
use serde_json::{Map, Value};

/// A file is read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct ReadFileAction {
    /// Which.
    pub file_path: String,
    /// Lines to leave out at the beginning.
    pub offset: Option<i64>,
    /// Lines to read.
    pub limit: Option<i64>,
    /// What else stands in the arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// A file is written.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct WriteFileAction {
    /// Which.
    pub file_path: String,
    /// Its text.
    pub content: String,
    /// What else stands in the arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// A passage is replaced.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct EditAction {
    /// In which file.
    pub file_path: String,
    /// The passage.
    pub old_string: String,
    /// What stands there afterwards.
    pub new_string: String,
    /// What else stands in the arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// A passage was replaced.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct EditObservation {
    /// In which file.
    pub file_path: Option<String>,
    /// Its whole text before.
    pub old_content: Option<String>,
    /// Its whole text now.
    pub new_content: Option<String>,
}

/// A directory is read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct ListDirectoryAction {
    /// Which.
    pub dir_path: String,
    /// What else stands in the arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}
