//! Downloads of the browser.

use serde::Deserialize;

/// The browser has downloaded a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct FileDownloadObservation {
    /// Its path.
    pub file_path: String,
}
