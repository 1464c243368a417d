//! The agent-server 1.x: the messages of its sockets and its REST routes.
//!
//! Every message is an [`Event`] with a `kind`, wherever it occurs: in a frame of the session
//! socket ([`Frame`]), bare on the older socket, or on a page of history. `null` and "missing" are the
//! same (the server omits nulls on sockets and pages, and sends them elsewhere), so nulls are removed
//! before reading.

mod acp;
mod action;
mod condenser;
mod content;
mod conversation_error;
mod conversation_state;
mod event;
mod frame;
mod hook_execution;
mod info;
mod message;
mod nulls;
mod observation;
mod security;
mod server_info;
mod stats;
mod streaming;
mod system;
mod tool;
mod words;
mod zone;

pub use acp::{ACPContent, ACPToolCallEvent};
pub use action::{ActionEvent, ToolCall};
pub use condenser::{Condensation, CondensationSummaryEvent};
pub use content::{Content, ReasoningItem, ThinkingBlock, text_of};
pub use conversation_error::{
    AgentErrorEvent, ConversationErrorEvent, ErrorClassification, ServerErrorEvent,
};
pub use conversation_state::StateUpdate;
pub use event::{Event, Payload};
pub use frame::{Delta, Frame};
pub use hook_execution::HookExecutionEvent;
pub use info::{AcpState, Agent, ConversationInfo, Goal, Llm, Workspace};
pub use message::{LlmMessage, MessageEvent};
pub use observation::{ObservationEvent, Observed, UserRejectObservation};
pub use security::{ConfirmationPolicy, SecurityAnalysisEvent, SecurityAnalyzer};
pub use server_info::ServerInfo;
pub use stats::{
    CallCost, CallLatency, CallTokens, MetricsSnapshot, Stats, TokenUsage, UsageCalls,
};
pub use streaming::StreamingDeltaEvent;
pub use system::{SystemPromptEvent, ToolDefinition};
pub use tool::*;
pub use words::{
    DeltaKind, EventSource, ExecutionStatus, FailureKind, GoalStatus, RejectionSource,
    SecurityRisk, UserAction,
};
pub use zone::say_zone;

#[cfg(test)]
mod tests;
