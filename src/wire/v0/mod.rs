//! OpenHands 0.x: what goes over its Socket.IO line and over its file routes.
//!
//! Everything that arrives is one of four things ([`Incoming`]), most of it an [`Event`] that carries an
//! [`Action`] or an [`Observation`]. What really arrives (0.62 to 1.6) differs from what is written about
//! it: ids are numbers or texts, words come in upper or lower case, `null` stands for "not there".

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
