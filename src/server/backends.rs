//! Which backends there are and how they are made: the one place that names the implementations.

use super::config::Config;
use crate::backend::openhands::{Connection, OpenHands};
use crate::backend::rehearsal::{Dialect, Options, Rehearsal};
use crate::backend::{Backend, BackendError};
use crate::conversation::{LogItem, from_v0};
use crate::hub::{self, Target};
use crate::wire::v0::{BackendSettings, Incoming};
use clap::ValueEnum;
use futures_util::future::{BoxFuture, FutureExt};
use std::sync::Arc;
use tokio::sync::OnceCell;
use url::Url;

/// Makes backends; starts the rehearsal when it is first wanted.
pub struct Backends {
    fixed: Option<Target>,
    options: Options,
    rehearsal: OnceCell<Rehearsal>,
}

impl Backends {
    /// The backends that `config` allows.
    ///
    /// # Errors
    /// A sentence when `--backend` is no address or the key file cannot be read.
    pub fn new(config: &Config) -> Result<Self, String> {
        let fixed = match &config.backend {
            Some(address) => Some(target(address, config.key()?)?),
            None => None,
        };
        Ok(Self {
            fixed,
            options: rehearsal_options(config),
            rehearsal: OnceCell::new(),
        })
    }
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
        dialect: match config.rehearsal_dialect {
            RehearsalDialect::OpenHands => Dialect::OpenHands,
            RehearsalDialect::AgentServer => Dialect::AgentServer,
        },
        pace: config.pace(),
        fault_routes: config.rehearsal_faults,
        ..Options::default()
    }
}

impl hub::Backends for Backends {
    fn fixed(&self) -> Option<Target> {
        self.fixed.clone()
    }

    fn connect(&self, target: &Target) -> BoxFuture<'_, Result<Arc<dyn Backend>, BackendError>> {
        let target = target.clone();
        async move {
            let bridge = if target.rehearsal {
                let start = || Rehearsal::start(self.options.clone());
                let rehearsal = self
                    .rehearsal
                    .get_or_try_init(start)
                    .await
                    .map_err(|error| {
                        BackendError::Unreachable(format!("the rehearsal did not start: {error}"))
                    })?;
                let address = rehearsal.addr();
                let settings = BackendSettings {
                    backend_host: address.ip().to_string(),
                    backend_port: address.port(),
                    ..BackendSettings::default()
                };
                OpenHands::new(Connection::of(&settings)?)?.with_label("Rehearsal")
            } else {
                OpenHands::new(Connection::of(&BackendSettings {
                    backend_host: target.host,
                    backend_port: target.port,
                    use_tls: target.tls,
                    session_api_key: target.key,
                    path: Some(target.path),
                })?)?
            };
            Ok(Arc::new(bridge) as Arc<dyn Backend>)
        }
        .boxed()
    }
}

/// Reads an event as the journal kept it.
pub fn read_event(raw: &str) -> LogItem {
    // What we wrote is JSON; damage on the disk is shown as an event that nobody understands.
    let event =
        serde_json::from_str(raw).unwrap_or_else(|_| serde_json::Value::String(raw.to_owned()));
    from_v0(&Incoming::read(event))
}

/// Reads `--backend`.
fn target(address: &str, key: Option<String>) -> Result<Target, String> {
    if address == "rehearsal" {
        return Ok(Target {
            rehearsal: true,
            ..Target::default()
        });
    }
    let wrong = |why: &str| {
        format!(
            "--backend {address} is not the address of a backend: {why}. Write it like http://127.0.0.1:3000."
        )
    };
    let url = Url::parse(address).map_err(|error| wrong(&error.to_string()))?;
    let tls = match url.scheme() {
        "http" | "ws" => false,
        "https" | "wss" => true,
        other => return Err(wrong(&format!("it begins with {other}:"))),
    };
    let host = url
        .host_str()
        .filter(|host| !host.is_empty())
        .ok_or_else(|| wrong("it names no host"))?;
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
        return Err(wrong(
            "it must not hold a password or a query; give the key with --backend-key-file",
        ));
    }
    Ok(Target {
        rehearsal: false,
        host: host.trim_matches(['[', ']']).to_owned(),
        port: url
            .port_or_known_default()
            .unwrap_or(if tls { 443 } else { 80 }),
        tls,
        path: url.path().trim_matches('/').to_owned(),
        key,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_where_the_backend_is() {
        let read = |address| target(address, None);
        let plain = read("http://127.0.0.1:3000").unwrap();
        assert_eq!(
            (
                plain.host.as_str(),
                plain.port,
                plain.tls,
                plain.path.as_str()
            ),
            ("127.0.0.1", 3000, false, "")
        );
        let deep = read("https://box.lan/agents/one/").unwrap();
        assert_eq!(
            (deep.host.as_str(), deep.port, deep.tls, deep.path.as_str()),
            ("box.lan", 443, true, "agents/one")
        );
        assert_eq!(read("http://[::1]:3000").unwrap().host, "::1");
        assert!(read("rehearsal").unwrap().rehearsal);
        for bad in [
            "",
            "127.0.0.1:3000",
            "ftp://box",
            "http://me:secret@box",
            "http://box/?key=1",
        ] {
            let error = read(bad).unwrap_err();
            assert!(error.contains("http://127.0.0.1:3000"), "{bad}: {error}");
        }
    }
}
