//! Looking for files.

use serde::Deserialize;

/// Files are looked for by name.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct GlobAction {
    /// The name, with wildcards.
    pub pattern: String,
    /// Where.
    pub path: Option<String>,
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
}
