//! What a call wants done, said neutrally.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Tool {
    /// A command in a shell.
    Shell {
        /// The command, or what is typed into the running one.
        command: String,
        /// It is typed into the command that already runs.
        input: bool,
    },
    /// A cell of Python.
    Cell {
        /// The code.
        code: String,
    },
    /// Something with a file.
    File(FileOp),
    /// Something in a browser.
    Browser {
        /// What is done: a URL to open, or browser action code.
        action: String,
        /// The address, when the action is to open one.
        url: Option<String>,
    },
    /// A thought, written down.
    Think {
        /// The thought.
        text: String,
    },
    /// The agent says that it is done.
    Finish {
        /// Its closing words, Markdown.
        text: String,
    },
    /// The agent says that it will not do it.
    Decline {
        /// Why.
        text: String,
    },
    /// The task list is looked at or rewritten.
    Tasks {
        /// The list, empty when it is only looked at.
        tasks: Vec<Task>,
    },
    /// A tool of an MCP server.
    Mcp {
        /// Its name.
        name: String,
        /// Its arguments.
        arguments: Value,
    },
    /// Work handed to another agent.
    SubAgent {
        /// Which agent.
        agent: String,
        /// What it shall do.
        task: String,
        /// Its steps are not in this log (1.x); otherwise its endings are told as if they were the agent's (0.x).
        apart: bool,
    },
    /// A skill is read (1.x).
    Skill {
        /// Its name.
        name: String,
    },
    /// Files are looked for (1.x).
    Search {
        /// A name with wildcards, or a regular expression.
        pattern: String,
        /// In which directory, or empty.
        place: String,
    },
    /// The agent asks for its memory to be condensed.
    Condense,
    /// Anything else.
    Other {
        /// Its name.
        name: String,
        /// Its arguments.
        arguments: Value,
    },
}

/// Something with a file.
#[derive(Debug, Clone, PartialEq)]
pub enum FileOp {
    /// Reads (a part of) it.
    View {
        /// Which file or directory.
        path: String,
        /// First and last line, 1-based; -1 is the end.
        range: Option<(i64, i64)>,
    },
    /// Makes it, or replaces all of it.
    Create {
        /// Which file.
        path: String,
        /// Its text.
        text: String,
    },
    /// Replaces a passage.
    Replace {
        /// Which file.
        path: String,
        /// The passage.
        old: String,
        /// What stands there afterwards.
        new: String,
    },
    /// Inserts behind a line.
    Insert {
        /// Which file.
        path: String,
        /// Behind this line; 0 is the beginning.
        line: i64,
        /// What is inserted.
        text: String,
    },
    /// Takes the last edit back.
    Undo {
        /// Which file.
        path: String,
    },
    /// Rewrites lines by way of a model (0.x `llm_based_edit`).
    Rewrite {
        /// Which file.
        path: String,
        /// First and last line, 1-based; -1 is the end.
        range: (i64, i64),
        /// The draft.
        text: String,
    },
}

impl FileOp {
    /// The file or directory it is about.
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

    /// Whether it only looks.
    pub fn is_read(&self) -> bool {
        matches!(self, Self::View { .. })
    }
}

/// An entry of the task list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Task {
    /// What is to be done.
    pub title: String,
    /// How far it is.
    pub status: TaskStatus,
    /// Remarks, or empty.
    pub notes: String,
}

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Not begun.
    #[default]
    Todo,
    /// At work.
    InProgress,
    /// Done.
    Done,
}

/// Which family a tool belongs to: what a panel or a filter selects by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Something said.
    Message,
    /// Commands.
    Shell,
    /// Python cells.
    Cell,
    /// A look into a file.
    Read,
    /// A change of a file.
    Edit,
    /// The browser.
    Browser,
    /// Thoughts.
    Think,
    /// Task list.
    Tasks,
    /// MCP tools.
    Mcp,
    /// Another agent.
    SubAgent,
    /// The end of the work.
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

impl Kind {
    /// Its word in the journal and in URLs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Shell => "shell",
            Self::Cell => "cell",
            Self::Read => "read",
            Self::Edit => "edit",
            Self::Browser => "browser",
            Self::Think => "think",
            Self::Tasks => "tasks",
            Self::Mcp => "mcp",
            Self::SubAgent => "sub_agent",
            Self::Finish => "finish",
            Self::System => "system",
            Self::Recall => "recall",
            Self::Error => "error",
            Self::Other => "other",
        }
    }
}

impl Tool {
    /// Whether it is done by being said: nothing comes back that a reader would wait for.
    pub fn answers_itself(&self) -> bool {
        matches!(
            self,
            Self::Think { .. } | Self::Finish { .. } | Self::Decline { .. } | Self::Condense
        )
    }

    /// Which family it belongs to.
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
