//! Plain data about a backend and its connections, shared by server and browser.

use crate::words::words;
use serde::{Deserialize, Serialize};

/// What a backend supports; the pages hide the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Capabilities {
    /// Can interrupt the agent in the middle of a step and abort this step.
    pub interrupt: bool,
    /// Accepts a reason with a rejection.
    pub reject_reason: bool,
    /// Can fork a conversation.
    pub fork: bool,
    /// Can fork a conversation at an event.
    pub fork_at: bool,
    /// The approval policy can be set per conversation.
    pub risk_policy: bool,
    /// Files and changes of the workspace can be read.
    pub files: bool,
    /// A new conversation can work in a directory of the backend's machine.
    pub folders: bool,
    /// A new conversation can work in a repository.
    pub repositories: bool,
    /// File edits and reads need approval, too (0.62: no).
    pub holds_edits: bool,
    /// What happens to the oldest conversation when a new one is one too many.
    pub evicts_oldest: Option<Eviction>,
    /// The agents of new conversations are programs of ACP, which ask nobody before they act.
    pub asks_nobody: bool,
    /// Each conversation has a sandbox that is started and stopped (1.x: the sandbox lives as long as the server).
    pub runtimes: bool,
    /// Format of the workspace archive; `None` if there is no archive.
    pub archive: Option<Archive>,
    /// The agent can answer side questions.
    pub side_questions: bool,
    /// The settings include the Git identity and the key of a search provider.
    pub commit_settings: bool,
    /// The settings include a budget per conversation.
    pub budget: bool,
    /// An MCP server can be tested before it is saved.
    pub mcp_test: bool,
    /// The model of a conversation can be changed.
    pub profiles: bool,
    /// Conversations have tags.
    pub tags: bool,
    /// The repository's newest commits and their changes can be read.
    pub commits: bool,
    /// A message is stored by one request and read by a run that another one starts (1.x).
    pub separate_runs: bool,
}

/// What a backend does, without asking, when a new conversation is one too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Eviction {
    /// It stops the oldest conversation, whose files may be lost (0.62).
    Stops,
    /// It pauses the oldest sandbox, which can be resumed (app server with Docker).
    Pauses,
}

impl Eviction {
    /// How many conversations run at once by default.
    pub fn most(self) -> usize {
        match self {
            Self::Stops => 3,
            Self::Pauses => 5,
        }
    }
}

/// A stored model configuration (LLM profile).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Name of the profile.
    pub name: String,
    /// Name of the model.
    pub model: String,
}

/// Archive format of a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Archive {
    /// zip (0.x).
    Zip,
    /// tar and gzip (1.x).
    TarGz,
}

impl Archive {
    /// File name extension, without the dot.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Zip => "zip",
            Self::TarGz => "tar.gz",
        }
    }

    /// Media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Zip => "application/zip",
            Self::TarGz => "application/gzip",
        }
    }
}

/// The protocol of a backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// OpenHands 0.x: Socket.IO.
    SocketIo,
    /// The agent-server of OpenHands 1.x: REST and WebSocket.
    AgentServer,
    /// The app server of OpenHands 1.7 and later, which starts an agent-server for each conversation.
    AppServer,
}

/// State of a conversation's sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Runtime {
    /// The sandbox is starting.
    Starting,
    /// The sandbox runs, and its repository and agent are being prepared (app server).
    Preparing,
    /// The sandbox is running.
    Running,
    /// The sandbox is frozen in the middle of what it does (app server); resumed, it continues there.
    Paused,
    /// The sandbox is stopped; it can be started again, and the history stays readable.
    #[default]
    Stopped,
    /// The sandbox has failed.
    Error,
    /// The sandbox no longer exists: its agent can never continue, and the history stays readable.
    Gone,
}

words! {
    Runtime, word: Starting "starting", Preparing "preparing", Running "running", Paused "paused", Stopped "stopped",
    Error "error", Gone "gone"
}

impl Runtime {
    /// The state that the journal has stored; an unknown one counts as stopped.
    pub fn of(word: &str) -> Self {
        Self::from_word(word).unwrap_or_default()
    }

    /// Whether the sandbox will run without a user's action.
    pub fn is_coming_up(self) -> bool {
        matches!(self, Self::Starting | Self::Preparing)
    }
}

/// State of a live connection to the backend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum ConnectionState {
    /// No connection: nobody follows the conversation, or it is stopped.
    #[default]
    Idle,
    /// The first connection attempt is in progress.
    Connecting,
    /// Connected, and caught up with the backend.
    Live,
    /// Disconnected; waiting for the next attempt.
    Reconnecting {
        /// Number of attempts so far.
        attempt: u32,
        /// Why the connection was lost, as text for users.
        why: String,
        /// Seconds until the next attempt.
        retry_in: u32,
    },
    /// The backend refused the connection. No further attempts until a user retries.
    Refused {
        /// The backend's reason.
        why: String,
        /// The backend's error code, or empty.
        code: String,
    },
}

/// A file that differs from the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedFile {
    /// Path of the file.
    pub path: String,
    /// Git status letter: A, M, D, R or U.
    pub status: String,
}

/// A commit of the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// Full hash.
    pub sha: String,
    /// The first line of its message.
    pub subject: String,
    /// Name of the author.
    pub author: String,
    /// Time of the commit in milliseconds since the Unix epoch; 0 if unknown.
    pub at: i64,
}

/// A microagent or skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Microagent {
    /// Name.
    pub name: String,
    /// Kind: "repo", "knowledge", ...
    pub kind: String,
    /// Trigger words.
    pub triggers: Vec<String>,
    /// Text of the microagent.
    pub content: String,
}
