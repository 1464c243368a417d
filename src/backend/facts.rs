//! What is known of a backend and its lines: plain facts, for server and browser.

use serde::{Deserialize, Serialize};

/// What a backend can do: the page hides the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Capabilities {
    /// Stops the agent in the middle of a step, and the step with it.
    pub interrupt: bool,
    /// A rejection can carry a reason.
    pub reject_reason: bool,
    /// A conversation can be forked.
    pub fork: bool,
    /// When to ask can be set for each conversation.
    pub risk_policy: bool,
    /// Files and changes of the workspace can be read.
    pub files: bool,
    /// Conversations can begin in a folder of the backend's machine.
    pub folders: bool,
    /// Conversations can begin in a repository.
    pub repositories: bool,
    /// File edits and reads wait for the answer (0.62: no).
    pub holds_edits: bool,
    /// A new conversation stops the oldest when there are too many (0.62: yes).
    pub evicts_oldest: bool,
    /// Each conversation has a runtime that is started and shut down (1.x: it is there as long as the server).
    pub runtimes: bool,
    /// How the workspace is packed where it can be had as one archive.
    pub archive: Option<Archive>,
    /// The agent can be asked something beside its work.
    pub side_questions: bool,
    /// Its settings hold the name in commits and the key of a search provider.
    pub commit_settings: bool,
    /// Its settings hold a limit of money for one conversation.
    pub budget: bool,
    /// An MCP server can be tried out before it is kept.
    pub mcp_test: bool,
    /// A conversation can be given another model while it goes on.
    pub profiles: bool,
    /// Conversations have labels.
    pub tags: bool,
    /// The repository's newest commits can be read, and what each of them changed.
    pub commits: bool,
}

/// A model with all that it needs, stored by the backend under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// The model.
    pub model: String,
}

/// How a workspace is packed into one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Archive {
    /// By zip (0.x).
    Zip,
    /// By tar and gzip (1.x).
    TarGz,
}

impl Archive {
    /// How the names of such files end, without the dot.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Zip => "zip",
            Self::TarGz => "tar.gz",
        }
    }

    /// Their media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Zip => "application/zip",
            Self::TarGz => "application/gzip",
        }
    }
}

/// What a backend speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// OpenHands 0.x: Socket.IO.
    SocketIo,
    /// The agent-server of OpenHands 1.x: REST and WebSocket.
    AgentServer,
}

/// Whether a runtime is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Runtime {
    /// Being started.
    Starting,
    /// Up.
    Running,
    /// Down; the history can be read, and it can be started again.
    #[default]
    Stopped,
    /// Failed.
    Error,
}

/// How a live line is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum LineState {
    /// Not held: nobody watches, or the conversation is stopped.
    #[default]
    Idle,
    /// First attempt under way.
    Connecting,
    /// Up, and everything that upstream has is here.
    Live,
    /// Lost; trying again.
    Reconnecting {
        /// How often it was tried.
        attempt: u32,
        /// Why it was lost, in words.
        why: String,
        /// Seconds until the next attempt.
        retry_in: u32,
    },
    /// Upstream does not want us; nothing is tried until somebody asks.
    Refused {
        /// Its words.
        why: String,
        /// Its code, or empty.
        code: String,
    },
}

/// A file that differs from the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedFile {
    /// Its path.
    pub path: String,
    /// git's letter: A, M, D, R, U.
    pub status: String,
}

/// A commit of the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// Its hash, in full.
    pub sha: String,
    /// The first line of its message.
    pub subject: String,
    /// Who made it.
    pub author: String,
    /// When: milliseconds since the Unix epoch; 0 if that is not known.
    pub at: i64,
}

/// A microagent or skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Microagent {
    /// What it is called.
    pub name: String,
    /// "repo", "knowledge", ...
    pub kind: String,
    /// Words that trigger it.
    pub triggers: Vec<String>,
    /// What it says.
    pub content: String,
}
