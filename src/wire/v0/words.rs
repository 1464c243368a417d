//! The enumerations of 0.x: sources, tags, confirmation states, risks.
//!
//! OpenHands' documentation and the servers differ in them, so all spellings are read (`open_words!`).

use crate::wire::open_words::open_words;
use serde::{Deserialize, Serialize};
use serde_json::Value;

open_words! {
    /// Source of an event.
    pub enum EventSource {
        /// The agent, or a live observation of the environment (0.62 rewrites its source).
        Agent = "agent",
        /// A person, or the server on behalf of one.
        User = "user",
        /// The runtime or the server.
        Environment = "environment",
    }
}

open_words! {
    /// Whether a person has decided about an action.
    pub enum ActionConfirmationStatus {
        /// Approved, or needs no approval.
        Confirmed = "confirmed",
        /// Rejected.
        Rejected = "rejected",
        /// Waiting for approval.
        AwaitingConfirmation = "awaiting_confirmation",
    }
}

open_words! {
    /// What kind of context was recalled.
    pub enum RecallType {
        /// Repository, runtime, date, instructions.
        WorkspaceContext = "workspace_context",
        /// Microagents triggered by a keyword.
        Knowledge = "knowledge",
        /// The first, as in OpenHands' documentation.
        EnvironmentInfo = "environment_info",
        /// The second, as in OpenHands' documentation.
        KnowledgeMicroagent = "knowledge_microagent",
        /// Neither.
        Default = "default",
    }
}

open_words! {
    /// Tool that makes an edit.
    pub enum FileEditSource {
        /// A model rewrites lines.
        LlmBasedEdit = "llm_based_edit",
        /// The editor tool.
        OhAci = "oh_aci",
    }
}

open_words! {
    /// Tool that reads.
    pub enum FileReadSource {
        /// The editor tool.
        OhAci = "oh_aci",
        /// The runtime itself.
        Default = "default",
    }
}

open_words! {
    /// Tags of actions. Those without a payload type exist only in the enumeration of 0.62.
    pub enum ActionType {
        /// Does nothing.
        Null = "null",
        /// A message.
        Message = "message",
        /// The agent's instructions.
        System = "system",
        /// Enumeration only.
        Start = "start",
        /// A file is read.
        Read = "read",
        /// A file is written.
        Write = "write",
        /// A file is edited.
        Edit = "edit",
        /// A command is run.
        Run = "run",
        /// A cell of Python is run.
        RunIpython = "run_ipython",
        /// A page is opened.
        Browse = "browse",
        /// The browser is controlled.
        BrowseInteractive = "browse_interactive",
        /// A tool of an MCP server is called.
        CallToolMcp = "call_tool_mcp",
        /// Work is delegated to another agent.
        Delegate = "delegate",
        /// A thought is logged.
        Think = "think",
        /// The agent finishes.
        Finish = "finish",
        /// The agent refuses the task.
        Reject = "reject",
        /// Enumeration only.
        Pause = "pause",
        /// Enumeration only.
        Resume = "resume",
        /// Enumeration only.
        Stop = "stop",
        /// A state is requested.
        ChangeAgentState = "change_agent_state",
        /// Enumeration only.
        Push = "push",
        /// Enumeration only.
        SendPr = "send_pr",
        /// Context is looked up.
        Recall = "recall",
        /// Events were condensed.
        Condensation = "condensation",
        /// The agent asks to condense.
        CondensationRequest = "condensation_request",
        /// The task list is read or written.
        TaskTracking = "task_tracking",
        /// A loop was detected.
        LoopRecovery = "loop_recovery",
        /// Results are summarized (before 0.62).
        Summarize = "summarize",
    }
}

open_words! {
    /// Tags of observations.
    pub enum ObservationType {
        /// Has no content.
        Null = "null",
        /// Output of a command.
        Run = "run",
        /// Output of a cell.
        RunIpython = "run_ipython",
        /// State of the browser.
        Browse = "browse",
        /// State of the browser, under its name in OpenHands' documentation.
        BrowseInteractive = "browse_interactive",
        /// Content of a file.
        Read = "read",
        /// A file was written.
        Write = "write",
        /// A file was edited.
        Edit = "edit",
        /// An error.
        Error = "error",
        /// A success.
        Success = "success",
        /// A person rejected an action.
        UserRejected = "user_rejected",
        /// The agent's state has changed.
        AgentStateChanged = "agent_state_changed",
        /// A delegate has finished.
        Delegate = "delegate",
        /// A thought was logged.
        Think = "think",
        /// Memory was condensed.
        Condense = "condense",
        /// Context was recalled.
        Recall = "recall",
        /// Result of an MCP tool.
        Mcp = "mcp",
        /// Enumeration only.
        Chat = "chat",
        /// Enumeration only.
        Message = "message",
        /// A file was downloaded by the browser.
        Download = "download",
        /// The task list.
        TaskTracking = "task_tracking",
        /// A loop was detected.
        LoopDetection = "loop_detection",
    }
}

/// Risk rating of an action: -1 to 2 on the wire, words in OpenHands' documentation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "Value", into = "Value")]
pub enum ActionSecurityRisk {
    /// Not rated.
    #[default]
    Unknown,
    /// Harmless.
    Low,
    /// Makes changes.
    Medium,
    /// May do damage.
    High,
    /// Any other value, as it arrived.
    Other(Value),
}

impl From<Value> for ActionSecurityRisk {
    fn from(value: Value) -> Self {
        let word = value.as_str().unwrap_or_default().to_ascii_lowercase();
        match (value.as_i64(), word.as_str()) {
            (Some(-1), _) | (_, "unknown") => Self::Unknown,
            (Some(0), _) | (_, "low") => Self::Low,
            (Some(1), _) | (_, "medium") => Self::Medium,
            (Some(2), _) | (_, "high") => Self::High,
            _ if value.is_null() => Self::Unknown,
            _ => Self::Other(value),
        }
    }
}

impl From<ActionSecurityRisk> for Value {
    fn from(risk: ActionSecurityRisk) -> Self {
        match risk {
            ActionSecurityRisk::Unknown => (-1).into(),
            ActionSecurityRisk::Low => 0.into(),
            ActionSecurityRisk::Medium => 1.into(),
            ActionSecurityRisk::High => 2.into(),
            ActionSecurityRisk::Other(value) => value,
        }
    }
}
