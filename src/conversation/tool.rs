//! The tools of calls, in neutral form.

use crate::words::words;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool with its arguments.
#[derive(Debug, Clone, PartialEq)]
pub enum Tool {
    /// A command in a shell.
    Shell {
        /// The command, or the input for the running one.
        command: String,
        /// Whether it is input for the running command.
        input: bool,
    },
    /// A Python cell.
    Cell {
        /// The code.
        code: String,
    },
    /// A file operation.
    File(FileOp),
    /// A browser action.
    Browser {
        /// The URL to open, or browser action code.
        action: String,
        /// The URL, if the action opens one.
        url: Option<String>,
    },
    /// A recorded thought.
    Think {
        /// The thought.
        text: String,
    },
    /// The agent reports that it has finished.
    Finish {
        /// Its closing message, Markdown.
        text: String,
    },
    /// The agent declines the task.
    Decline {
        /// The reason.
        text: String,
    },
    /// The task list is read or rewritten.
    Tasks {
        /// The list; empty if it is only read.
        tasks: Vec<Task>,
    },
    /// A tool of an MCP server.
    Mcp {
        /// Its name.
        name: String,
        /// Its arguments.
        arguments: Value,
    },
    /// A task delegated to another agent.
    SubAgent {
        /// Name of the agent.
        agent: String,
        /// The task.
        task: String,
        /// Whether its steps are missing from this log (1.x); otherwise ends of its runs look like the agent's (0.x).
        apart: bool,
    },
    /// A skill is read (1.x).
    Skill {
        /// Its name.
        name: String,
    },
    /// A file search (1.x).
    Search {
        /// A name with wildcards, or a regular expression.
        pattern: String,
        /// The directory, or empty.
        place: String,
    },
    /// The agent requests a condensation of its context.
    Condense,
    /// Anything else.
    Other {
        /// Its name.
        name: String,
        /// Its arguments.
        arguments: Value,
    },
}

/// A file operation.
#[derive(Debug, Clone, PartialEq)]
pub enum FileOp {
    /// Reads the file or a part of it.
    View {
        /// The file or directory.
        path: String,
        /// First and last line, 1-based; -1 for the end.
        range: Option<(i64, i64)>,
    },
    /// Creates the file or replaces its whole content.
    Create {
        /// The file.
        path: String,
        /// The content.
        text: String,
    },
    /// Replaces a passage.
    Replace {
        /// The file.
        path: String,
        /// The passage to replace.
        old: String,
        /// The replacement.
        new: String,
    },
    /// Inserts text after a line.
    Insert {
        /// The file.
        path: String,
        /// The line; 0 for the beginning of the file.
        line: i64,
        /// The text to insert.
        text: String,
    },
    /// Undoes the last edit.
    Undo {
        /// The file.
        path: String,
    },
    /// Rewrites lines with the help of a model (0.x `llm_based_edit`).
    Rewrite {
        /// The file.
        path: String,
        /// First and last line, 1-based; -1 for the end.
        range: (i64, i64),
        /// The draft of the new text.
        text: String,
    },
}

impl FileOp {
    /// The file or directory.
    pub fn path(&self) -> &str {
        match self {
            Self::View { path, .. }
            | Self::Create { path, .. }
            | Self::Replace { path, .. }
            | Self::Insert { path, .. }
            | Self::Undo { path }
            | Self::Rewrite { path, .. } => path,
        }
    }

    /// Whether it only reads.
    pub fn is_read(&self) -> bool {
        matches!(self, Self::View { .. })
    }
}

/// An entry of the task list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Task {
    /// The task.
    pub title: String,
    /// Its status.
    pub status: TaskStatus,
    /// Remarks, or empty.
    pub notes: String,
}

/// Status of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Not started.
    #[default]
    Todo,
    /// In progress.
    InProgress,
    /// Done.
    Done,
}

/// Kind of a row, by which panels and filters select.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Messages.
    Message,
    /// Commands.
    Shell,
    /// Python cells.
    Cell,
    /// Reading files.
    Read,
    /// Changing files.
    Edit,
    /// The browser.
    Browser,
    /// Thoughts.
    Think,
    /// Task list.
    Tasks,
    /// MCP tools.
    Mcp,
    /// Sub-agents.
    SubAgent,
    /// The end of the task.
    Finish,
    /// Instructions and tools.
    System,
    /// Injected context.
    Recall,
    /// Errors.
    Error,
    /// Everything else.
    Other,
}

words! {
    Kind, as_str: Message "message", Shell "shell", Cell "cell", Read "read", Edit "edit", Browser "browser",
    Think "think", Tasks "tasks", Mcp "mcp", SubAgent "sub_agent", Finish "finish", System "system", Recall "recall",
    Error "error", Other "other"
}

impl Tool {
    /// Whether the call is complete in itself: a reader expects no result.
    pub fn answers_itself(&self) -> bool {
        matches!(
            self,
            Self::Think { .. } | Self::Finish { .. } | Self::Decline { .. } | Self::Condense
        )
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Shell { .. } => Kind::Shell,
            Self::Cell { .. } => Kind::Cell,
            Self::File(op) if op.is_read() => Kind::Read,
            Self::File(_) => Kind::Edit,
            Self::Browser { .. } => Kind::Browser,
            Self::Think { .. } => Kind::Think,
            Self::Finish { .. } | Self::Decline { .. } => Kind::Finish,
            Self::Tasks { .. } => Kind::Tasks,
            Self::Mcp { .. } => Kind::Mcp,
            Self::SubAgent { .. } => Kind::SubAgent,
            Self::Skill { .. } => Kind::Recall,
            Self::Search { .. } => Kind::Read,
            Self::Condense | Self::Other { .. } => Kind::Other,
        }
    }
}
