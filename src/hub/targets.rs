//! Adding, changing, removing and testing backends at run time.

use super::backends::{LABEL, SETTING};
use super::following;
use super::handle::ConversationHandle;
use super::{
    Backends, Connected, Connections, HubError, HubResult, Target, error::backend_for_people,
    invalid, lock,
};
use crate::backend::{Answer, BackendError, Connection};
use crate::journal::Journal;
use crate::live::{ConnectionReport, ConnectionView};
use crate::people::{AuditAction, Caller};
use serde::Deserialize;

/// The settings key of former versions, which had only one backend.
const OLD_SETTING: &str = "connection";

/// The fixed targets, else the kept ones, else the rehearsal.
pub(super) async fn first_targets(
    journal: &Journal,
    backends: &impl Backends,
) -> HubResult<Vec<Target>> {
    let mut targets = backends.fixed();
    if targets.is_empty()
        && let Some(kept) = journal.setting(SETTING).await?
    {
        targets = serde_json::from_str(&kept).unwrap_or_else(|error| {
            tracing::warn!(%error, "the stored backends cannot be parsed; the rehearsal is used");
            Vec::new()
        });
    } else if targets.is_empty()
        && let Some(kept) = journal.setting(OLD_SETTING).await?
    {
        let old = serde_json::from_str::<OldTarget>(&kept).ok();
        targets.extend(old.map(Target::from));
    }
    without_secrets(journal, &mut targets).await?;
    if targets.is_empty() {
        targets.push(Target::rehearsal());
    }
    Ok(targets)
}

/// Removes possible secrets: former versions stored addresses with passwords, and all users see labels.
async fn without_secrets(journal: &Journal, targets: &mut Vec<Target>) -> HubResult {
    let before = targets.clone();
    targets.retain_mut(|target| {
        let harmless = match target.rehearsal {
            true => Some(String::new()),
            false => Connection::without_secrets(&target.address),
        };
        let Some(harmless) = harmless else {
            tracing::warn!("a kept backend is left out: its address is not understood");
            return false;
        };
        target.address = harmless;
        true
    });
    for label in journal.backend_labels().await? {
        let Some(address) = label.strip_prefix(LABEL) else {
            continue;
        };
        let harmless = Connection::without_secrets(address).unwrap_or_default();
        if harmless != address {
            let harmless = Target::at(&harmless, None).label();
            journal.relabel_backend(&label, &harmless).await?;
        }
    }
    if *targets != before {
        tracing::warn!(
            "user name, password or query were taken out of the address of a kept backend; they may still be in the \
             audit, so change them there. The backend's key goes into the key field of the settings"
        );
        let json = serde_json::to_string(targets).expect("targets are plain data");
        journal.keep_setting(SETTING, &json).await?;
    }
    Ok(())
}

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
        let host = match old.host.contains(':') {
            true => format!("[{}]", old.host),
            false => old.host,
        };
        let path = old.path.trim_matches('/');
        Self::at(&format!("{scheme}://{host}:{}/{path}", old.port), old.key)
    }
}

/// The result of a connection test as text, and what is `missing`.
pub(super) fn report(found: Answer<String>, missing: Option<String>) -> ConnectionReport {
    ConnectionReport {
        good: found.is_ok(),
        text: found.unwrap_or_else(|error| backend_for_people(&error).1),
        missing,
    }
}

impl Connections {
    /// Where the backends are.
    pub async fn views(&self) -> HubResult<Vec<ConnectionView>> {
        self.poll_what_failed().await;
        let fixed = !self.backends.make.fixed().is_empty();
        let view = |one: Connected| ConnectionView {
            label: one.target.label(),
            rehearsal: one.target.rehearsal,
            key_set: one.target.key.is_some(),
            protocol: one.target.protocol,
            trouble: one.trouble,
            everything: lock(&one.following).is_on(),
            address: one.target.address,
            fixed,
        };
        Ok(self.backends.connected().into_iter().map(view).collect())
    }

    /// Tries an address without keeping it. An empty key means the stored one of the backend there.
    ///
    /// Errors: [`HubError::Invalid`] or [`HubError::Backend`] for an address that is invalid or blocked.
    pub async fn test(&self, by: &Caller, address: &str, key: &str) -> HubResult<ConnectionReport> {
        let target = self.target(address, key)?;
        let action = AuditAction::new("test connection").detail(&target.address);
        let probe = async {
            Ok(match self.backends.make.connect(&target).await {
                Ok(backend) => backend.probe().await,
                Err(error) => Err(error),
            })
        };
        let probed = self.audit.record(by, action, probe).await?;
        Ok(match probed {
            Ok(probe) => {
                let version = probe.version.map(|version| format!(" {version}"));
                let (version, millis) = (version.unwrap_or_default(), probe.millis);
                let product = probe.product;
                let found = format!("Found {product}{version}. It answered in {millis} ms.");
                report(Ok(found), probe.lacking)
            }
            // A server that responds like this is a backend.
            Err(error @ BackendError::NotSetUp(_)) => {
                let missing = backend_for_people(&error).1;
                report(Ok("OpenHands answered.".to_owned()), Some(missing))
            }
            Err(error) => report(Err(error), None),
        })
    }

    /// Adds a backend, or replaces the one with the label `instead`. The first backend replaces the rehearsal.
    ///
    /// Errors: [`HubError::Fixed`] if `--backend` sets the backends; otherwise as [`Self::test`].
    pub async fn save(
        &self,
        by: &Caller,
        instead: &str,
        rehearsal: bool,
        address: &str,
        key: &str,
    ) -> HubResult {
        self.may_change()?;
        let target = match rehearsal {
            true => Target::rehearsal(),
            false => self.target(address, key)?,
        };
        let is_so = |known: &Target| {
            let label = target.label();
            let in_its_place = instead.is_empty() || instead == label;
            in_its_place && (known.label(), &known.key) == (label, &target.key)
        };
        if self.backends.targets().iter().any(is_so) {
            return Ok(());
        }
        let action = AuditAction::new("save connection").detail(&target.label());
        let change = |targets: &mut Vec<Target>| {
            targets.retain(|known| known.label() != target.label());
            let alone = matches!(&targets[..], [only] if only.rehearsal);
            let replaced = targets.iter().position(|known| known.label() == instead);
            match replaced.or(alone.then_some(0)) {
                Some(place) => targets[place] = target,
                None => targets.push(target),
            }
            Ok(())
        };
        self.audit
            .record(by, action, self.change_targets(change))
            .await
    }

    /// Removes a backend. The journal keeps its conversations; without any backend the rehearsal is used.
    ///
    /// Errors: [`HubError::Fixed`] if `--backend` sets the backends.
    pub async fn remove(&self, by: &Caller, label: &str) -> HubResult {
        self.may_change()?;
        let change = |targets: &mut Vec<Target>| {
            let before = targets.len();
            targets.retain(|known| known.label() != label);
            if targets.len() == before {
                return Err(HubError::NotFound("backend"));
            }
            if targets.is_empty() {
                targets.push(Target::rehearsal());
            }
            Ok(())
        };
        let action = AuditAction::new("remove connection").detail(label);
        self.audit
            .record(by, action, self.change_targets(change))
            .await
    }

    fn may_change(&self) -> HubResult {
        match self.backends.make.fixed().is_empty() {
            true => Ok(()),
            false => Err(HubError::Fixed),
        }
    }

    /// Changes the set of backends, one change at a time, and applies it.
    async fn change_targets(&self, edit: impl FnOnce(&mut Vec<Target>) -> HubResult) -> HubResult {
        let one_at_a_time = self.backends.changing.lock().await;
        let mut targets = self.backends.targets();
        edit(&mut targets)?;
        // What could not be kept is not used either.
        self.backends.keep_targets(&targets).await?;
        let known = self.backends.connected();
        let mut followed = following::stored(&self.catalogue.journal).await?;
        let before = followed.len();
        followed.retain(|label, _| targets.iter().any(|target| target.label() == *label));
        if followed.len() < before {
            following::store(&self.catalogue.journal, &followed).await?;
        }
        // Only invalid addresses are refused; an unreachable backend may come up later.
        let connect = |target: Target| {
            let same = known.iter().find(|one| one.target == target).cloned();
            same.unwrap_or_else(|| Connected::to(target, &followed))
        };
        let connected: Vec<Connected> = targets.into_iter().map(connect).collect();
        let fresh = connected.iter().filter(|one| one.backend.is_none());
        let fresh: Vec<String> = fresh.map(|one| one.target.label()).collect();
        let is_in =
            |all: &[Connected], one: &Connected| all.iter().any(|other| other.target == one.target);
        let gone = known.iter().filter(|one| !is_in(&connected, one));
        let new = connected.iter().filter(|one| !is_in(&known, one));
        let changed: Vec<String> = gone.chain(new).map(|one| one.target.label()).collect();
        *lock(&self.backends.connected) = connected;
        drop(one_at_a_time);
        // Two tasks of one conversation would not know of each other. Those of the other backends go on.
        let is_meant = |handle: &ConversationHandle| changed.contains(&handle.backend);
        for handle in self.actors.close(is_meant).await {
            handle.inputs.closed().await;
        }
        self.remember_list().await?;
        for label in fresh {
            self.poll_list(&label).await;
        }
        Ok(())
    }

    fn target(&self, address: &str, key: &str) -> HubResult<Target> {
        let mut target = Target::at(address, Some(key.trim().to_owned()));
        if !target.address.starts_with("http://") && !target.address.starts_with("https://") {
            return invalid("Enter the address of the backend, for example http://127.0.0.1:8000.");
        }
        // Checked before it is stored: stored addresses are visible to all users, and stay in the audit log.
        Connection::at(&target.address, None)?;
        if target.key.is_none() {
            // A key that was given to one machine is not sent to another.
            let connected = self.backends.connected_as(&target.label()).ok();
            target.key = connected.and_then(|one| one.target.key);
        }
        Ok(target)
    }
}
