//! The browser: those of its tools that return text. The others are read from their arguments.

use serde::Deserialize;
use serde_json::{Map, Value};

/// A page is opened.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct BrowserNavigateAction {
    /// Its URL.
    pub url: String,
    /// Whether to open a new tab.
    pub new_tab: bool,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Something on the page is clicked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct BrowserClickAction {
    /// Index of the element in the page state.
    pub index: i64,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Something is typed into the page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct BrowserTypeAction {
    /// Index of the element in the page state.
    pub index: i64,
    /// The text to type.
    pub text: String,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// The page is scrolled.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct BrowserScrollAction {
    /// `up` or `down`.
    pub direction: String,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Back to the previous page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct BrowserGoBackAction {}

/// The browser's response: its text is in the content.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct BrowserObservation {
    /// Screenshot: base64 without the `data:` prefix.
    pub screenshot_data: Option<String>,
}
