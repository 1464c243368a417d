//! Changes of the conversation's state: a third of all events.

use super::{
    AcpState, Agent, ConfirmationPolicy, ConversationInfo, ExecutionStatus, Goal, SecurityAnalyzer,
    Stats,
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
