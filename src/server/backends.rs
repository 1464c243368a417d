//! Which backends there are and how they are made: the one place that names the implementations.

use super::config::Config;
use crate::backend::agent_server::AgentServer;
use crate::backend::openhands::OpenHands;
use crate::backend::rehearsal::{Dialect, Options, Rehearsal};
use crate::backend::{Backend, BackendError, Connection, Protocol, find};
use crate::conversation::{LogItem, from_v0, from_v1};
use crate::hub::{self, Target};
use crate::wire::v0::Incoming;
use crate::wire::v1::Event;
use clap::ValueEnum;
use futures_util::future::{BoxFuture, FutureExt};
use std::{sync::Arc, time::Duration};
use tokio::sync::OnceCell;

/// Makes backends; starts the rehearsal when it is first wanted.
pub struct Backends {
    fixed: Vec<Target>,
    options: Options,
    rehearsal: OnceCell<Rehearsal>,
}

impl Backends {
    /// The backends that `config` allows.
    ///
    /// # Errors
    /// A sentence when a `--backend` is no address or a key file cannot be read.
    pub fn new(config: &Config) -> Result<Self, String> {
        let keys = config.keys()?;
        let fixed = config.backend.iter().enumerate();
        let fixed = fixed.map(|(at, address)| target(address, keys.get(at).cloned().flatten()));
        Ok(Self {
            fixed: fixed.collect::<Result<_, _>>()?,
            options: rehearsal_options(config),
            rehearsal: OnceCell::new(),
        })
    }

    /// Where the rehearsal serves.
    async fn rehearsal(&self) -> Result<Connection, BackendError> {
        let start = || Rehearsal::start(self.options.clone());
        let rehearsal = self
            .rehearsal
            .get_or_try_init(start)
            .await
            .map_err(|error| {
                BackendError::Unreachable(format!("the rehearsal did not start: {error}"))
            })?;
        Connection::at(&format!("http://{}", rehearsal.addr()), None)
    }
}

/// Options of the rehearsal.
#[derive(Debug, Clone, clap::Args)]
pub struct RehearsalOptions {
    /// Which server the rehearsal stands in for.
    #[arg(
        long = "rehearsal",
        env = "HANDRAIL_REHEARSAL",
        default_value = "0.x",
        value_name = "DIALECT"
    )]
    dialect: RehearsalDialect,

    /// Milliseconds between the events of a rehearsal.
    #[arg(
        long = "rehearsal-pace",
        env = "HANDRAIL_REHEARSAL_PACE",
        default_value_t = 350,
        value_name = "MILLISECONDS"
    )]
    pace: u64,

    /// Serve only the rehearsal, on the port of --listen, as if it were an OpenHands: for trying out --backend.
    #[arg(long = "only-rehearsal", env = "HANDRAIL_ONLY_REHEARSAL")]
    pub only: bool,

    /// Let browsers order faults of the rehearsal, for tests of Handrail itself.
    #[arg(
        long = "rehearsal-faults",
        env = "HANDRAIL_REHEARSAL_FAULTS",
        hide = true
    )]
    faults: bool,
}

/// Which server the rehearsal stands in for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RehearsalDialect {
    /// OpenHands 0.x, with Socket.IO.
    #[value(name = "0.x")]
    OpenHands,
    /// The agent-server 1.x, with REST and WebSockets.
    #[value(name = "1.x")]
    AgentServer,
}

/// How a rehearsal behaves that is started from the command line.
pub fn rehearsal_options(config: &Config) -> Options {
    Options {
        dialect: match config.rehearsal.dialect {
            RehearsalDialect::OpenHands => Dialect::OpenHands,
            RehearsalDialect::AgentServer => Dialect::AgentServer,
        },
        pace: Duration::from_millis(config.rehearsal.pace),
        fault_routes: config.rehearsal.faults,
        ..Options::default()
    }
}

impl hub::Backends for Backends {
    fn fixed(&self) -> Vec<Target> {
        self.fixed.clone()
    }

    fn connect(&self, target: &Target) -> BoxFuture<'_, Result<Arc<dyn Backend>, BackendError>> {
        let target = target.clone();
        async move {
            let connection = if target.rehearsal {
                self.rehearsal().await?
            } else {
                Connection::at(&target.address, target.key)?
            };
            // What the rehearsal speaks was said at the start, and may have been otherwise before.
            let protocol = match target.protocol.filter(|_| !target.rehearsal) {
                Some(protocol) => protocol,
                None => find(&connection).await?,
            };
            let backend: Arc<dyn Backend> = match protocol {
                Protocol::SocketIo => Arc::new(OpenHands::new(connection)?),
                Protocol::AgentServer => Arc::new(AgentServer::new(connection)?),
            };
            Ok(backend)
        }
        .boxed()
    }
}

/// Reads an event as the journal kept it.
pub fn read_event(raw: &str) -> LogItem {
    // What we wrote is JSON; damage on the disk is shown as an event that nobody understands.
    let event =
        serde_json::from_str(raw).unwrap_or_else(|_| serde_json::Value::String(raw.to_owned()));
    // Events of 1.x have a kind, those of 0.x never.
    match event.get("kind") {
        Some(serde_json::Value::String(_)) => from_v1::item(&Event::read(event), None, None),
        _ => from_v0(&Incoming::read(event)),
    }
}

/// Reads one `--backend`.
fn target(address: &str, key: Option<String>) -> Result<Target, String> {
    if address == "rehearsal" {
        return Ok(Target::rehearsal());
    }
    // The words of the sockets are meant well.
    let address = address
        .replacen("ws://", "http://", 1)
        .replacen("wss://", "https://", 1);
    Connection::at(&address, None).map_err(|error| {
        format!("--backend {address} is not the address of a backend. {error} The key goes into --backend-key-file.")
    })?;
    Ok(Target::at(&address, key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_where_the_backend_is() {
        let read = |address| target(address, None);
        assert_eq!(
            read("http://127.0.0.1:3000").unwrap().label(),
            "OpenHands at http://127.0.0.1:3000"
        );
        assert_eq!(
            read("wss://box.lan/agents/one/").unwrap().address,
            "https://box.lan/agents/one"
        );
        assert!(read("rehearsal").unwrap().rehearsal);
        for bad in [
            "",
            "127.0.0.1:3000",
            "ftp://box",
            "http://me:secret@box",
            "http://box/?key=1",
        ] {
            let error = read(bad).unwrap_err();
            assert!(error.contains("--backend-key-file"), "{bad}: {error}");
        }
    }
}
