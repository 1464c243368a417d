//! The tools: the arguments of each (action) and its result (observation). One file per upstream package.
//!
//! The set is open: clients add their own tools (`ClientAction_<name>`), servers get new ones. Unknown
//! tools are read from `tool_name` and the arguments as the model wrote them.

mod browser_use;
mod builtins;
mod child_conversation;
mod delegate;
mod file_editor;
mod files;
mod mcp;
mod search;
mod task;
mod task_tracker;
mod terminal;

pub use browser_use::{
    BrowserClickAction, BrowserGoBackAction, BrowserNavigateAction, BrowserObservation,
    BrowserScrollAction, BrowserTypeAction,
};
pub use builtins::{FinishAction, InvokeSkillAction, InvokeSkillObservation, ThinkAction};
pub use child_conversation::{StartChildConversationAction, StartChildConversationObservation};
pub use delegate::DelegateAction;
pub use file_editor::{FileEditorAction, FileEditorObservation};
pub use files::{
    EditAction, EditObservation, ListDirectoryAction, ReadFileAction, WriteFileAction,
};
pub use mcp::MCPToolAction;
pub use search::{GlobAction, GrepAction};
pub use task::{TaskAction, TaskObservation};
pub use task_tracker::{TaskItem, TaskTrackerAction, TaskTrackerObservation};
pub use terminal::{CmdOutputMetadata, TerminalAction, TerminalObservation};

use serde::Deserialize;
use serde_json::Value;

/// The arguments of a tool.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "kind")]
pub enum Action {
    /// A command in the terminal.
    #[serde(rename = "TerminalAction", alias = "ExecuteBashAction")]
    Terminal(TerminalAction),
    /// An operation on a file. The planning agent's editor is the same, for one file.
    #[serde(
        rename = "FileEditorAction",
        alias = "PlanningFileEditorAction",
        alias = "StrReplaceEditorAction"
    )]
    FileEditor(FileEditorAction),
    /// The task list.
    #[serde(rename = "TaskTrackerAction")]
    TaskTracker(TaskTrackerAction),
    /// A thought.
    #[serde(rename = "ThinkAction")]
    Think(ThinkAction),
    /// The agent finishes.
    #[serde(rename = "FinishAction")]
    Finish(FinishAction),
    /// A tool of an MCP server.
    #[serde(rename = "MCPToolAction")]
    Mcp(MCPToolAction),
    /// A skill is loaded.
    #[serde(rename = "InvokeSkillAction")]
    InvokeSkill(InvokeSkillAction),
    /// Work delegated to a sub-agent.
    #[serde(rename = "TaskAction")]
    Task(TaskAction),
    /// Work delegated to sub-agents, in older servers.
    #[serde(rename = "DelegateAction")]
    Delegate(DelegateAction),
    /// Work delegated to a child conversation.
    #[serde(rename = "StartChildConversationAction")]
    StartChildConversation(StartChildConversationAction),
    /// A page is opened.
    #[serde(rename = "BrowserNavigateAction")]
    BrowserNavigate(BrowserNavigateAction),
    /// Something on the page is clicked.
    #[serde(rename = "BrowserClickAction")]
    BrowserClick(BrowserClickAction),
    /// Something is typed into the page.
    #[serde(rename = "BrowserTypeAction")]
    BrowserType(BrowserTypeAction),
    /// The page is scrolled.
    #[serde(rename = "BrowserScrollAction")]
    BrowserScroll(BrowserScrollAction),
    /// Back to the previous page.
    #[serde(rename = "BrowserGoBackAction")]
    BrowserGoBack(BrowserGoBackAction),
    /// A file is read.
    #[serde(rename = "ReadFileAction")]
    ReadFile(ReadFileAction),
    /// A file is written.
    #[serde(rename = "WriteFileAction")]
    WriteFile(WriteFileAction),
    /// A file is edited.
    #[serde(rename = "EditAction")]
    Edit(EditAction),
    /// A directory is listed.
    #[serde(rename = "ListDirectoryAction")]
    ListDirectory(ListDirectoryAction),
    /// Files are searched by name.
    #[serde(rename = "GlobAction")]
    Glob(GlobAction),
    /// Files are searched by content.
    #[serde(rename = "GrepAction")]
    Grep(GrepAction),
    /// Another tool: its fields.
    #[serde(untagged)]
    Other(Value),
}

/// The result of a tool, beside the fields that all results have.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "kind")]
pub enum Observation {
    /// Output of the terminal.
    #[serde(rename = "TerminalObservation", alias = "ExecuteBashObservation")]
    Terminal(TerminalObservation),
    /// A file was viewed or changed.
    #[serde(
        rename = "FileEditorObservation",
        alias = "PlanningFileEditorObservation",
        alias = "StrReplaceEditorObservation"
    )]
    FileEditor(FileEditorObservation),
    /// A file was edited.
    #[serde(rename = "EditObservation")]
    Edit(EditObservation),
    /// The task list.
    #[serde(rename = "TaskTrackerObservation")]
    TaskTracker(TaskTrackerObservation),
    /// "Your thought has been logged."
    #[serde(rename = "ThinkObservation")]
    Think {},
    /// The final message again.
    #[serde(rename = "FinishObservation")]
    Finish {},
    /// The browser.
    #[serde(rename = "BrowserObservation")]
    Browser(BrowserObservation),
    /// A skill's text.
    #[serde(rename = "InvokeSkillObservation")]
    InvokeSkill(InvokeSkillObservation),
    /// A sub-agent's answer.
    #[serde(rename = "TaskObservation")]
    Task(TaskObservation),
    /// A child conversation was started.
    #[serde(rename = "StartChildConversationObservation")]
    StartChildConversation(StartChildConversationObservation),
    /// Another tool: its fields. Its text is in the fields that all results have.
    #[serde(untagged)]
    Other(Value),
}

impl Default for Observation {
    fn default() -> Self {
        Self::Other(Value::Null)
    }
}
