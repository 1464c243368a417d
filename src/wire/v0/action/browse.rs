//! The browser.

use crate::wire::v0::ActionSecurityRisk;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Opens a page.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BrowseURLAction {
    /// Its URL.
    pub url: String,
    /// The agent's thought.
    pub thought: String,
    /// Risk rating.
    pub security_risk: ActionSecurityRisk,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Controls the browser.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BrowseInteractiveAction {
    /// The actions, as code: `goto("...")`, `click("12")`.
    pub browser_actions: String,
    /// The agent's thought.
    pub thought: String,
    /// Its message to the person.
    pub browsergym_send_msg_to_user: String,
    /// Risk rating.
    pub security_risk: ActionSecurityRisk,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}
