//! The bridge to OpenHands agent-server 1.x: REST for everything, and one WebSocket for what happens.
//!
//! The key is as good as a shell on the server's machine: it stays here, and only these routes are used. What this
//! server does differently from what one would think is in `orders.rs` (anything is a yes), `locks.rs` (who waits
//! stalls everybody) and `zone.rs` (times without a zone).

mod catalogue;
mod dto;
mod ending;
mod events;
mod line;
mod locks;
mod mcp;
mod orders;
mod pump;
mod refusal;
mod routes;
mod settings;
mod socket;
#[cfg(test)]
mod tests;
mod unanswered;
mod workspace;
mod zone;

use super::http::{Budget, Connection, Rest, alive, conversation_id};
use super::{
    Answer, Archive, Backend, BackendError, Capabilities, ChangedFile, ChangedText, Commit,
    ConversationInfo, ConversationPage, FileText, HistoryPage, Line, LineState, McpServer,
    Microagent, NewConversation, Options, Past, Probe, Profile, Protocol, SecretName, Settings,
    Upload,
};
use crate::conversation::{Policy, Tags};
use catalogue::Catalogue;
use futures_util::future::{BoxFuture, FutureExt};
use line::Timing;
use locks::Locks;
use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};
use workspace::Workspace;

/// What all conversations of one server share.
struct Server {
    rest: Arc<Rest>,
    locks: Locks,
    catalogue: Catalogue,
    /// How many minutes its clock is ahead of UTC, as a conversation has told.
    zone: Mutex<Option<i32>>,
    timing: Timing,
}

/// One agent-server 1.x.
pub struct AgentServer {
    server: Arc<Server>,
}

impl AgentServer {
    /// The bridge to `connection`. Nothing is asked yet; an address that cannot be one is refused.
    pub fn new(connection: Connection) -> Result<Self, BackendError> {
        Self::with_timing(connection, Timing::default())
    }

    fn with_timing(connection: Connection, timing: Timing) -> Result<Self, BackendError> {
        // It counts no requests; this only keeps a fault of ours from becoming a flood.
        let budget = Budget::new(50, Duration::from_secs(1));
        let server = Arc::new(Server {
            rest: Rest::with_budget(connection, budget)?,
            locks: Locks::default(),
            catalogue: Catalogue::default(),
            zone: Mutex::default(),
            timing,
        });
        Ok(Self { server })
    }
}

impl Backend for AgentServer {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            interrupt: true,
            reject_reason: true,
            fork: true,
            risk_policy: true,
            files: true,
            archive: Some(Archive::TarGz),
            folders: true,
            holds_edits: true,
            side_questions: true,
            mcp_test: true,
            profiles: true,
            commits: true,
            tags: true,
            ..Capabilities::default()
        }
    }

    fn protocol(&self) -> Protocol {
        Protocol::AgentServer
    }

    fn probe(&self) -> Answer<'_, Probe> {
        async move {
            let asked = Instant::now();
            let info = self.server.info().await?;
            let millis = u64::try_from(asked.elapsed().as_millis()).unwrap_or(u64::MAX);
            // The first route says nothing about the key, this one does.
            let settings = self.server.settings().await?;
            let lacking = if settings.model.is_empty() {
                Some("No model is set up: open Settings.".to_owned())
            } else if !settings.api_key_set {
                Some("No key for the model is stored: open Settings.".to_owned())
            } else {
                None
            };
            let version = Some(info.version).filter(|version| !version.is_empty());
            Ok(Probe {
                product: "OpenHands agent-server".to_owned(),
                version,
                millis,
                lacking,
            })
        }
        .boxed()
    }

    fn conversations(&self, _page: Option<String>) -> Answer<'_, ConversationPage> {
        self.server.conversations().boxed()
    }

    fn conversation(&self, id: &str) -> Answer<'_, Option<ConversationInfo>> {
        let id = id.to_owned();
        async move { self.server.known(&id).await }.boxed()
    }

    fn create(&self, new: NewConversation) -> Answer<'_, String> {
        async move {
            // It may take a minute, which nobody should wait for a backend that is not there.
            alive(&self.server.rest).await?;
            self.server.create(new).await
        }
        .boxed()
    }

    fn fork(&self, id: &str) -> Answer<'_, String> {
        let id = id.to_owned();
        async move { self.server.fork(&id).await }.boxed()
    }

    fn ask(&self, id: &str, question: &str) -> Answer<'_, String> {
        let (id, question) = (id.to_owned(), question.to_owned());
        async move { self.server.ask(&id, &question).await }.boxed()
    }

    fn set_policy(&self, id: &str, policy: Policy) -> Answer<'_, ()> {
        let id = id.to_owned();
        async move { self.server.set_policy(&id, &policy).await }.boxed()
    }

    fn set_analyzer(&self, id: &str, analyzer: Option<String>) -> Answer<'_, ()> {
        let id = id.to_owned();
        async move { self.server.set_analyzer(&id, analyzer).await }.boxed()
    }

    fn profiles(&self) -> Answer<'_, Vec<Profile>> {
        self.server.profiles().boxed()
    }

    fn switch_profile(&self, id: &str, name: &str) -> Answer<'_, ()> {
        let (id, name) = (id.to_owned(), name.to_owned());
        async move { self.server.switch_profile(&id, &name).await }.boxed()
    }

    fn set_tags(&self, id: &str, tags: Tags) -> Answer<'_, ()> {
        let id = id.to_owned();
        async move { self.server.set_tags(&id, &tags).await }.boxed()
    }

    fn rename(&self, id: &str, title: &str) -> Answer<'_, ()> {
        let (id, title) = (id.to_owned(), title.to_owned());
        async move { self.server.rename(&id, &title).await }.boxed()
    }

    fn delete(&self, id: &str) -> Answer<'_, ()> {
        let id = id.to_owned();
        async move { self.server.delete(&id).await }.boxed()
    }

    fn history(&self, id: &str, past: Past) -> Answer<'_, HistoryPage> {
        let id = id.to_owned();
        async move { self.server.history(id, past).await }.boxed()
    }

    fn hold(&self, id: &str, line: Line) -> BoxFuture<'static, ()> {
        if let Err(error) = conversation_id(id) {
            let why = error.to_string();
            line.state.send_replace(LineState::Refused {
                why,
                code: String::new(),
            });
            return futures_util::future::ready(()).boxed();
        }
        line::hold(self.server.clone(), id.to_owned(), line).boxed()
    }

    fn list_files(&self, id: &str, directory: &str) -> Answer<'_, Vec<String>> {
        let (id, directory) = (id.to_owned(), directory.to_owned());
        async move {
            Workspace::of(&self.server, &id)
                .await?
                .list_files(&directory)
                .await
        }
        .boxed()
    }

    fn read_file(&self, id: &str, path: &str) -> Answer<'_, FileText> {
        let (id, path) = (id.to_owned(), path.to_owned());
        async move {
            Workspace::of(&self.server, &id)
                .await?
                .read_file(&path)
                .await
        }
        .boxed()
    }

    fn upload(&self, id: &str, files: Vec<Upload>) -> Answer<'_, Vec<String>> {
        let id = id.to_owned();
        async move { Workspace::of(&self.server, &id).await?.upload(files).await }.boxed()
    }

    fn archive(&self, id: &str) -> Answer<'_, reqwest::Response> {
        let id = id.to_owned();
        async move { Workspace::of(&self.server, &id).await?.archive().await }.boxed()
    }

    fn changes(&self, id: &str, commit: Option<&str>) -> Answer<'_, Vec<ChangedFile>> {
        let (id, commit) = (id.to_owned(), commit.map(str::to_owned));
        async move {
            let workspace = Workspace::of(&self.server, &id).await?;
            workspace.changes(commit.as_deref()).await
        }
        .boxed()
    }

    fn change(&self, id: &str, commit: Option<&str>, path: &str) -> Answer<'_, ChangedText> {
        let (id, path) = (id.to_owned(), path.to_owned());
        let commit = commit.map(str::to_owned);
        async move {
            let workspace = Workspace::of(&self.server, &id).await?;
            workspace.change(commit.as_deref(), &path).await
        }
        .boxed()
    }

    fn commits(&self, id: &str) -> Answer<'_, Vec<Commit>> {
        let id = id.to_owned();
        async move { Workspace::of(&self.server, &id).await?.commits().await }.boxed()
    }

    fn microagents(&self, id: &str) -> Answer<'_, Vec<Microagent>> {
        let id = id.to_owned();
        async move { workspace::skills(&self.server, &id).await }.boxed()
    }

    fn settings(&self) -> Answer<'_, Settings> {
        self.server.settings().boxed()
    }

    fn save_settings(&self, settings: Settings) -> Answer<'_, ()> {
        async move { self.server.save_settings(&settings).await }.boxed()
    }

    fn options(&self) -> Answer<'_, Options> {
        self.server.options().boxed()
    }

    fn test_mcp(&self, server: McpServer) -> Answer<'_, Vec<String>> {
        async move { self.server.test_mcp(&server).await }.boxed()
    }

    fn secrets(&self) -> Answer<'_, Vec<SecretName>> {
        self.server.secrets().boxed()
    }

    fn save_secret(&self, name: &str, value: &str, description: &str) -> Answer<'_, ()> {
        let (name, value, description) =
            (name.to_owned(), value.to_owned(), description.to_owned());
        async move { self.server.save_secret(&name, &value, &description).await }.boxed()
    }

    fn delete_secret(&self, name: &str) -> Answer<'_, ()> {
        let name = name.to_owned();
        async move { self.server.delete_secret(&name).await }.boxed()
    }
}
