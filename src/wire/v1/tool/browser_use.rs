//! The browser: those of its tools that say something in words. The others are read from their arguments.

use serde::Deserialize;
use serde_json::{Map, Value};

/// A page is opened.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct BrowserNavigateAction {
    /// Its address.
    pub url: String,
    /// In a tab of its own.
    pub new_tab: bool,
    /// What else stands in the arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Something on the page is clicked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct BrowserClickAction {
    /// Number of the element in the state of the page.
    pub index: i64,
    /// What else stands in the arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Something is typed into the page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct BrowserTypeAction {
    /// Number of the element in the state of the page.
    pub index: i64,
    /// What is typed.
    pub text: String,
    /// What else stands in the arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// The page is scrolled.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct BrowserScrollAction {
    /// `up` or `down`.
    pub direction: String,
    /// What else stands in the arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Back to the page before.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct BrowserGoBackAction {}

/// The browser's answer: its words are in the content.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct BrowserObservation {
    /// The page as a picture: base64 without the `data:` before it.
    pub screenshot_data: Option<String>,
}
