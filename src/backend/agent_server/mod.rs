//! The backend for OpenHands agent-server 1.x: REST for requests, and one WebSocket per conversation for live events.
//!
//! The session API key is as good as a shell on the server's machine: it never leaves Handrail's server, and only the
//! routes in this module are used. Surprising behaviour of this server is handled in `orders.rs` (any message can
//! approve a pending call), `WAITING` (waiting requests block the server) and `zone.rs` (timestamps without a zone).

mod catalogue;
mod dto;
mod events;
mod first_event;
mod halts;
mod mcp;
mod orders;
mod oversize;
mod pump;
mod refusal;
mod routes;
mod settings;
mod socket;
mod starts;
mod supervisor;
#[cfg(test)]
mod tests;
mod unanswered;
mod workspace;
mod zone;

use super::dto::{lacking, probe};
use super::error::if_found;
use super::http::{Connection, RateLimiter, Rest};
use super::places::EventPlaces;
use super::timing::Timing;
use super::{
    Answer, Archive, Backend, BackendError, Capabilities, Probe, Protocol, ResumePoint, Settings,
};
use crate::sync::KeyedSemaphore;
use async_trait::async_trait;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub(super) use {
    dto::initial_message,
    events::{received, without_key},
    first_event::first_event,
    mcp::as_a_whole as mcp_as_a_whole,
    settings::{AGENT_FRESH, is_acp, read as read_settings, write as write_settings},
    zone::since as zone_of,
};

/// Shortest time between two polls of stored events.
const POLL: Duration = Duration::from_secs(2);

/// Requests per conversation that may wait for its step: one that opens the WebSocket, and one for a command.
///
/// The server locks a conversation while one of its tools runs, and every request that waits for this lock blocks one of
/// the few threads that all conversations share: five of them were seen to block the whole server
/// (`docs/protocol/v1.md` section 3).
const WAITING: usize = 2;

/// State shared by all conversations of one server.
struct Server {
    rest: Arc<Rest>,
    /// Requests that wait for the step of a conversation.
    locks: KeyedSemaphore<String, WAITING>,
    /// Requests that can let a pending call run: one at a time, from its last look at what is pending on.
    runs: KeyedSemaphore<String, 1>,
    /// Offset of the server's clock from UTC in minutes, learned from a conversation.
    zone: Mutex<Option<i32>>,
    timing: Timing,
    /// The directory of the server's process.
    own_folder: tokio::sync::OnceCell<String>,
    /// The agents of new conversations are programs of ACP, as far as was read.
    asks_nobody: AtomicBool,
    /// The server forks at an event, as far as its version is known.
    forks_at: AtomicBool,
    /// The journal may have events of a copy of the log (`app_server/copy.rs`).
    is_copied: bool,
}

impl Server {
    /// The stored events among which those behind a position are placed, if the log has a copy.
    async fn places(&self, resume: &ResumePoint, after: i64) -> Option<EventPlaces> {
        match self.is_copied {
            true => Some(EventPlaces::behind(resume, after, i64::MIN).await),
            false => None,
        }
    }
}

/// A backend of the agent-server 1.x protocol.
pub struct AgentServer {
    server: Arc<Server>,
}

impl AgentServer {
    /// Creates the backend without connecting. Errors: an address that is invalid or blocked, or a key that is invalid.
    pub fn new(connection: Connection) -> Answer<Self> {
        Self::with_timing(connection, Timing::polling_every(POLL), false)
    }

    /// The agent-server in a sandbox of an app server, which copies its log.
    pub(super) fn in_sandbox(connection: Connection) -> Answer<Self> {
        Self::with_timing(connection, Timing::polling_every(POLL), true)
    }

    /// Compares when a conversation asks for approval with what an app server's settings promise.
    pub(super) async fn keep_promise_of(
        &self,
        id: &str,
        settings: &Settings,
    ) -> Answer<Option<String>> {
        self.server.keep_promise(id, settings).await
    }

    /// Interrupts the agent of a conversation if it is running.
    pub(super) async fn interrupt(&self, id: &str) -> Answer<()> {
        self.server.sender(id)?.interrupt_run().await
    }

    /// Requests that Handrail has no other use for.
    #[cfg(test)]
    pub(super) fn rest(&self) -> &Arc<Rest> {
        &self.server.rest
    }

    fn with_timing(connection: Connection, timing: Timing, is_copied: bool) -> Answer<Self> {
        // The server has no rate limit; this one only keeps a bug of ours from flooding it.
        let rate_limiter = RateLimiter::new(50, Duration::from_secs(1));
        let server = Arc::new(Server {
            rest: Rest::with_rate_limiter(connection, rate_limiter)?,
            locks: KeyedSemaphore::default(),
            runs: KeyedSemaphore::default(),
            zone: Mutex::default(),
            timing,
            own_folder: tokio::sync::OnceCell::new(),
            asks_nobody: AtomicBool::new(false),
            forks_at: AtomicBool::new(false),
            is_copied,
        });
        Ok(Self { server })
    }
}

#[async_trait]
impl Backend for AgentServer {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            interrupt: true,
            reject_reason: true,
            fork: true,
            fork_at: self.server.forks_at.load(Relaxed),
            risk_policy: true,
            files: true,
            archive: Some(Archive::TarGz),
            folders: true,
            holds_edits: true,
            side_questions: true,
            mcp_test: true,
            profiles: true,
            commits: true,
            separate_runs: true,
            tags: true,
            asks_nobody: self.server.asks_nobody.load(Relaxed),
            ..Capabilities::default()
        }
    }

    fn protocol(&self) -> Protocol {
        Protocol::AgentServer
    }

    async fn probe(&self) -> Answer<Probe> {
        let asked = Instant::now();
        let info = self.server.info().await?;
        let elapsed = asked.elapsed();
        // `server_info` needs no key; this request checks it. The first versions have no settings: their clients send the
        // model with each start.
        let settings = if_found(self.server.settings().await)?;
        let settings = settings.ok_or_else(|| {
            let version = &info.version;
            BackendError::unexpected(format!(
                "agent-server {version} is too old for Handrail: it stores no settings. Update it"
            ))
        })?;
        let product = "OpenHands agent-server";
        let version = Some(info.version).filter(|version| !version.is_empty());
        Ok(probe(product, version, elapsed, lacking(&settings)))
    }
}
