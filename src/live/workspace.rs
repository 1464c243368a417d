//! Files of a conversation's workspace, as a page shows them.

use crate::render::FileView;
use serde::{Deserialize, Serialize};

/// A file or directory of the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its name.
    pub name: String,
    /// Its path from the root of the workspace.
    pub path: String,
    /// It is a directory.
    pub directory: bool,
}

/// What a file is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileShown {
    /// Text, highlighted.
    Text(FileView),
    /// Not text; this many words say so.
    Binary,
    /// Too large to show; its size in bytes.
    TooLarge(u64),
    /// It is not there (any more).
    Missing,
}
