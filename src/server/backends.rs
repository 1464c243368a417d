//! Creates the configured backends. No other module names their implementations.

use crate::backend::agent_server::AgentServer;
use crate::backend::app_server::AppServer;
use crate::backend::openhands::OpenHands;
#[cfg(debug_assertions)]
use crate::backend::rehearsal::Dialect;
use crate::backend::rehearsal::{Options, Rehearsal};
use crate::backend::{Backend, BackendError, Connection, Permit, Protocol, find};
use crate::conversation::{LogItem, from_v0, from_v1};
use crate::hub::{self, Target};
use crate::wire::read_event_json;
use crate::wire::v0::Incoming;
use crate::wire::v1::Event;
use futures_util::future::{BoxFuture, FutureExt};
use std::{sync::Arc, time::Duration};
use tokio::sync::OnceCell;

/// Connects to backends, and starts the rehearsal on first use.
pub struct Backends {
    fixed: Vec<Target>,
    options: Options,
    rehearsal: OnceCell<Rehearsal>,
    permit: Permit,
}

impl Backends {
    /// The backends at these addresses, with their keys in the same order, which are changed with this permission.
    ///
    /// # Errors
    /// A sentence if an address is not valid.
    pub fn new(
        addresses: &[String],
        keys: Vec<Option<String>>,
        rehearsal: &RehearsalOptions,
        permit: Permit,
    ) -> Result<Self, String> {
        let mut keys = keys.into_iter();
        let fixed = addresses.iter();
        let fixed = fixed.map(|address| target(address, keys.next().flatten()));
        Ok(Self {
            fixed: fixed.collect::<Result<_, _>>()?,
            options: rehearsal_options(rehearsal),
            rehearsal: OnceCell::new(),
            permit,
        })
    }

    /// The address of the rehearsal, which is started if it is not running.
    async fn rehearsal(&self) -> Result<Connection, BackendError> {
        let start = || start_rehearsal(self.options.clone());
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
    /// Protocol of the rehearsal. Other builds than those for development contain that of 0.x alone.
    #[cfg(debug_assertions)]
    #[arg(
        long = "rehearsal",
        env = "HANDRAIL_REHEARSAL",
        default_value = "0.x",
        value_name = "DIALECT"
    )]
    dialect: RehearsalDialect,

    /// Delay between the events of the rehearsal, in milliseconds.
    #[arg(
        long = "rehearsal-pace",
        env = "HANDRAIL_REHEARSAL_PACE",
        default_value_t = 350,
        value_name = "MILLISECONDS"
    )]
    pace: u64,

    /// Serve only the rehearsal on the address of --listen, like an OpenHands server: to try out --backend.
    #[arg(long = "only-rehearsal", env = "HANDRAIL_ONLY_REHEARSAL")]
    pub only: bool,

    /// Let browsers inject faults into the rehearsal, for tests of Handrail itself.
    #[arg(
        long = "rehearsal-faults",
        env = "HANDRAIL_REHEARSAL_FAULTS",
        hide = true
    )]
    faults: bool,
}

/// Protocol of the rehearsal.
#[cfg(debug_assertions)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum RehearsalDialect {
    /// OpenHands 0.x, with Socket.IO.
    #[value(name = "0.x")]
    OpenHands,
    /// The agent-server 1.x, with REST and WebSockets.
    #[value(name = "1.x")]
    AgentServer,
    /// The app server, which starts an agent-server for each conversation.
    #[value(name = "app")]
    AppServer,
}

/// The options of a rehearsal that is started from the command line.
pub fn rehearsal_options(given: &RehearsalOptions) -> Options {
    Options {
        #[cfg(debug_assertions)]
        dialect: match given.dialect {
            RehearsalDialect::OpenHands => Dialect::OpenHands,
            RehearsalDialect::AgentServer => Dialect::AgentServer,
            RehearsalDialect::AppServer => Dialect::AppServer,
        },
        pace: Duration::from_millis(given.pace),
        fault_routes: given.faults,
        ..Options::default()
    }
}

/// Starts the rehearsal. Errors: its port cannot be bound.
pub async fn start_rehearsal(options: Options) -> std::io::Result<Rehearsal> {
    #[cfg(debug_assertions)]
    return Rehearsal::start(options).await;
    #[cfg(not(debug_assertions))]
    Rehearsal::start_openhands(options).await
}

impl hub::Backends for Backends {
    fn fixed(&self) -> Vec<Target> {
        self.fixed.clone()
    }

    fn connect(&self, target: &Target) -> BoxFuture<'_, Result<Arc<dyn Backend>, BackendError>> {
        let target = target.clone();
        async move {
            let connection = Connection {
                permit: self.permit.clone(),
                ..match target.rehearsal {
                    true => self.rehearsal().await?,
                    false => Connection::at(&target.address, target.key)?,
                }
            };
            // The stored protocol of a rehearsal may be outdated, because `--rehearsal` can change between starts.
            let protocol = match target.protocol.filter(|_| !target.rehearsal) {
                Some(protocol) => protocol,
                None => find(&connection).await?,
            };
            let backend: Arc<dyn Backend> = match protocol {
                Protocol::SocketIo => Arc::new(OpenHands::new(connection)?),
                Protocol::AgentServer => Arc::new(AgentServer::new(connection)?),
                Protocol::AppServer => Arc::new(AppServer::new(connection)?),
            };
            Ok(backend)
        }
        .boxed()
    }
}

/// Parses an event as the journal stored it.
pub fn read_event(raw: &str) -> LogItem {
    // The journal stores valid JSON. A damaged event is shown as an unknown one.
    let event = read_event_json(raw.as_bytes())
        .unwrap_or_else(|| serde_json::Value::String(raw.to_owned()));
    // Events of 1.x always have a `kind`, those of 0.x never do.
    match event.get("kind") {
        Some(serde_json::Value::String(_)) => from_v1::item(&Event::read(event), None, None),
        _ => from_v0(&Incoming::read(event)),
    }
}

/// Parses one `--backend`.
fn target(address: &str, key: Option<String>) -> Result<Target, String> {
    if address == "rehearsal" {
        return Ok(Target::rehearsal());
    }
    // WebSocket addresses are accepted, too.
    let address = match (
        address.strip_prefix("ws://"),
        address.strip_prefix("wss://"),
    ) {
        (Some(rest), _) => format!("http://{rest}"),
        (_, Some(rest)) => format!("https://{rest}"),
        _ => address.to_owned(),
    };
    // The error does not repeat the address, because it may contain the secret that it is rejected for.
    Connection::at(&address, None).map_err(|error| {
        format!("A --backend is not valid. {error} Put its key into --backend-key-file.")
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
            "http://me:hunter2@box",
            "http://box/?key=hunter2",
            "http://me:hunter2@bo x",
            "ws://me:hunter2@box",
            "http://[64:ff9b::169.254.169.254]",
        ] {
            let error = read(bad).unwrap_err();
            assert!(error.contains("--backend-key-file"), "{bad}: {error}");
            assert!(!error.contains("hunter2"), "{bad}: {error}");
        }
    }
}
