//! The browser.

use crate::wire::v0::ActionSecurityRisk;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Opens a page.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BrowseURLAction {
    /// Its address.
    pub url: String,
    /// What was thought beside it.
    pub thought: String,
    /// How dangerous it was judged.
    pub security_risk: ActionSecurityRisk,
    /// What else stands in the arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Drives the browser.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BrowseInteractiveAction {
    /// What it does, as code: `goto("...")`, `click("12")`.
    pub browser_actions: String,
    /// What was thought beside it.
    pub thought: String,
    /// What it says to the person.
    pub browsergym_send_msg_to_user: String,
    /// How dangerous it was judged.
    pub security_risk: ActionSecurityRisk,
    /// What else stands in the arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}
