//! Looking for files.

use serde::Deserialize;
use serde_json::{Map, Value};

/// Files are looked for by name.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct GlobAction {
    /// The name, with wildcards.
    pub pattern: String,
    /// Where.
    pub path: Option<String>,
    /// What else stands in the arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Files are looked for by content.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct GrepAction {
    /// The regular expression.
    pub pattern: String,
    /// Where.
    pub path: Option<String>,
    /// In files of which name.
    pub include: Option<String>,
    /// What else stands in the arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}
