//! The backends in use, and the backend of each conversation.
//!
//! The journal and the list label a conversation with its backend. Only requests that need an absent backend fail.

use super::following::{self, Followed, Following};
use super::sweep::Sweep;
use super::{HubError, HubResult, lock};
use crate::backend::{Answer, Backend, BackendError, Protocol};
use crate::journal::Journal;
use crate::live::{BackendView, IMPORTED};
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::{Arc, Mutex};
use tokio::sync::watch;
use tokio::time::Instant;

/// Prefix of a backend's label; its address follows.
pub(super) const LABEL: &str = "OpenHands at ";

/// The settings key of the backends.
pub(super) const SETTING: &str = "backends";

/// Address and protocol of a backend.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Target {
    /// The embedded rehearsal; the rest is ignored then.
    pub rehearsal: bool,
    /// Its address, without a slash at the end.
    pub address: String,
    /// Its key.
    pub key: Option<String>,
    /// Its protocol, once known.
    pub protocol: Option<Protocol>,
}

impl Target {
    /// The embedded rehearsal.
    pub fn rehearsal() -> Self {
        Self {
            rehearsal: true,
            ..Self::default()
        }
    }

    /// The backend at an address.
    pub fn at(address: &str, key: Option<String>) -> Self {
        let address = address.trim().trim_end_matches('/').to_owned();
        Self {
            address,
            key: key.filter(|key| !key.is_empty()),
            ..Self::default()
        }
    }

    /// Its name in the journal.
    pub fn label(&self) -> String {
        match self.rehearsal {
            true => "Rehearsal".to_owned(),
            false => format!("{LABEL}{}", self.address),
        }
    }
}

/// The key is never printed.
impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.key.as_ref().map(|_| "…");
        f.debug_struct("Target")
            .field("label", &self.label())
            .field("key", &key)
            .field("protocol", &self.protocol)
            .finish()
    }
}

/// Creates backends; the hub knows no concrete one.
pub trait Backends: Send + Sync + 'static {
    /// The targets that were given at the start and that no page can change.
    fn fixed(&self) -> Vec<Target>;
    /// Connects to the backend at a target. If its protocol is unknown, it must be reachable.
    fn connect(&self, target: &Target) -> BoxFuture<'_, Answer<Arc<dyn Backend>>>;
}

/// One backend in use.
#[derive(Clone, Default)]
pub(super) struct Connected {
    pub(super) target: Target,
    /// `None` until its protocol is known.
    pub(super) backend: Option<Arc<dyn Backend>>,
    /// The error of its last request, as a sentence.
    pub(super) trouble: Option<String>,
    pub(super) failure: Option<BackendError>,
    pub(super) polled_at: Option<Instant>,
    /// Number of its conversations that cannot be listed.
    pub(super) left_out: usize,
    /// As [`BackendView::read_so_far`].
    pub(super) read_so_far: Option<usize>,
    /// Held while its list is read, so that it is polled once at a time.
    pub(super) polling: Arc<tokio::sync::Mutex<Sweep>>,
    /// Held while its settings are read and changed, so that each change starts from the result of the previous one.
    pub(super) changing: Arc<tokio::sync::Mutex<()>>,
    /// What is followed of it.
    pub(super) following: Arc<Mutex<Following>>,
}

impl Connected {
    pub(super) fn to(target: Target, followed: &Followed) -> Self {
        let following = Following::new(followed.get(&target.label()).copied());
        Self {
            target,
            following: Arc::new(Mutex::new(following)),
            ..Self::default()
        }
    }

    /// Stores the error of its last request, if any.
    pub(super) fn failed(&mut self, error: Option<HubError>) {
        self.trouble = error.as_ref().map(|error| error.for_people().1);
        self.failure = match error {
            Some(HubError::Backend(failure)) => Some(failure),
            _ => None,
        };
    }

    pub(super) fn view(&self) -> BackendView {
        let capabilities = self.backend.as_ref().map(|backend| backend.capabilities());
        let following = lock(&self.following);
        BackendView {
            label: self.target.label(),
            rehearsal: self.target.rehearsal,
            capabilities: capabilities.unwrap_or_default(),
            trouble: self.trouble.clone(),
            left_out: self.left_out,
            read_so_far: self.read_so_far,
            running: 0,
            in_part: !self.target.rehearsal && !following.is_on(),
            unfollowed: following.waiting(),
            imported: false,
        }
    }
}

/// The backends in use.
pub(super) struct BackendRegistry {
    journal: Journal,
    /// How backends are created.
    pub(super) make: Box<dyn Backends>,
    pub(super) connected: Mutex<Vec<Connected>>,
    /// Held while the set of backends is changed and stored.
    pub(super) changing: tokio::sync::Mutex<()>,
    /// Changes whenever a backend was asked for its list, whatever came of it.
    pub(super) polled: watch::Sender<()>,
}

impl BackendRegistry {
    /// The backends at these targets. A refused one is listed with the reason, and does not prevent the start.
    pub(super) async fn new(journal: Journal, make: impl Backends, targets: Vec<Target>) -> Self {
        let followed = following::stored(&journal).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "which backends are followed could not be read");
            Followed::default()
        });
        let to = |target| Connected::to(target, &followed);
        let mut connected: Vec<Connected> = targets.into_iter().map(to).collect();
        for one in &mut connected {
            if one.target.rehearsal || one.target.protocol.is_some() {
                match make.connect(&one.target).await {
                    Ok(backend) => one.backend = Some(backend),
                    Err(error) => one.failed(Some(error.into())),
                }
            }
        }
        Self {
            journal,
            make: Box::new(make),
            connected: Mutex::new(connected),
            changing: tokio::sync::Mutex::default(),
            polled: watch::Sender::default(),
        }
    }

    /// All of them, in the order of the settings.
    pub(super) fn connected(&self) -> Vec<Connected> {
        lock(&self.connected).clone()
    }

    /// The backend with this label; the first if it is empty.
    pub(super) fn connected_as(&self, label: &str) -> HubResult<Connected> {
        let connected = lock(&self.connected);
        let wanted = |one: &&Connected| label.is_empty() || one.target.label() == label;
        let found = connected.iter().find(wanted).cloned();
        found.ok_or(HubError::NotFound("backend"))
    }

    /// Updates the state of a backend, if it is still in use.
    pub(super) fn connected_is(&self, label: &str, change: impl FnOnce(&mut Connected)) {
        let mut connected = lock(&self.connected);
        if let Some(one) = connected.iter_mut().find(|one| one.target.label() == label) {
            change(one);
        }
    }

    /// The backend with this label, ready for requests; the first one if it is empty. Waits shortly after the start.
    pub(super) async fn backend(&self, label: &str) -> HubResult<Arc<dyn Backend>> {
        self.waited_for(self.connected_as(label)?).await
    }

    pub(super) async fn waited_for(&self, connected: Connected) -> HubResult<Arc<dyn Backend>> {
        if let Some(backend) = connected.backend {
            return Ok(backend);
        }
        if connected.polled_at.is_none() {
            return self.attach(&connected.target.label()).await;
        }
        let nothing_yet = || BackendError::Unreachable("it has not answered yet".to_owned());
        Err(connected.failure.unwrap_or_else(nothing_yet).into())
    }

    /// The backend with this label as pages show it; one that is not in use has no capabilities.
    pub(super) fn backend_view(&self, label: &str) -> BackendView {
        if label == IMPORTED {
            return BackendView {
                label: label.to_owned(),
                imported: true,
                ..BackendView::default()
            };
        }
        let gone = || BackendView {
            label: label.to_owned(),
            trouble: Some("This backend is no longer in use.".to_owned()),
            ..BackendView::default()
        };
        let connected = self.connected_as(label);
        connected.map_or_else(|_| gone(), |connected| connected.view())
    }

    /// Detects the protocol of a backend, if unknown.
    pub(super) async fn attach(&self, label: &str) -> HubResult<Arc<dyn Backend>> {
        let connected = self.connected_as(label)?;
        if let Some(backend) = connected.backend {
            return Ok(backend);
        }
        let backend = self.make.connect(&connected.target).await?;
        tracing::info!(backend = label, protocol = ?backend.protocol(), "a backend is in use");
        let known = Arc::clone(&backend);
        let _one_at_a_time = self.changing.lock().await;
        self.connected_is(label, |one| {
            one.target.protocol = Some(known.protocol());
            one.backend = Some(known);
        });
        self.keep_targets(&self.targets()).await?;
        Ok(backend)
    }

    /// The backend with this label, if its protocol is known.
    pub(super) fn backend_at_hand(&self, label: &str) -> Option<Arc<dyn Backend>> {
        self.connected_as(label).ok()?.backend
    }

    /// The backend with this label; as an answer of it, if there is none.
    pub(super) async fn backend_or_answer(&self, label: &str) -> Answer<Arc<dyn Backend>> {
        self.backend(label).await.map_err(|error| match error {
            HubError::Backend(error) => error,
            HubError::NotFound(what) => {
                BackendError::Unreachable(format!("the {what} was not found"))
            }
            error => BackendError::Unreachable(error.to_string()),
        })
    }

    pub(super) fn targets(&self) -> Vec<Target> {
        self.connected().into_iter().map(|one| one.target).collect()
    }

    /// Stores the backends, unless they were given on the command line.
    pub(super) async fn keep_targets(&self, targets: &[Target]) -> HubResult {
        if self.make.fixed().is_empty() {
            let json = serde_json::to_string(targets).expect("targets are plain data");
            self.journal.keep_setting(SETTING, &json).await?;
        }
        Ok(())
    }

    /// Waits until each backend was polled once, whatever the outcome.
    pub(super) async fn polled_once(&self) {
        let mut polled = self.polled.subscribe();
        let all = |(): &()| self.connected().iter().all(|one| one.polled_at.is_some());
        // The other end is part of the hub.
        let _ = polled.wait_for(all).await;
    }
}
