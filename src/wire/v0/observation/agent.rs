//! The agent itself: its state and memory.

use crate::wire::v0::{AgentState, RecallType};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The agent's state has changed. Every change is sent live; a replay has only the latest, as its last event.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentStateChangedObservation {
    /// The new state.
    pub agent_state: AgentState,
    /// The reason: a code or a sentence, for `error` only.
    pub reason: String,
}

/// Memory was condensed; the text is in the observation's `content`. 0.62 sends the action instead.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AgentCondensationObservation {}

/// A thought was logged. The text is always the same sentence.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AgentThinkObservation {}

/// Context was recalled for the agent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RecallObservation {
    /// What kind of context.
    pub recall_type: RecallType,
    /// `owner/name` of the repository.
    pub repo_name: String,
    /// Its directory.
    pub repo_directory: String,
    /// Its branch.
    pub repo_branch: String,
    /// The repository's instructions for agents.
    pub repo_instructions: String,
    /// Hosts that the agent may serve on, with their ports.
    pub runtime_hosts: Map<String, Value>,
    /// The installation's instructions for agents.
    pub additional_agent_instructions: String,
    /// Today's date on the server.
    pub date: String,
    /// Names of the secrets that the agent may use, with descriptions.
    pub custom_secrets_descriptions: Map<String, Value>,
    /// Instructions for this conversation.
    pub conversation_instructions: String,
    /// The agent's working directory.
    pub working_dir: String,
    /// Microagents triggered by a keyword.
    pub microagent_knowledge: Vec<MicroagentKnowledge>,
}

/// The knowledge of a microagent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MicroagentKnowledge {
    /// Its name.
    #[serde(alias = "agent_name")]
    pub name: Option<String>,
    /// The keyword that triggered it.
    #[serde(alias = "trigger_word")]
    pub trigger: Option<String>,
    /// Its text.
    pub content: Option<String>,
}
