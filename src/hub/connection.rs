//! Which backend is used, and changing it while everything runs.

use super::{Current, Hub, HubError, error::backend_for_people, lock};
use crate::backend::{Backend, BackendError};
use crate::journal::Journal;
use crate::live::{ConnectionReport, ConnectionView};
use crate::people::{Caller, Deed};
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Where a backend is.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Target {
    /// The embedded rehearsal; the rest is ignored then.
    pub rehearsal: bool,
    /// Name or address.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Over TLS.
    pub tls: bool,
    /// Path that it lives under, or empty.
    pub path: String,
    /// Its key.
    pub key: Option<String>,
}

/// The key is never printed.
impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            rehearsal,
            host,
            port,
            tls,
            path,
            key,
        } = self;
        let key = key.as_ref().map(|_| "…");
        f.debug_struct("Target")
            .field("rehearsal", rehearsal)
            .field("host", host)
            .field("port", port)
            .field("tls", tls)
            .field("path", path)
            .field("key", &key)
            .finish()
    }
}

/// How backends are made: the one thing that the hub is given about them.
pub trait Backends: Send + Sync + 'static {
    /// The target that was given at the start and that no page can change.
    fn fixed(&self) -> Option<Target>;
    /// The backend at a target. It need not be reachable; only what cannot be an address is an error.
    fn connect(&self, target: &Target) -> BoxFuture<'_, Result<Arc<dyn Backend>, BackendError>>;
}

/// What the settings keep it under.
const SETTING: &str = "connection";

/// The fixed target, else the kept one, else the rehearsal.
pub(super) async fn first_target(
    journal: &Journal,
    backends: &impl Backends,
) -> Result<Target, HubError> {
    if let Some(fixed) = backends.fixed() {
        return Ok(fixed);
    }
    let rehearsal = Target {
        rehearsal: true,
        ..Target::default()
    };
    let Some(kept) = journal.setting(SETTING).await? else {
        return Ok(rehearsal);
    };
    Ok(serde_json::from_str(&kept).unwrap_or_else(|error| {
        tracing::warn!(%error, "the kept connection is not understood; the rehearsal is used");
        rehearsal
    }))
}

impl Hub {
    /// Where the backend is.
    pub async fn connection(&self) -> Result<ConnectionView, HubError> {
        let target = lock(&self.0.current).target.clone();
        Ok(ConnectionView {
            rehearsal: target.rehearsal,
            host: target.host,
            port: target.port,
            tls: target.tls,
            path: target.path,
            key_set: target.key.is_some(),
            fixed: self.0.backends.fixed().is_some(),
        })
    }

    /// Tries a connection without keeping it. An empty key means the stored one.
    pub async fn test_connection(
        &self,
        by: &Caller,
        host: &str,
        port: u16,
        tls: bool,
        path: &str,
        key: &str,
    ) -> Result<ConnectionReport, HubError> {
        let target = self.target(false, host, port, tls, path, key)?;
        let deed = Deed::new("test connection").detail(&format!("{host}:{port}"));
        let probe = async {
            Ok(match self.0.backends.connect(&target).await {
                Ok(backend) => backend.probe().await,
                Err(error) => Err(error),
            })
        };
        let probed = self.noted(by, deed, probe).await?;
        Ok(match probed {
            Ok(probe) => {
                let version = probe
                    .version
                    .map_or_else(String::new, |version| format!(" {version}"));
                let found = format!(
                    "Found {}{version}, which answered in {} ms.",
                    probe.product, probe.millis
                );
                ConnectionReport {
                    good: probe.lacking.is_none(),
                    text: probe
                        .lacking
                        .map_or(found.clone(), |lacking| format!("{found} {lacking}")),
                }
            }
            Err(error) => ConnectionReport {
                good: false,
                text: backend_for_people(&error).1,
            },
        })
    }

    /// Keeps a connection and uses it from now on. Those who follow a conversation take a fresh picture.
    #[expect(clippy::too_many_arguments, reason = "the fields of a form")]
    pub async fn save_connection(
        &self,
        by: &Caller,
        rehearsal: bool,
        host: &str,
        port: u16,
        tls: bool,
        path: &str,
        key: &str,
    ) -> Result<(), HubError> {
        if self.0.backends.fixed().is_some() {
            return Err(HubError::Fixed);
        }
        let target = self.target(rehearsal, host, port, tls, path, key)?;
        let detail = if rehearsal {
            "rehearsal".to_owned()
        } else {
            format!("{host}:{port}")
        };
        let deed = Deed::new("save connection").detail(&detail);
        self.noted(by, deed, self.use_target(target)).await
    }

    async fn use_target(&self, target: Target) -> Result<(), HubError> {
        let backend = self.0.backends.connect(&target).await?;
        let json = serde_json::to_string(&target).expect("a target is plain data");
        self.journal().keep_setting(SETTING, &json).await?;
        tracing::info!(
            backend = backend.label(),
            "another backend is used from now on"
        );
        *lock(&self.0.current) = Current { backend, target };
        self.close_rooms().await;
        self.remember_list().await?;
        self.poll_list().await;
        Ok(())
    }

    fn target(
        &self,
        rehearsal: bool,
        host: &str,
        port: u16,
        tls: bool,
        path: &str,
        key: &str,
    ) -> Result<Target, HubError> {
        if rehearsal {
            return Ok(Target {
                rehearsal,
                ..Target::default()
            });
        }
        let host = host.trim();
        if host.is_empty() || port == 0 {
            return Err(HubError::Invalid(
                "Give the name or address of the backend, and its port.".to_owned(),
            ));
        }
        let stored = lock(&self.0.current).target.clone();
        let key = match key.trim() {
            // A key that was given to one machine is not sent to another.
            "" => stored
                .key
                .filter(|_| stored.host == host && stored.port == port && stored.tls == tls),
            key => Some(key.to_owned()),
        };
        Ok(Target {
            rehearsal,
            host: host.to_owned(),
            port,
            tls,
            path: path.trim().to_owned(),
            key,
        })
    }
}
