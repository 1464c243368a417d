//! The rehearsal backend: a stand-in for an OpenHands server, inside our own process: 0.62, or agent-server 1.58.
//!
//! It speaks the real dialect over real sockets on loopback, oddities included, so that all of Handrail above the wire
//! is the same with it as with a real server. It is honest about itself: it has no model and executes nothing. What an
//! agent does is a script (chosen by `[[scenario:NAME]]` in a message), and files live in memory.
//!
//! It is what Handrail shows when no backend is configured, and what its tests connect to: [`Faults`] makes things go
//! wrong on demand and [`Stats`] proves what was carried out.
//!
//! Modules in reading order: `script` and `scripts` say what happens, `agent` lets it happen, `execution` and `workspace`
//! give it results, `conversation` stores and distributes it, `socket` and `rest` are its two doors. All of that is
//! 0.62; `agent_server` plays the same scripts as a 1.x server.

mod agent;
mod agent_server;
mod archive;
mod clock;
mod conversation;
mod diff;
mod editor;
mod event;
mod execution;
mod faults;
mod model;
mod packet;
mod picture;
mod requests;
mod rest;
mod script;
mod scripts;
mod settings;
mod socket;
mod stats;
mod workspace;
mod world;

#[cfg(test)]
mod tests;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::serve::ListenerExt as _;
use tokio::net::TcpListener;

pub use faults::{Fault, Memory, RestFault};
pub use stats::Stats;

use agent_server::Stage;
use world::World;

/// Which server it stands in for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// OpenHands 0.62: Socket.IO and REST.
    #[default]
    OpenHands,
    /// Agent-server 1.58: REST and WebSockets.
    AgentServer,
}

/// How a rehearsal server behaves.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which server it stands in for.
    pub dialect: Dialect,
    /// The port on 127.0.0.1; 0 for any free one.
    pub port: u16,
    /// The time between two events, so that people can watch. Zero in tests.
    pub pace: Duration,
    /// The key which REST wants in `X-Session-API-Key` and sockets in their query.
    pub session_api_key: Option<String>,
    /// False to look like a server nobody has set up yet.
    pub settings_stored: bool,
    /// The files of one conversation together, in bytes; uploads beyond it are skipped.
    pub storage_limit: usize,
    /// One more conversation than this closes the oldest. 3 in the real server.
    pub max_concurrent_conversations: usize,
    /// Whether REST delays and refuses like the real server: more than 10 and 20 requests in a second.
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

/// A running rehearsal server. It ends when this is dropped.
pub struct Rehearsal {
    addr: SocketAddr,
    faults: Faults,
}

impl Rehearsal {
    /// Starts a server on loopback, in the current runtime.
    ///
    /// # Errors
    /// When the port cannot be bound.
    pub async fn start(options: Options) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).await?;
        let addr = listener.local_addr()?;
        let dialect = options.dialect;
        let world = Arc::new(World::new(options));
        let (router, stage) = match dialect {
            Dialect::OpenHands => (rest::router(world.clone()), None),
            Dialect::AgentServer => {
                let stage = Arc::new(Stage::new(world.clone()));
                (agent_server::router(stage.clone()), Some(stage))
            }
        };
        let ended = world.ended.clone().cancelled_owned();
        // Events are small and people watch: none shall wait for the one after it. A failure costs milliseconds only.
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        let serving = axum::serve(listener, router).with_graceful_shutdown(ended);
        world.tasks.spawn(async move {
            if let Err(error) = serving.await {
                tracing::error!(%error, "the rehearsal server failed");
            }
        });
        Ok(Self {
            addr,
            faults: Faults { world, stage },
        })
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The handle to make things go wrong.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// What happened so far.
    pub fn stats(&self) -> Stats {
        match &self.faults.stage {
            Some(stage) => stage.stats(),
            None => self.faults.world.stats(),
        }
    }

    /// Acts as if the server had died and come back: all sockets drop, all conversations are stopped, and of their
    /// events it has what `memory` says.
    pub fn restart(&self, memory: Memory) {
        self.faults.inject(&Fault::Restart { memory });
    }

    /// Ends the server and waits until it has ended.
    pub async fn shutdown(self) {
        self.faults.world.end().await;
    }
}

impl Drop for Rehearsal {
    fn drop(&mut self) {
        self.faults.world.ended.cancel();
    }
}

/// Makes things go wrong on one server.
#[derive(Clone)]
pub struct Faults {
    world: Arc<World>,
    /// Of a 1.x server; the world has what both dialects share.
    stage: Option<Arc<Stage>>,
}

impl Faults {
    /// Makes one thing go wrong, now or from now on.
    pub fn inject(&self, fault: &Fault) {
        match &self.stage {
            Some(stage) => stage.inject(fault),
            None => self.world.inject(fault),
        }
    }
}
