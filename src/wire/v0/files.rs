//! Files and the address of a backend, as in OpenHands' documentation.
//!
//! 0.62 itself lists only names, one directory at a time; a tree is assembled from such lists.

use crate::wire::open_words::open_words;
use serde::{Deserialize, Serialize};
use std::fmt;

open_words! {
    /// Type of a node in the tree.
    pub enum FileType {
        /// A file.
        File = "file",
        /// A directory.
        Directory = "directory",
    }
}

/// A file or directory of the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FileNode {
    /// Its path from the root.
    pub path: String,
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: FileType,
    /// Its contents, if it is a directory that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub children: Option<Vec<FileNode>>,
    /// Size in bytes, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
}

/// Content of a file (`GET .../select-file`).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FileContent {
    /// The text.
    pub code: String,
}

/// Address of a backend.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BackendSettings {
    /// Host name or IP address.
    pub backend_host: String,
    /// Port.
    pub backend_port: u16,
    /// Whether it uses TLS.
    pub use_tls: bool,
    /// The key that it requires (`SESSION_API_KEY`): gives root access to its machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_api_key: Option<String>,
    /// Base path behind a proxy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl Default for BackendSettings {
    /// The default port of 0.62, on this machine.
    fn default() -> Self {
        Self {
            backend_host: "localhost".to_owned(),
            backend_port: 3000,
            use_tls: false,
            session_api_key: None,
            path: None,
        }
    }
}

impl fmt::Debug for BackendSettings {
    /// Never shows the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BackendSettings")
            .field("backend_host", &self.backend_host)
            .field("backend_port", &self.backend_port)
            .field("use_tls", &self.use_tls)
            .field(
                "session_api_key",
                &self.session_api_key.as_ref().map(|_| "hidden"),
            )
            .field("path", &self.path)
            .finish()
    }
}
