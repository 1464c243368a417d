//! OpenHands 0.x: the messages of its Socket.IO connection and its file routes.
//!
//! Every message is one of four ([`Incoming`]), most often an [`Event`] with an
//! [`Action`] or an [`Observation`]. Real servers (0.62 to 1.6) differ from their
//! documentation: ids are numbers or texts, words are in upper or lower case, `null` means missing.

mod action;
mod agent_state;
mod event;
mod files;
mod incoming;
mod observation;
mod user_action;
mod words;

pub use action::*;
pub use agent_state::AgentState;
pub use event::{Event, EventId, LlmMetrics, Payload, TokenUsage, ToolCallMetadata};
pub use files::{BackendSettings, FileContent, FileNode, FileType};
pub use incoming::{ErrorFrame, Incoming, StatusUpdate};
pub use observation::*;
pub use user_action::UserAction;
pub use words::{
    ActionConfirmationStatus, ActionSecurityRisk, ActionType, EventSource, FileEditSource,
    FileReadSource, ObservationType, RecallType,
};

#[cfg(test)]
mod tests;
