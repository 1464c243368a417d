//! The seam: one trait, and what is asked and answered over it. What goes over a live line is in `line.rs`.

use super::{
    Arrived, BackendError, Capabilities, ChangedFile, Commit, Line, McpServer, Microagent, Options,
    Past, Profile, Protocol, Runtime, SecretName, Settings,
};
use crate::conversation::{Policy, Status, Tags};
use futures_util::future::{BoxFuture, FutureExt, ready};
use serde_json::Value;

/// What every call to a backend answers with.
pub type Answer<'a, T> = BoxFuture<'a, Result<T, BackendError>>;

/// The answer to what a backend cannot do.
pub(super) fn cannot<T: Send + 'static>() -> Answer<'static, T> {
    ready(Err(BackendError::Unsupported)).boxed()
}

/// Something that runs agents and that we can watch and steer.
///
/// What not every protocol has answers [`BackendError::Unsupported`] unless it is implemented, and
/// [`Capabilities`] say so before anybody asks.
///
/// Ids of conversations are checked by the implementation before they are put into a URL
/// (`protocol/v0.md` section 3: 0.62 writes outside of its store for a crafted id).
pub trait Backend: Send + Sync + 'static {
    /// What it can do.
    fn capabilities(&self) -> Capabilities;
    /// What it speaks.
    fn protocol(&self) -> Protocol;
    /// Asks whether it is there, which version it is and whether it is ready to be used.
    fn probe(&self) -> Answer<'_, Probe>;

    /// One page of its conversations, newest first.
    fn conversations(&self, page: Option<String>) -> Answer<'_, ConversationPage>;
    /// One conversation; `None` if it does not exist.
    fn conversation(&self, id: &str) -> Answer<'_, Option<ConversationInfo>>;
    /// Makes a conversation and starts its agent; answers its id.
    fn create(&self, new: NewConversation) -> Answer<'_, String>;
    /// Wakes the agent of a stopped conversation.
    fn start(&self, _id: &str) -> Answer<'_, ()> {
        cannot()
    }
    /// Ends the agent and its runtime; the history stays.
    fn stop(&self, _id: &str) -> Answer<'_, ()> {
        cannot()
    }
    /// Makes a copy of a conversation that goes its own way; answers the copy's id.
    fn fork(&self, _id: &str) -> Answer<'_, String> {
        cannot()
    }
    /// Asks the agent something beside its work; it leaves no trace in the conversation.
    fn ask(&self, _id: &str, _question: &str) -> Answer<'_, String> {
        cannot()
    }
    /// Says when the agent has to ask in this conversation. It may wait for the running step.
    fn set_policy(&self, _id: &str, _policy: Policy) -> Answer<'_, ()> {
        cannot()
    }
    /// Says who judges risk in this conversation; `None` for nobody. It may wait for the running step.
    fn set_analyzer(&self, _id: &str, _analyzer: Option<String>) -> Answer<'_, ()> {
        cannot()
    }
    /// Models that a conversation can be given.
    fn profiles(&self) -> Answer<'_, Vec<Profile>> {
        cannot()
    }
    /// Gives this conversation the model of a profile. It may wait for the running step.
    fn switch_profile(&self, _id: &str, _name: &str) -> Answer<'_, ()> {
        cannot()
    }
    /// Gives it these labels instead of those it has. It may wait for the running step.
    fn set_tags(&self, _id: &str, _tags: Tags) -> Answer<'_, ()> {
        cannot()
    }
    /// Gives it another title (1 to 200 characters).
    fn rename(&self, id: &str, title: &str) -> Answer<'_, ()>;
    /// Removes it for good.
    fn delete(&self, id: &str) -> Answer<'_, ()>;

    /// Events after `past.after`, oldest first, without waking anything. If events of the past are gone, the page holds
    /// only the word about it ([`crate::conversation::Body::Lost`]), and the next one goes on from there.
    fn history(&self, id: &str, past: Past) -> Answer<'_, HistoryPage>;

    /// Holds one live line to a conversation until `cancel` or until upstream refuses for good:
    /// connects, resumes, reconnects with backoff, fills gaps from [`Backend::history`].
    /// Everything that arrives goes to `line.events`, unordered and possibly more than once: the
    /// journal knows keys. What is still being written goes to `line.pieces`. The future is the line: dropping it closes the connection.
    fn hold(&self, id: &str, line: Line) -> BoxFuture<'static, ()>;

    /// Names in a directory of the workspace (`""` is its root), directories first and ending in `/`.
    fn list_files(&self, id: &str, directory: &str) -> Answer<'_, Vec<String>>;
    /// Text of a file.
    fn read_file(&self, id: &str, path: &str) -> Answer<'_, FileText>;
    /// Puts files into the workspace; answers the names that were taken.
    fn upload(&self, id: &str, files: Vec<Upload>) -> Answer<'_, Vec<String>>;
    /// The whole workspace as one file, packed as [`Capabilities::archive`] says.
    fn archive(&self, _id: &str) -> Answer<'_, reqwest::Response> {
        cannot()
    }
    /// Files that differ from the repository, or that a commit changed.
    fn changes(&self, id: &str, commit: Option<&str>) -> Answer<'_, Vec<ChangedFile>>;
    /// Old and new text of such a file.
    fn change(&self, id: &str, commit: Option<&str>, path: &str) -> Answer<'_, ChangedText>;
    /// The repository's newest commits, newest first.
    fn commits(&self, _id: &str) -> Answer<'_, Vec<Commit>> {
        cannot()
    }
    /// All events as the backend exports them.
    fn trajectory(&self, _id: &str) -> Answer<'_, Value> {
        cannot()
    }
    /// Microagents or skills that the conversation knows: name, kind, triggers, content.
    fn microagents(&self, _id: &str) -> Answer<'_, Vec<Microagent>> {
        cannot()
    }

    /// Its settings.
    fn settings(&self) -> Answer<'_, Settings>;
    /// Changes its settings. Keys are write-only: `None` leaves the stored one.
    fn save_settings(&self, settings: Settings) -> Answer<'_, ()>;
    /// What can be chosen in the settings.
    fn options(&self) -> Answer<'_, Options>;
    /// Tries an MCP server out: the names of its tools.
    fn test_mcp(&self, _server: McpServer) -> Answer<'_, Vec<String>> {
        cannot()
    }
    /// Names of the stored secrets.
    fn secrets(&self) -> Answer<'_, Vec<SecretName>>;
    /// Stores a secret, or replaces it.
    fn save_secret(&self, name: &str, value: &str, description: &str) -> Answer<'_, ()>;
    /// Removes a secret.
    fn delete_secret(&self, name: &str) -> Answer<'_, ()>;
}

/// What a probe found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// "OpenHands 0.x", "OpenHands agent-server", "Rehearsal".
    pub product: String,
    /// Its version, if it says one.
    pub version: Option<String>,
    /// Milliseconds until it answered.
    pub millis: u64,
    /// What is missing before it can be used, in a whole sentence, if anything.
    pub lacking: Option<String>,
}

/// One page of conversations.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConversationPage {
    /// The conversations.
    pub results: Vec<ConversationInfo>,
    /// Token of the next page.
    pub next: Option<String>,
}

/// What a backend's list says of a conversation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConversationInfo {
    /// Its id.
    pub id: String,
    /// Its title, or empty.
    pub title: String,
    /// Whether its runtime is up.
    pub runtime: Runtime,
    /// Repository it works in.
    pub repository: Option<String>,
    /// Branch it began from.
    pub branch: Option<String>,
    /// Its labels.
    pub tags: Tags,
    /// Made at, milliseconds since the Unix epoch.
    pub created_at: i64,
    /// Last changed at, milliseconds since the Unix epoch.
    pub updated_at: i64,
    /// How it was begun ("gui", "resolver", ...), or empty.
    pub trigger: String,
    /// What the agent is doing, if the list says it.
    pub status: Option<Status>,
    /// US dollars so far, if the list says it.
    pub cost: Option<f64>,
}

/// What a new conversation begins with.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewConversation {
    /// The first message, or empty.
    pub message: String,
    /// `data:` URLs of images.
    pub images: Vec<String>,
    /// `owner/name` of a repository.
    pub repository: Option<String>,
    /// Branch to begin from.
    pub branch: Option<String>,
    /// Absolute path of a folder on the backend's machine.
    pub folder: Option<String>,
    /// Instructions for this conversation only.
    pub instructions: Option<String>,
}

impl NewConversation {
    /// One that begins with these words, and with nothing else.
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
    pub events: Vec<Arrived>,
    /// There are more after the last one.
    pub more: bool,
}

/// Text of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileText {
    /// The text.
    Text(String),
    /// It is not text.
    Binary,
    /// It is not there.
    Missing,
}

/// A file to be put into the workspace.
#[derive(Debug, Clone)]
pub struct Upload {
    /// Its name, without directories.
    pub name: String,
    /// Its content.
    pub bytes: bytes::Bytes,
}

/// Old and new text of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangedText {
    /// As it was.
    pub original: String,
    /// As it is.
    pub modified: String,
}

impl ChangedText {
    /// As both protocols write it. A file that is new or gone has one text only.
    pub(super) fn of(answer: &Value) -> Self {
        let text = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
        Self {
            original: text("original"),
            modified: text("modified"),
        }
    }
}
