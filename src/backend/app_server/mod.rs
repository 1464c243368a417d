//! The backend for the app server of OpenHands 1.7 and later (`openhands serve`, the Docker image).
//!
//! The app server is a directory: it lists and starts conversations, and gives each a sandbox with an agent-server of its
//! own, whose address and key it tells while the sandbox runs. Everything that happens in a conversation is done with
//! [`AgentServer`], including everything that could be mistaken for an approval (`agent_server/orders.rs`): no message
//! is ever sent through the app server.
//!
//! Invariant: addresses and keys of sandboxes stay in `sandboxes.rs`. They are in no log, no error and no view.

mod copy;
mod dto;
mod live_stream;
mod routes;
mod sandboxes;
mod settings;
mod starts;
#[cfg(test)]
mod tests;

use super::agent_server::AgentServer;
use super::dto::{lacking, probe};
use super::http::{Call, Connection, Rest};
use super::{Answer, Backend, BackendError, Capabilities, Probe, Protocol, WorkspaceApi};
use crate::backend::{Archive, Eviction};
use async_trait::async_trait;
use sandboxes::Sandboxes;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// State shared by all conversations of one app server.
struct Directory {
    /// Limited to 8 requests per second: this server delays more than ten and refuses more than twenty.
    rest: Arc<Rest>,
    sandboxes: Sandboxes,
    /// Held during a start: two at once may be given the same port (`docs/protocol/app-server.md` section 3).
    starting: Arc<tokio::sync::Mutex<()>>,
    /// The agents of new conversations are programs of ACP, as far as was read.
    asks_nobody: AtomicBool,
    /// Interval at which a sandbox that starts is asked about.
    poll: Duration,
}

/// A backend of the app server's protocol.
pub struct AppServer {
    directory: Arc<Directory>,
}

impl AppServer {
    /// Creates the backend without connecting. Errors: an address that is invalid or blocked, or a key that is invalid.
    pub fn new(connection: Connection) -> Answer<Self> {
        Self::polling_every(connection, Duration::from_secs(2))
    }

    fn polling_every(connection: Connection, poll: Duration) -> Answer<Self> {
        let directory = Arc::new(Directory {
            sandboxes: Sandboxes::of(connection.clone()),
            rest: Rest::new(connection)?,
            starting: Arc::default(),
            asks_nobody: AtomicBool::new(false),
            poll,
        });
        Ok(Self { directory })
    }

    /// The agent-server of a conversation. Errors: `NotRunning` while its sandbox does not run.
    async fn agent(&self, id: &str) -> Answer<Arc<AgentServer>> {
        if let Some(agent) = self.directory.sandboxes.agent(id) {
            return Ok(agent);
        }
        self.directory.listed(id).await?;
        let agent = self.directory.sandboxes.agent(id);
        agent.ok_or(BackendError::NotRunning)
    }
}

#[async_trait]
impl WorkspaceApi for AppServer {
    async fn workspace(&self, id: &str) -> Answer<Arc<dyn WorkspaceApi>> {
        let agent = self.agent(id).await?;
        Ok(agent)
    }
}

#[async_trait]
impl Backend for AppServer {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            interrupt: true,
            reject_reason: true,
            risk_policy: true,
            files: true,
            archive: Some(Archive::TarGz),
            repositories: true,
            holds_edits: true,
            // The Docker service pauses the oldest sandbox when a sixth one starts.
            evicts_oldest: Some(Eviction::Pauses),
            runtimes: true,
            side_questions: true,
            profiles: true,
            separate_runs: true,
            asks_nobody: self.directory.asks_nobody.load(Relaxed),
            ..Capabilities::default()
        }
    }

    fn protocol(&self) -> Protocol {
        Protocol::AppServer
    }

    async fn probe(&self) -> Answer<Probe> {
        let asked = Instant::now();
        // Needs no key, and no sandbox service, which may be pulling an image.
        let config = Call::get(&["api", "v1", "web-client", "config"]);
        self.directory.rest.json(config).await?;
        let elapsed = asked.elapsed();
        let settings = self.directory.settings().await?;
        let version = self.directory.rest.version().await;
        let product = "OpenHands app server";
        Ok(probe(product, version, elapsed, lacking(&settings)))
    }
}
