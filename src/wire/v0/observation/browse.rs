//! The browser.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// State of the browser. The text tells it as an accessibility tree; `set_of_marks`, which is the
/// screenshot once more, and the empty trees are left out.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BrowserOutputObservation {
    /// Address of the page.
    pub url: String,
    /// Which action led here.
    pub trigger_by_action: String,
    /// `data:` URL of a picture, or empty.
    pub screenshot: String,
    /// Where the server has stored it.
    pub screenshot_path: Option<String>,
    /// Whether it went wrong.
    pub error: bool,
    /// Open pages.
    #[serde(alias = "open_page_urls")]
    pub open_pages_urls: Vec<String>,
    /// Which of them is shown, counted from 0.
    pub active_page_index: i64,
    /// What was done last.
    pub last_browser_action: String,
    /// What went wrong with it: a text, mostly empty.
    pub last_browser_action_error: Value,
    /// Which element has the focus.
    pub focused_element_bid: String,
}
