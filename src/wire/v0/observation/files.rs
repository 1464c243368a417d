//! Files: read, written, edited.

use crate::wire::v0::{FileEditSource, FileReadSource};
use serde::{Deserialize, Serialize};

/// Content of a file. `oh_aci` numbers its lines, and starts an error with `ERROR:`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FileReadObservation {
    /// Its path.
    pub path: String,
    /// The tool that read it.
    pub impl_source: FileReadSource,
}

/// A file was written.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FileWriteObservation {
    /// Its path.
    pub path: String,
}

/// A file was edited, or could not be: then `content` begins with `ERROR:`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FileEditObservation {
    /// Its path.
    pub path: String,
    /// Whether it existed before; 0.62 always says no.
    pub prev_exist: bool,
    /// The passage that was replaced; the file if a model edited it.
    pub old_content: Option<String>,
    /// What replaced it.
    pub new_content: Option<String>,
    /// The tool that edited it.
    pub impl_source: FileEditSource,
    /// Unified diff without context lines; none if a model edited the file.
    pub diff: Option<String>,
}
