//! Messages, and the instructions before them.

use crate::wire::v0::ActionSecurityRisk;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A message, from a person or from the agent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MessageAction {
    /// The text, Markdown.
    pub content: String,
    /// The agent's text by its name in OpenHands' documentation. 0.62 sends `content`.
    pub thought: String,
    /// Paths of attached files.
    pub file_urls: Vec<String>,
    /// `data:` or `http(s):` URLs of images.
    pub image_urls: Vec<String>,
    /// The agent waits for an answer.
    pub wait_for_response: bool,
    /// Risk rating.
    pub security_risk: ActionSecurityRisk,
}

/// The agent's instructions and tools; sent once.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SystemMessageAction {
    /// The prompt.
    pub content: String,
    /// The tools, in the format of the model's provider.
    pub tools: Vec<Value>,
    /// Version of OpenHands.
    pub openhands_version: String,
    /// Class of the agent.
    pub agent_class: String,
}
