//! Observations: results of actions, and reports of the server. One file per upstream file.
//!
//! These are the fields of `extras`; the text `content`, which every observation has, is beside them in
//! [`super::Payload::Observation`].

mod agent;
mod browse;
mod commands;
mod delegate;
mod empty;
mod error;
mod file_download;
mod files;
mod loop_recovery;
mod mcp;
mod reject;
mod success;
mod task_tracking;

pub use agent::{
    AgentCondensationObservation, AgentStateChangedObservation, AgentThinkObservation,
    MicroagentKnowledge, RecallObservation,
};
pub use browse::BrowserOutputObservation;
pub use commands::{CmdOutputMetadata, CmdOutputObservation, IPythonRunCellObservation};
pub use delegate::AgentDelegateObservation;
pub use empty::{BareObservation, NullObservation};
pub use error::ErrorObservation;
pub use file_download::FileDownloadObservation;
pub use files::{FileEditObservation, FileReadObservation, FileWriteObservation};
pub use loop_recovery::LoopDetectionObservation;
pub use mcp::MCPObservation;
pub use reject::UserRejectObservation;
pub use success::SuccessObservation;
pub use task_tracking::TaskTrackingObservation;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An observation: its tag in `observation`, its fields in `extras`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "observation", content = "extras", rename_all = "snake_case")]
pub enum Observation {
    /// Has no content.
    Null(NullObservation),
    /// Output of a command.
    Run(CmdOutputObservation),
    /// Output of a cell.
    RunIpython(IPythonRunCellObservation),
    /// State of the browser, also after `browse_interactive`.
    Browse(BrowserOutputObservation),
    /// The same under its name in OpenHands' documentation; 0.62 never sends it.
    BrowseInteractive(BrowserOutputObservation),
    /// Content of a file.
    Read(FileReadObservation),
    /// A file was written.
    Write(FileWriteObservation),
    /// A file was edited, or could not be.
    Edit(FileEditObservation),
    /// An error.
    Error(ErrorObservation),
    /// A success.
    Success(SuccessObservation),
    /// A person rejected an action.
    UserRejected(UserRejectObservation),
    /// The agent's state has changed.
    AgentStateChanged(AgentStateChangedObservation),
    /// A delegate has finished.
    Delegate(AgentDelegateObservation),
    /// A thought was logged.
    Think(AgentThinkObservation),
    /// Memory was condensed.
    Condense(AgentCondensationObservation),
    /// Context was recalled.
    Recall(RecallObservation),
    /// Result of an MCP tool.
    Mcp(MCPObservation),
    /// The task list.
    TaskTracking(TaskTrackingObservation),
    /// A file was downloaded by the browser.
    Download(FileDownloadObservation),
    /// A loop was detected.
    LoopDetection(LoopDetectionObservation),
    /// In the enumeration of 0.62, never sent.
    Chat(BareObservation),
    /// In the enumeration of 0.62, never sent.
    Message(BareObservation),
    /// An unknown tag, or unexpected fields: tag and fields as they arrived.
    #[serde(untagged)]
    Unknown(Value),
}
