//! Actions: operations requested by an agent, a person or the server. One file per upstream file.
//!
//! Every field may be missing; known fields of an action that are not used here are omitted.

mod agent;
mod browse;
mod commands;
mod empty;
mod files;
mod mcp;
mod message;

pub use agent::{
    AgentDelegateAction, AgentFinishAction, AgentRejectAction, AgentSummarizeAction,
    AgentThinkAction, ChangeAgentStateAction, CondensationAction, CondensationRequestAction,
    LoopRecoveryAction, RecallAction, TaskItem, TaskTrackingAction,
};
pub use browse::{BrowseInteractiveAction, BrowseURLAction};
pub use commands::{CmdRunAction, IPythonRunCellAction};
pub use empty::{BareAction, NullAction};
pub use files::{FileEditAction, FileReadAction, FileWriteAction};
pub use mcp::MCPAction;
pub use message::{MessageAction, SystemMessageAction};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An action: its tag in `action`, its fields in `args`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", content = "args", rename_all = "snake_case")]
pub enum Action {
    /// Does nothing.
    Null(NullAction),
    /// A message.
    Message(MessageAction),
    /// The agent's instructions and tools.
    System(SystemMessageAction),
    /// A file is read.
    Read(FileReadAction),
    /// A file is written.
    Write(FileWriteAction),
    /// A file is edited.
    Edit(FileEditAction),
    /// A command is run.
    Run(CmdRunAction),
    /// A cell of Python is run.
    RunIpython(IPythonRunCellAction),
    /// A page is opened.
    Browse(BrowseURLAction),
    /// The browser is controlled.
    BrowseInteractive(BrowseInteractiveAction),
    /// A tool of an MCP server is called.
    CallToolMcp(MCPAction),
    /// Work is delegated to another agent.
    Delegate(AgentDelegateAction),
    /// A thought is logged.
    Think(AgentThinkAction),
    /// The agent finishes.
    Finish(AgentFinishAction),
    /// The agent refuses the task.
    Reject(AgentRejectAction),
    /// Results are summarized (before 0.62).
    Summarize(AgentSummarizeAction),
    /// A state is requested.
    ChangeAgentState(ChangeAgentStateAction),
    /// Context is recalled.
    Recall(RecallAction),
    /// Events were condensed.
    Condensation(CondensationAction),
    /// The agent requests a condensation.
    CondensationRequest(CondensationRequestAction),
    /// The task list is read or written.
    TaskTracking(TaskTrackingAction),
    /// A loop was detected.
    LoopRecovery(LoopRecoveryAction),
    /// In the enumeration of 0.62, never sent.
    Start(BareAction),
    /// In the enumeration of 0.62, never sent.
    Pause(BareAction),
    /// In the enumeration of 0.62, never sent.
    Resume(BareAction),
    /// In the enumeration of 0.62, never sent.
    Stop(BareAction),
    /// In the enumeration of 0.62, never sent.
    Push(BareAction),
    /// In the enumeration of 0.62, never sent.
    SendPr(BareAction),
    /// An unknown tag, or unexpected fields: tag and fields as they arrived.
    #[serde(untagged)]
    Unknown(Value),
}
