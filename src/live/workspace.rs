//! Workspace files, as shown on pages.

use crate::render::FileView;
use serde::{Deserialize, Serialize};

/// A file or directory in the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its name.
    pub name: String,
    /// Its path relative to the workspace root.
    pub path: String,
    /// Whether it is a directory.
    pub directory: bool,
}

/// Content of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileShown {
    /// Highlighted text.
    Text(FileView),
    /// Not text.
    Binary {
        /// Its size in bytes, if the file can be downloaded by itself.
        bytes: Option<u64>,
        /// Whether it is an image in a format that cannot contain scripts.
        picture: bool,
    },
    /// Too large to show; size in bytes.
    TooLarge(u64),
    /// Does not exist.
    Missing,
}
