//! A simulated OpenHands server inside Handrail's own process: 0.62, agent-server 1.58, or app server 1.11.
//!
//! It speaks the real dialect over real sockets on loopback, quirks included, so that all of Handrail above the wire is
//! the same as with a real server. It states clearly that it is a simulation: it has no model and executes nothing. The
//! agent follows a script (chosen by `[[scenario:NAME]]` in a message), and files live in memory.
//!
//! Handrail starts it when no backend is configured, and the tests connect to it: [`Faults`] injects failures and
//! [`Stats`] proves which actions were executed.
//!
//! Modules in reading order: `script` and `scripts` define the steps, `agent` plays them, `execution` and `workspace`
//! produce results, `conversation` stores and distributes events, `socket` and `rest` are the two interfaces. All of
//! these are 0.62; `agent_server` plays the same scripts as a 1.x server, and `app_server` lists and starts its
//! conversations. All dialects share `world`, `plan`, `conversations`, `http` and `link`.

mod agent;
mod agent_server;
mod app_server;
mod archive;
mod clock;
mod conversation;
mod conversations;
mod diff;
mod editor;
mod event;
mod execution;
mod faults;
mod http;
mod link;
mod model;
mod packet;
mod picture;
mod plan;
mod queue;
mod requests;
mod rest;
mod script;
mod scripts;
mod settings;
mod socket;
mod stats;
mod sync;
mod workspace;
mod world;

#[cfg(test)]
mod tests;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::serve::ListenerExt as _;
use serde::de::DeserializeOwned;
use tokio::net::TcpListener;

pub use faults::{Fault, Memory, RestFault};
pub use queue::store_at_most;
pub use scripts::{SCENARIOS, is_demo};
pub use stats::Stats;

use agent_server::Stage;
use app_server::Office;
use world::World;

/// The simulated server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// OpenHands 0.62: Socket.IO and REST.
    #[default]
    OpenHands,
    /// Agent-server 1.58: REST and WebSockets.
    AgentServer,
    /// App server 1.11: a directory of conversations, with agent-servers 1.34 behind it.
    AppServer,
}

/// Options of a rehearsal server.
#[derive(Clone, Debug)]
pub struct Options {
    /// The simulated server.
    pub dialect: Dialect,
    /// The port on 127.0.0.1; 0 for any free one.
    pub port: u16,
    /// The time between two events, for human viewers. Zero in tests.
    pub pace: Duration,
    /// The key that REST requires in `X-Session-API-Key` and sockets in their query.
    pub session_api_key: Option<String>,
    /// Whether settings are stored; `false` simulates a server that has not been set up.
    pub settings_stored: bool,
    /// The total size of one conversation's files, in bytes; uploads beyond it are skipped.
    pub storage_limit: usize,
    /// Maximum number of running conversations: one more closes the oldest. 3 in the real server.
    pub max_concurrent_conversations: usize,
    /// Whether REST delays and refuses like the real server: above 10 and 20 requests per second.
    pub rate_limit: bool,
    /// Whether `POST /rehearsal/faults` and `GET /rehearsal/stats` exist. For browser tests only.
    pub fault_routes: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            dialect: Dialect::default(),
            port: 0,
            pace: Duration::from_millis(350),
            session_api_key: None,
            settings_stored: true,
            storage_limit: 64 * 1024 * 1024,
            max_concurrent_conversations: 3,
            rate_limit: true,
            fault_routes: false,
        }
    }
}

/// A running rehearsal server. Dropping it stops the server.
pub struct Rehearsal {
    addr: SocketAddr,
    faults: Faults,
}

impl Rehearsal {
    /// Starts a server on loopback, in the current Tokio runtime.
    ///
    /// # Errors
    /// If the port cannot be bound.
    pub async fn start(mut options: Options) -> io::Result<Self> {
        if options.dialect == Dialect::OpenHands {
            return Self::start_openhands(options).await;
        }
        let listener = listen(options.port).await?;
        let key = options.session_api_key.clone();
        let is_app = options.dialect == Dialect::AppServer;
        if is_app {
            // The sandboxes have a key of their own, whatever key the app server has.
            options.session_api_key = Some(format!("sandbox-{}", world::new_id()));
        }
        let world = Arc::new(World::new(options));
        let stage = Arc::new(Stage::new(world.clone()));
        if !is_app {
            let router = agent_server::router(stage.clone());
            return Self::serving(world, stage, listener, router);
        }
        let agents = listen(0).await?;
        let office = Arc::new(Office::new(stage, key, agents.local_addr()?));
        serve(&world, agents, app_server::agents(office.clone()));
        let router = app_server::router(office.clone());
        Self::serving(world, office, listener, router)
    }

    /// Starts an OpenHands 0.62, whatever dialect is chosen: a program that starts no other one contains no other one.
    ///
    /// # Errors
    /// If the port cannot be bound.
    pub async fn start_openhands(options: Options) -> io::Result<Self> {
        let listener = listen(options.port).await?;
        let world = Arc::new(World::new(options));
        let router = rest::router(world.clone());
        Self::serving(world.clone(), world, listener, router)
    }

    fn serving(
        world: Arc<World>,
        server: Arc<dyn Server>,
        listener: TcpListener,
        mut router: Router,
    ) -> io::Result<Self> {
        let addr = listener.local_addr()?;
        let faults = Faults { world, server };
        if faults.world.options.fault_routes {
            router = router.merge(http::fault_routes(faults.clone()));
        }
        serve(&faults.world, listener, router);
        Ok(Self { addr, faults })
    }

    /// The address of the server.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The simulated server.
    pub fn dialect(&self) -> Dialect {
        self.faults.world.options.dialect
    }

    /// The handle for fault injection.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// The counters so far.
    pub fn stats(&self) -> Stats {
        self.faults.server.stats()
    }

    /// Acts like a server that died and restarted: all sockets drop, all conversations are stopped, and `memory` says
    /// which of their events it still has.
    pub fn restart(&self, memory: Memory) {
        self.faults.inject(&Fault::Restart { memory });
    }

    /// Stops the server and waits until it has stopped.
    pub async fn shutdown(self) {
        self.faults.world.end().await;
    }
}

impl Drop for Rehearsal {
    fn drop(&mut self) {
        self.faults.world.ended.cancel();
    }
}

async fn listen(port: u16) -> io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await
}

/// Serves until the rehearsal ends.
fn serve(world: &World, listener: TcpListener, router: Router) {
    let ended = world.ended.clone().cancelled_owned();
    // Disables Nagle's algorithm, because small events must not wait. A failure costs only milliseconds.
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    let serving = axum::serve(listener, router).with_graceful_shutdown(ended);
    world.tasks.spawn(async move {
        if let Err(error) = serving.await {
            tracing::error!(%error, "the rehearsal server failed");
        }
    });
}

fn embedded<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).expect("the tests read all embedded files")
}

/// A server of one of the dialects.
trait Server: Send + Sync {
    /// The counters so far.
    fn stats(&self) -> Stats;

    /// Acts like a process that died and restarted.
    fn restart(&self, memory: Memory);

    /// Sends each open conversation an invalid text frame, a default one if none is given.
    fn send_garbage(&self, frame: Option<&str>);

    /// Stores an event of this size in each open conversation.
    fn append_huge_event(&self, bytes: usize);
}

/// Injects faults into one server.
#[derive(Clone)]
pub struct Faults {
    /// The state shared by both dialects.
    world: Arc<World>,
    server: Arc<dyn Server>,
}

impl Faults {
    /// Injects one fault, momentary or lasting.
    pub fn inject(&self, fault: &Fault) {
        match fault {
            _ if self.world.armed.arm(fault) => {}
            Fault::DropSockets => self.world.drop_sockets(),
            Fault::Restart { memory } => self.server.restart(*memory),
            Fault::GarbageFrame { frame } => self.server.send_garbage(frame.as_deref()),
            Fault::HugeEvent { bytes } => self.server.append_huge_event(*bytes),
            _ => {}
        }
    }
}
