//! Downloads of the browser.

use serde::{Deserialize, Serialize};

/// The browser has downloaded a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FileDownloadObservation {
    /// Its path.
    pub file_path: String,
}
