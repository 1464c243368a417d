//! The agent-server 1.x: what goes over its sockets and its REST routes.
//!
//! Everything that happens is an [`Event`] with a `kind`, wherever it is met: in a frame of the session
//! socket ([`Frame`]), bare on the older socket, or on a page of history. `null` and "not there" are the
//! same (the server leaves nulls out on sockets and pages, and sends them elsewhere), so nulls are taken
//! out before anything is read.

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
pub use conversation_state::{AcpState, Agent, Goal, Llm, StateUpdate};
pub use event::{Event, Payload, without_nulls};
pub use frame::{Delta, Frame};
pub use hook_execution::HookExecutionEvent;
pub use info::{ConversationInfo, Workspace};
pub use message::{LlmMessage, MessageEvent};
pub use observation::{ObservationEvent, Observed, UserRejectObservation};
pub use security::{ConfirmationPolicy, SecurityAnalysisEvent, SecurityAnalyzer};
pub use server_info::ServerInfo;
pub use stats::{MetricsSnapshot, Stats, TokenUsage};
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
