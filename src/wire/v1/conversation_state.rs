//! Changes of the conversation's state: a third of all events.

use super::{
    ConfirmationPolicy, ConversationInfo, ExecutionStatus, GoalStatus, SecurityAnalyzer, Stats,
};
use serde::Deserialize;
use serde_json::Value;

/// The changed part of the state, by `key`. All but `full_state` are stored.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "key", content = "value", rename_all = "snake_case")]
pub enum StateUpdate {
    /// The full state, sent on connecting and at each stop; never stored.
    FullState(Box<ConversationInfo>),
    /// State of the agent.
    ExecutionStatus(ExecutionStatus),
    /// Cost and tokens so far.
    Stats(Stats),
    /// The agent, with a new model.
    Agent(Box<Agent>),
    /// Self-description of an ACP agent.
    AgentState(AcpState),
    /// The confirmation policy.
    ConfirmationPolicy(ConfirmationPolicy),
    /// The risk analyzer; `None` if there is none.
    SecurityAnalyzer(Option<SecurityAnalyzer>),
    /// The goal loop.
    Goal(Option<Goal>),
    /// The latest message of a person.
    LastUserMessageId(Value),
    /// The configured hooks.
    HookConfig(Option<Value>),
    /// Actions that hooks have blocked; there are events for them, too.
    BlockedActions(Value),
    /// Messages that hooks have blocked.
    BlockedMessages(Value),
    /// An unknown key: key and value.
    #[serde(untagged)]
    Unknown(Value),
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
