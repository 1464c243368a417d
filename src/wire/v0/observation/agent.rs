//! The agent itself: its state, its memory.

use crate::wire::v0::{AgentState, RecallType};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The agent has another state. Live, every change is sent; a replay has the newest one only, and last.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentStateChangedObservation {
    /// The new state.
    pub agent_state: AgentState,
    /// Why: a code or a sentence, for `error` only.
    pub reason: String,
}

/// Memory was condensed; the text is the observation's `content`. 0.62 sends the action instead.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AgentCondensationObservation {}

/// A thought was logged. The text is always the same sentence.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AgentThinkObservation {}

/// Context was found and put before the agent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RecallObservation {
    /// What kind of context.
    pub recall_type: RecallType,
    /// `owner/name` of the repository.
    pub repo_name: String,
    /// Where it is checked out.
    pub repo_directory: String,
    /// Its branch.
    pub repo_branch: String,
    /// What the repository tells agents.
    pub repo_instructions: String,
    /// Addresses that the agent may serve on, with their ports.
    pub runtime_hosts: Map<String, Value>,
    /// What the installation tells agents.
    pub additional_agent_instructions: String,
    /// Today, as the server sees it.
    pub date: String,
    /// Names of the secrets that the agent may use, with descriptions.
    pub custom_secrets_descriptions: Map<String, Value>,
    /// What was told for this conversation.
    pub conversation_instructions: String,
    /// Where the agent works.
    pub working_dir: String,
    /// Microagents that a word has triggered.
    pub microagent_knowledge: Vec<MicroagentKnowledge>,
}

/// What a microagent tells.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MicroagentKnowledge {
    /// Its name.
    #[serde(alias = "agent_name")]
    pub name: Option<String>,
    /// The word that triggered it.
    #[serde(alias = "trigger_word")]
    pub trigger: Option<String>,
    /// What it tells.
    pub content: Option<String>,
}
