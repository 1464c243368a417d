//! A conversation as the REST routes and the `full_state` snapshot tell of it.
//!
//! Both carry every single call of the model besides, and lists carry it for each conversation: none of
//! that is read.

use super::{
    AcpState, Agent, ConfirmationPolicy, ExecutionStatus, Goal, SecurityAnalyzer, Stats,
    event::without_nulls,
};
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
    /// What the agent is doing.
    pub execution_status: Option<ExecutionStatus>,
    /// What is held back.
    pub confirmation_policy: Option<ConfirmationPolicy>,
    /// Who judges.
    pub security_analyzer: Option<SecurityAnalyzer>,
    /// Its agent.
    pub agent: Option<Agent>,
    /// What an ACP agent said of itself.
    pub agent_state: Option<AcpState>,
    /// The model, where the server says so itself.
    pub current_model_id: Option<String>,
    /// Cost and tokens.
    pub stats: Option<Stats>,
    /// The goal loop.
    pub goal: Option<Goal>,
    /// Where it works.
    pub workspace: Workspace,
    /// Labels.
    pub tags: BTreeMap<String, String>,
    /// The conversation that began it.
    pub parent_conversation_id: Option<String>,
    /// The conversations that it began.
    pub sub_conversation_ids: Vec<String>,
    /// The conversation that it was forked from.
    pub forked_from_conversation_id: Option<String>,
    /// The newest event of its branch.
    pub leaf_event_id: Option<String>,
    /// Steps at most.
    pub max_iterations: Option<u64>,
    /// Made at: ISO time in UTC, with zone.
    pub created_at: String,
    /// Last changed at: ISO time in UTC, with zone.
    pub updated_at: String,
}

/// Where a conversation works.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Workspace {
    /// Directory on the server.
    pub working_dir: String,
}

impl ConversationInfo {
    /// Reads a conversation; `None` if it is none.
    pub fn read(mut value: Value) -> Option<Self> {
        without_nulls(&mut value);
        Self::deserialize(value).ok()
    }
}
