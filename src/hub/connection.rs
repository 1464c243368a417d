//! Adding, changing, removing and trying backends while everything runs.

use super::connected::{Connected, Target};
use super::{Backends, Hub, HubError, error::backend_for_people, lock};
use crate::journal::Journal;
use crate::live::{ConnectionReport, ConnectionView};
use crate::people::{Caller, Deed};
use serde::Deserialize;

/// What the settings keep the targets under.
const SETTING: &str = "backends";
/// What they kept the only one under when there was only one.
const OLD_SETTING: &str = "connection";

/// The fixed targets, else the kept ones, else the rehearsal.
pub(super) async fn first_targets(
    journal: &Journal,
    backends: &impl Backends,
) -> Result<Vec<Target>, HubError> {
    let mut targets = backends.fixed();
    if targets.is_empty()
        && let Some(kept) = journal.setting(SETTING).await?
    {
        targets = serde_json::from_str(&kept).unwrap_or_else(|error| {
            tracing::warn!(%error, "the kept backends are not understood; the rehearsal is used");
            Vec::new()
        });
    } else if targets.is_empty()
        && let Some(kept) = journal.setting(OLD_SETTING).await?
    {
        targets.extend(
            serde_json::from_str::<OldTarget>(&kept)
                .ok()
                .map(Target::from),
        );
    }
    if targets.is_empty() {
        targets.push(Target::rehearsal());
    }
    Ok(targets)
}

/// A target as it was kept when there was only one.
#[derive(Default, Deserialize)]
#[serde(default)]
struct OldTarget {
    rehearsal: bool,
    host: String,
    port: u16,
    tls: bool,
    path: String,
    key: Option<String>,
}

impl From<OldTarget> for Target {
    fn from(old: OldTarget) -> Self {
        if old.rehearsal {
            return Self::rehearsal();
        }
        let scheme = if old.tls { "https" } else { "http" };
        let host = if old.host.contains(':') {
            format!("[{}]", old.host)
        } else {
            old.host
        };
        let path = old.path.trim_matches('/');
        Self::at(&format!("{scheme}://{host}:{}/{path}", old.port), old.key)
    }
}

impl Hub {
    /// Where the backends are.
    pub async fn connections(&self) -> Result<Vec<ConnectionView>, HubError> {
        let fixed = !self.0.backends.fixed().is_empty();
        let view = |one: Connected| ConnectionView {
            label: one.target.label(),
            rehearsal: one.target.rehearsal,
            key_set: one.target.key.is_some(),
            protocol: one.target.protocol,
            trouble: one.trouble,
            address: one.target.address,
            fixed,
        };
        Ok(self.connected().into_iter().map(view).collect())
    }

    /// Tries an address without keeping it. An empty key means the stored one of the backend there.
    pub async fn test_connection(
        &self,
        by: &Caller,
        address: &str,
        key: &str,
    ) -> Result<ConnectionReport, HubError> {
        let target = self.target(address, key)?;
        let deed = Deed::new("test connection").detail(&target.address);
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

    /// Adds a backend, or puts it in the place of the one with the label `instead`. One that is added to the
    /// rehearsal alone takes its place: nobody wants both who has not asked for both.
    pub async fn save_connection(
        &self,
        by: &Caller,
        instead: &str,
        rehearsal: bool,
        address: &str,
        key: &str,
    ) -> Result<(), HubError> {
        self.may_change()?;
        let target = if rehearsal {
            Target::rehearsal()
        } else {
            self.target(address, key)?
        };
        let deed = Deed::new("save connection").detail(&target.label());
        self.noted(by, deed, async {
            let mut targets = self.targets();
            targets.retain(|known| known.label() != target.label());
            let alone = matches!(&targets[..], [only] if only.rehearsal);
            let replaced = targets.iter().position(|known| known.label() == instead);
            match replaced.or(alone.then_some(0)) {
                Some(place) => targets[place] = target,
                None => targets.push(target),
            }
            self.use_targets(targets).await
        })
        .await
    }

    /// Lets go of a backend. What was read of its conversations stays in the journal; without any backend the
    /// rehearsal is used.
    pub async fn remove_connection(&self, by: &Caller, label: &str) -> Result<(), HubError> {
        self.may_change()?;
        let mut targets = self.targets();
        let before = targets.len();
        targets.retain(|known| known.label() != label);
        if targets.len() == before {
            return Err(HubError::NotFound("backend"));
        }
        if targets.is_empty() {
            targets.push(Target::rehearsal());
        }
        let deed = Deed::new("remove connection").detail(label);
        self.noted(by, deed, self.use_targets(targets)).await
    }

    fn may_change(&self) -> Result<(), HubError> {
        if self.0.backends.fixed().is_empty() {
            Ok(())
        } else {
            Err(HubError::Fixed)
        }
    }

    fn targets(&self) -> Vec<Target> {
        self.connected().into_iter().map(|one| one.target).collect()
    }

    async fn use_targets(&self, targets: Vec<Target>) -> Result<(), HubError> {
        let known = self.connected();
        // Only what cannot be an address at all is refused; one that is away may come.
        let mut connected = Vec::new();
        for target in targets {
            let same = known.iter().find(|one| one.target == target).cloned();
            connected.push(same.unwrap_or_else(|| Connected::to(target)));
        }
        let fresh: Vec<String> = connected
            .iter()
            .filter(|one| one.backend.is_none())
            .map(|one| one.target.label())
            .collect();
        *lock(&self.0.connected) = connected;
        self.keep_targets().await?;
        self.close_rooms().await;
        self.remember_list().await?;
        for label in fresh {
            self.poll_list(&label).await;
        }
        Ok(())
    }

    /// Keeps what is in use, unless it was given on the command line.
    pub(super) async fn keep_targets(&self) -> Result<(), HubError> {
        if self.0.backends.fixed().is_empty() {
            let json = serde_json::to_string(&self.targets()).expect("targets are plain data");
            self.journal().keep_setting(SETTING, &json).await?;
        }
        Ok(())
    }

    fn target(&self, address: &str, key: &str) -> Result<Target, HubError> {
        let mut target = Target::at(address, Some(key.trim().to_owned()));
        if !target.address.starts_with("http://") && !target.address.starts_with("https://") {
            return Err(HubError::Invalid(
                "Give the address of the backend, for example http://127.0.0.1:3000.".to_owned(),
            ));
        }
        if target.key.is_none() {
            // A key that was given to one machine is not sent to another.
            let connected = self.connected_as(&target.label());
            target.key = connected.and_then(|one| one.target.key);
        }
        Ok(target)
    }
}
