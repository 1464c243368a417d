//! File search.

use serde::Deserialize;
use serde_json::{Map, Value};

/// Files are searched by name.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct GlobAction {
    /// The name, with wildcards.
    pub pattern: String,
    /// Directory to search.
    pub path: Option<String>,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Files are searched by content.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct GrepAction {
    /// The regular expression.
    pub pattern: String,
    /// Directory to search.
    pub path: Option<String>,
    /// Pattern for file names.
    pub include: Option<String>,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}
