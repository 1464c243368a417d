//! A conversation as reported by the REST routes and the `full_state` snapshot.
//!
//! Both also contain every single call of the model, and lists contain it for each conversation: none of
//! that is read.

use super::nulls::without_nulls;
use super::{ConfirmationPolicy, ExecutionStatus, GoalStatus, SecurityAnalyzer, Stats};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A conversation.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct ConversationInfo {
    /// Its id, a UUID.
    pub id: String,
    /// Its title, once there is one.
    pub title: Option<String>,
    /// State of the agent.
    pub execution_status: Option<ExecutionStatus>,
    /// The confirmation policy.
    pub confirmation_policy: Option<ConfirmationPolicy>,
    /// The risk analyzer.
    pub security_analyzer: Option<SecurityAnalyzer>,
    /// Its agent.
    pub agent: Option<Agent>,
    /// Self-description of an ACP agent.
    pub agent_state: Option<AcpState>,
    /// The model, where the server reports it itself.
    pub current_model_id: Option<String>,
    /// Cost and tokens.
    pub stats: Option<Stats>,
    /// The goal loop.
    pub goal: Option<Goal>,
    /// Its working directory.
    pub workspace: Workspace,
    /// Labels.
    pub tags: BTreeMap<String, String>,
    /// The parent conversation.
    pub parent_conversation_id: Option<String>,
    /// The child conversations.
    pub sub_conversation_ids: Vec<String>,
    /// The conversation it was forked from.
    pub forked_from_conversation_id: Option<String>,
    /// The latest event of its branch.
    pub leaf_event_id: Option<String>,
    /// Maximum number of steps.
    pub max_iterations: Option<u64>,
    /// Creation time: ISO time in UTC, with zone.
    pub created_at: String,
    /// Time of the last change: ISO time in UTC, with zone.
    pub updated_at: String,
}

/// The workspace of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Workspace {
    /// Directory on the server.
    pub working_dir: String,
}

/// The agent of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Agent {
    /// Its class (`Agent`, `ACPAgent`).
    pub kind: String,
    /// Its model.
    pub llm: Llm,
    /// The model of an ACP agent, if one was chosen.
    pub acp_model: Option<String>,
}

/// A model. Its key is never read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Llm {
    /// Its name (`openai/gpt-5`).
    pub model: String,
    /// Its base URL.
    pub base_url: Option<String>,
    /// Its profile.
    pub usage_id: String,
}

/// Self-description of an ACP agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct AcpState {
    /// Its name.
    pub acp_agent_name: String,
    /// Its version.
    pub acp_agent_version: String,
    /// Its model.
    pub acp_current_model_id: Option<String>,
}

/// The goal loop: the agent is sent back to work until a judge is satisfied.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct Goal {
    /// The goal.
    pub objective: String,
    /// Its status.
    pub status: GoalStatus,
    /// Rounds so far.
    pub iteration: u64,
    /// Rounds at most.
    pub max_iterations: Option<u64>,
    /// The latest verdict: `score`, `complete`, `missing`.
    pub verdict: Option<Value>,
}

impl ConversationInfo {
    /// Reads a conversation; `None` if the value is not one.
    pub fn read(mut value: Value) -> Option<Self> {
        without_nulls(&mut value);
        Self::deserialize(value).ok()
    }
}
