//! The browser.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// State of the browser. The text is an accessibility tree; `set_of_marks`, which is the
/// screenshot again, and the empty trees are omitted.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BrowserOutputObservation {
    /// URL of the page.
    pub url: String,
    /// The action that led here.
    pub trigger_by_action: String,
    /// `data:` URL of a screenshot, or empty.
    pub screenshot: String,
    /// Path of the screenshot on the server.
    pub screenshot_path: Option<String>,
    /// Whether it failed.
    pub error: bool,
    /// Open pages.
    #[serde(alias = "open_page_urls")]
    pub open_pages_urls: Vec<String>,
    /// Index of the shown page, from 0.
    pub active_page_index: i64,
    /// The last browser action.
    pub last_browser_action: String,
    /// Its error message, usually empty.
    pub last_browser_action_error: Value,
    /// The element with the focus.
    pub focused_element_bid: String,
}
