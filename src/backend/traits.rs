//! The backend trait and its request and response types. Those of a live connection are in `live_stream.rs`.

use super::{
    Answer, BackendError, Capabilities, ChangedFile, Commit, LiveStream, McpServer, Microagent,
    Options, Profile, Protocol, ReceivedEvent, ResumePoint, Runtime, SecretName, Settings,
};
use crate::conversation::{ModelCall, Policy, Status, Tags};
use async_trait::async_trait;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// A server that runs agents.
///
/// Default implementations return [`BackendError::Unsupported`]; [`Capabilities`] announce what is supported.
///
/// Implementations validate conversation ids before they put them into a URL (`docs/protocol/v0.md` section 3: a crafted
/// id makes 0.62 write outside of its store).
#[async_trait]
pub trait Backend: ConversationApi + WorkspaceApi + SettingsApi {
    /// What the backend supports.
    fn capabilities(&self) -> Capabilities;
    /// The backend's protocol.
    fn protocol(&self) -> Protocol;
    /// Checks whether the backend is reachable and ready, and which version it is.
    async fn probe(&self) -> Answer<Probe>;
}

/// The conversations of a backend.
#[async_trait]
pub trait ConversationApi: Send + Sync + 'static {
    /// One page of the conversations, newest first; without a token the first.
    async fn conversations(&self, page: Option<String>) -> Answer<ConversationPage>;
    /// One conversation; `None` if it does not exist.
    async fn conversation(&self, id: &str) -> Answer<Option<ConversationInfo>>;
    /// The calls of the model that the agent of a conversation has made, in order, as far as the backend knows them one by one.
    async fn model_calls(&self, _id: &str) -> Answer<Vec<ModelCall>> {
        Err(BackendError::Unsupported)
    }
    /// Creates a conversation, starts its agent, and returns the id.
    async fn create(&self, new: NewConversation) -> Answer<String>;
    /// Compares when a new conversation asks for approval with what the settings promise, and changes it if it is not that.
    /// Answers what was found and done, in whole sentences, if it was not. May take as long as a start.
    async fn keep_promise(&self, _id: &str) -> Answer<Option<String>> {
        Ok(None)
    }
    /// Starts the agent of a stopped conversation.
    async fn start(&self, _id: &str) -> Answer<()> {
        Err(BackendError::Unsupported)
    }
    /// Stops the agent and its sandbox; the history is kept.
    async fn stop(&self, _id: &str) -> Answer<()> {
        Err(BackendError::Unsupported)
    }
    /// Forks a conversation and returns the id of the fork, which has the events up to the one with the id `upto`, or all.
    async fn fork(&self, _id: &str, _upto: Option<&str>) -> Answer<String> {
        Err(BackendError::Unsupported)
    }
    /// Asks the agent a side question; question and answer do not become part of the conversation.
    async fn ask(&self, _id: &str, _question: &str) -> Answer<String> {
        Err(BackendError::Unsupported)
    }
    /// Sets the approval policy of a conversation. May wait for the current step.
    async fn set_policy(&self, _id: &str, _policy: Policy) -> Answer<()> {
        Err(BackendError::Unsupported)
    }
    /// Sets the security analyzer of a conversation; `None` for none. May wait for the current step.
    async fn set_analyzer(&self, _id: &str, _analyzer: Option<String>) -> Answer<()> {
        Err(BackendError::Unsupported)
    }
    /// Switches a conversation to the model of a profile. May wait for the current step.
    async fn switch_profile(&self, _id: &str, _name: &str) -> Answer<()> {
        Err(BackendError::Unsupported)
    }
    /// Replaces a conversation's tags. May wait for the current step.
    async fn set_tags(&self, _id: &str, _tags: Tags) -> Answer<()> {
        Err(BackendError::Unsupported)
    }
    /// Renames a conversation (1 to 200 characters).
    async fn rename(&self, id: &str, title: &str) -> Answer<()>;
    /// Deletes a conversation permanently.
    async fn delete(&self, id: &str) -> Answer<()>;

    /// Events after `resume.after`, oldest first, without starting a sandbox. If the backend has lost stored events, the
    /// page holds only [`crate::conversation::Body::Lost`], and the next page resumes after it.
    async fn history(&self, id: &str, resume: ResumePoint) -> Answer<HistoryPage>;

    /// Runs a live connection until `cancel`, or until the backend refuses it for good: connects, resumes, reconnects
    /// with backoff, and fills gaps from [`ConversationApi::history`]. Events arrive in any order and possibly more
    /// than once; the journal deduplicates them by key. Dropping the future closes the connection.
    fn hold(&self, id: &str, stream: LiveStream) -> BoxFuture<'static, ()>;
}

/// The workspaces of a backend's conversations.
#[async_trait]
pub trait WorkspaceApi: Send + Sync + 'static {
    /// The backend that has the workspace of a conversation, for one that has none: the other methods ask it by default.
    async fn workspace(&self, _id: &str) -> Answer<Arc<dyn WorkspaceApi>> {
        Err(BackendError::Unsupported)
    }
    /// Names in a directory of the workspace (`""` is its root), directories first and ending with `/`.
    async fn list_files(&self, id: &str, directory: &str) -> Answer<Vec<String>> {
        self.workspace(id).await?.list_files(id, directory).await
    }
    /// The text of a file.
    async fn read_file(&self, id: &str, path: &str) -> Answer<FileText> {
        self.workspace(id).await?.read_file(id, path).await
    }
    /// Uploads files into the workspace and returns their stored names.
    async fn upload(&self, id: &str, files: Vec<Upload>) -> Answer<Vec<String>> {
        self.workspace(id).await?.upload(id, files).await
    }
    /// The whole workspace as an archive in the format of [`Capabilities::archive`].
    async fn archive(&self, id: &str) -> Answer<reqwest::Response> {
        self.workspace(id).await?.archive(id).await
    }
    /// Files that differ from the repository, or that a commit changed.
    async fn changes(&self, id: &str, commit: Option<&str>) -> Answer<Vec<ChangedFile>> {
        self.workspace(id).await?.changes(id, commit).await
    }
    /// The old and the new text of a changed file.
    async fn change(&self, id: &str, commit: Option<&str>, path: &str) -> Answer<ChangedText> {
        self.workspace(id).await?.change(id, commit, path).await
    }
    /// The repository's newest commits, newest first.
    async fn commits(&self, _id: &str) -> Answer<Vec<Commit>> {
        Err(BackendError::Unsupported)
    }
    /// The conversation's microagents or skills.
    async fn microagents(&self, id: &str) -> Answer<Vec<Microagent>> {
        self.workspace(id).await?.microagents(id).await
    }
}

/// The settings of a backend.
#[async_trait]
pub trait SettingsApi: Send + Sync + 'static {
    /// The backend's settings.
    async fn settings(&self) -> Answer<Settings> {
        Err(BackendError::Unsupported)
    }
    /// Changes the backend's settings. Keys are write-only; `None` keeps the stored one.
    async fn save_settings(&self, _settings: Settings) -> Answer<()> {
        Err(BackendError::Unsupported)
    }
    /// The choices that the settings offer.
    async fn options(&self) -> Answer<Options> {
        Err(BackendError::Unsupported)
    }
    /// The models that a conversation can switch to.
    async fn profiles(&self) -> Answer<Vec<Profile>> {
        Err(BackendError::Unsupported)
    }
    /// Tests an MCP server and returns the names of its tools.
    async fn test_mcp(&self, _server: McpServer) -> Answer<Vec<String>> {
        Err(BackendError::Unsupported)
    }
    /// Names of the stored secrets.
    async fn secrets(&self) -> Answer<Vec<SecretName>> {
        Err(BackendError::Unsupported)
    }
    /// Stores or replaces a secret.
    async fn save_secret(&self, _name: &str, _value: &str, _description: &str) -> Answer<()> {
        Err(BackendError::Unsupported)
    }
    /// Deletes a secret.
    async fn delete_secret(&self, _name: &str) -> Answer<()> {
        Err(BackendError::Unsupported)
    }
}

/// The result of a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// Product name: "OpenHands", "OpenHands agent-server", "Rehearsal".
    pub product: String,
    /// Version, if the backend reports one.
    pub version: Option<String>,
    /// Response time in milliseconds.
    pub millis: u64,
    /// What is missing before the backend can be used, as a full sentence; `None` if it is ready.
    pub lacking: Option<String>,
}

/// One page of conversations.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConversationPage {
    /// The conversations.
    pub results: Vec<ConversationInfo>,
    /// Number of conversations that were skipped because their ids are not safe in a URL.
    pub left_out: usize,
    /// Page token of the next page.
    pub next: Option<String>,
    /// On a first page that has what was changed last: the number of all conversations, if the backend counts them. `next`
    /// is the beginning of the whole list then.
    pub count: Option<usize>,
    /// Page token of those that were changed before this page, if it has what was changed last.
    pub changed_before: Option<String>,
}

/// A conversation as the backend lists it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConversationInfo {
    /// Conversation id.
    pub id: String,
    /// Title, or empty.
    pub title: String,
    /// State of the sandbox.
    pub runtime: Runtime,
    /// The backend's own word for it, or empty.
    pub runtime_word: String,
    /// Repository, if any.
    pub repository: Option<String>,
    /// Branch that the conversation started from.
    pub branch: Option<String>,
    /// Tags.
    pub tags: Tags,
    /// Creation time in milliseconds since the Unix epoch.
    pub created_at: i64,
    /// Time of the last change in milliseconds since the Unix epoch.
    pub updated_at: i64,
    /// How the conversation was created ("gui", "resolver", ...), or empty.
    pub trigger: String,
    /// Status of the agent, if the list includes it.
    pub status: Option<Status>,
    /// Cost so far in US dollars, if the list includes it.
    pub cost: Option<f64>,
    /// The conversation that this one was forked or created from.
    pub made_from: Option<String>,
}

/// Parameters of a new conversation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewConversation {
    /// First message, or empty.
    pub message: String,
    /// Images as `data:` URLs.
    pub images: Vec<String>,
    /// Repository as `owner/name`.
    pub repository: Option<String>,
    /// Branch to start from.
    pub branch: Option<String>,
    /// Absolute path of a directory on the backend's machine.
    pub folder: Option<String>,
    /// Instructions for this conversation only.
    pub instructions: Option<String>,
}

impl NewConversation {
    /// A conversation with a first message and nothing else.
    pub fn saying(message: &str) -> Self {
        Self {
            message: message.to_owned(),
            ..Self::default()
        }
    }
}

/// A page of history.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HistoryPage {
    /// The events, oldest first.
    pub events: Vec<ReceivedEvent>,
    /// Whether there are more events after the last one.
    pub more: bool,
    /// The events are from a copy of the log that may lack some of them: their positions do not count as complete.
    pub is_copy: bool,
}

/// Text of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileText {
    /// The text.
    Text(String),
    /// The file is not text; its bytes, if the backend sends them.
    Binary(Option<Bytes>),
    /// The file does not exist.
    Missing,
}

/// A file to upload into the workspace.
#[derive(Debug, Clone)]
pub struct Upload {
    /// Name, without directories.
    pub name: String,
    /// Content.
    pub bytes: Bytes,
}

/// The old and the new text of a changed file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangedText {
    /// Text before the change.
    pub original: String,
    /// Text after the change.
    pub modified: String,
}
