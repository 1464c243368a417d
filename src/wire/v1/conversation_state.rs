//! Something about the conversation is otherwise now: a third of all events.

use super::{
    ConfirmationPolicy, ConversationInfo, ExecutionStatus, GoalStatus, SecurityAnalyzer, Stats,
};
use serde::Deserialize;
use serde_json::Value;

/// What is otherwise now, by `key`. All but `full_state` are stored.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "key", content = "value", rename_all = "snake_case")]
pub enum StateUpdate {
    /// Everything, sent to whoever connects and at each stop; never stored.
    FullState(Box<ConversationInfo>),
    /// What the agent is doing.
    ExecutionStatus(ExecutionStatus),
    /// Cost and tokens so far.
    Stats(Stats),
    /// The agent: another model.
    Agent(Box<Agent>),
    /// What an ACP agent said of itself.
    AgentState(AcpState),
    /// What is held back.
    ConfirmationPolicy(ConfirmationPolicy),
    /// Who judges; `None`: nobody.
    SecurityAnalyzer(Option<SecurityAnalyzer>),
    /// The goal loop.
    Goal(Option<Goal>),
    /// The newest message of a person.
    LastUserMessageId(Value),
    /// The hooks that are set.
    HookConfig(Option<Value>),
    /// What hooks have forbidden; the events say the same.
    BlockedActions(Value),
    /// Messages that hooks have forbidden.
    BlockedMessages(Value),
    /// A key that we do not know: key and value.
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
    /// Where it is.
    pub base_url: Option<String>,
    /// Its profile.
    pub usage_id: String,
}

/// What an ACP agent said of itself.
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

/// The goal loop: the agent is sent back to work until a judge is content.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct Goal {
    /// What is to be reached.
    pub objective: String,
    /// How far it is.
    pub status: GoalStatus,
    /// Rounds so far.
    pub iteration: u64,
    /// Rounds at most.
    pub max_iterations: Option<u64>,
    /// The newest judgement: `score`, `complete`, `missing`.
    pub verdict: Option<Value>,
}
