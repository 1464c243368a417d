//! The backends that are in use: which there are, and on which of them a conversation lives.
//!
//! A conversation carries the label of its backend wherever it goes: in the journal, in the list. A backend that
//! does not answer, or has never answered, is in the list like the others; only what it has to be asked for fails.

use super::{Hub, HubError, lock};
use crate::backend::{Backend, BackendError, Capabilities, Protocol};
use crate::live::BackendView;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use tokio::time::Instant;

/// Where a backend is.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Target {
    /// The embedded rehearsal; the rest is ignored then.
    pub rehearsal: bool,
    /// Its address, without a slash at the end.
    pub address: String,
    /// Its key.
    pub key: Option<String>,
    /// What it speaks, once that is known.
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

    /// What it is called, and what the journal knows it by.
    pub fn label(&self) -> String {
        if self.rehearsal {
            "Rehearsal".to_owned()
        } else {
            format!("OpenHands at {}", self.address)
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

/// How backends are made: the one thing that the hub is given about them.
pub trait Backends: Send + Sync + 'static {
    /// The targets that were given at the start and that no page can change.
    fn fixed(&self) -> Vec<Target>;
    /// The backend at a target. One whose protocol is known need not be reachable; else it is asked what it is.
    fn connect(&self, target: &Target) -> BoxFuture<'_, Result<Arc<dyn Backend>, BackendError>>;
}

/// One backend in use.
#[derive(Clone)]
pub(super) struct Connected {
    pub(super) target: Target,
    /// `None` until it has said what it is.
    pub(super) backend: Option<Arc<dyn Backend>>,
    /// What was wrong with it the last time it was asked, in a sentence.
    pub(super) trouble: Option<String>,
    /// The same for us.
    pub(super) failure: Option<BackendError>,
    pub(super) polled_at: Option<Instant>,
    /// Held while it is asked for its list, so that it is asked once.
    pub(super) polling: Arc<tokio::sync::Mutex<()>>,
}

impl Connected {
    pub(super) fn to(target: Target) -> Self {
        Self {
            target,
            backend: None,
            trouble: None,
            failure: None,
            polled_at: None,
            polling: Arc::default(),
        }
    }

    pub(super) fn view(&self) -> BackendView {
        BackendView {
            label: self.target.label(),
            rehearsal: self.target.rehearsal,
            capabilities: self
                .backend
                .as_ref()
                .map_or(Capabilities::default(), |backend| backend.capabilities()),
            trouble: self.trouble.clone(),
        }
    }

    fn asked(&self) -> Result<Arc<dyn Backend>, BackendError> {
        let why = || {
            let nothing_yet = || BackendError::Unreachable("it has not answered yet".to_owned());
            self.failure.clone().unwrap_or_else(nothing_yet)
        };
        self.backend.clone().ok_or_else(why)
    }
}

impl Hub {
    /// All of them, in the order of the settings.
    pub(super) fn connected(&self) -> Vec<Connected> {
        lock(&self.0.connected).clone()
    }

    /// The backend with this label; the first if it is empty.
    pub(super) fn connected_as(&self, label: &str) -> Option<Connected> {
        let connected = lock(&self.0.connected);
        let wanted = |one: &&Connected| label.is_empty() || one.target.label() == label;
        connected.iter().find(wanted).cloned()
    }

    /// Changes what is known of a backend, if it is still in use.
    pub(super) fn connected_is(&self, label: &str, change: impl FnOnce(&mut Connected)) {
        let mut connected = lock(&self.0.connected);
        if let Some(one) = connected.iter_mut().find(|one| one.target.label() == label) {
            change(one);
        }
    }

    /// The backend with this label, to ask it something; the first if it is empty. Right after the start it is waited for.
    pub(super) async fn backend(&self, label: &str) -> Result<Arc<dyn Backend>, HubError> {
        let connected = self
            .connected_as(label)
            .ok_or(HubError::NotFound("backend"))?;
        self.waited_for(connected).await
    }

    async fn waited_for(&self, connected: Connected) -> Result<Arc<dyn Backend>, HubError> {
        match connected.asked() {
            Err(_) if connected.polled_at.is_none() => self.attach(&connected.target.label()).await,
            asked => Ok(asked?),
        }
    }

    /// The backend with this label, if it has answered.
    pub(super) fn backend_at_hand(&self, label: &str) -> Result<Arc<dyn Backend>, HubError> {
        let connected = self
            .connected_as(label)
            .ok_or(HubError::NotFound("backend"))?;
        Ok(connected.asked()?)
    }

    /// The label of the backend that a conversation lives on.
    pub(super) async fn label_of(&self, id: &str) -> Result<String, HubError> {
        let listed = lock(&self.0.list.summaries)
            .get(id)
            .map(|one| one.backend.clone());
        if let Some(label) = listed {
            return Ok(label);
        }
        let known = self.journal().conversation(id).await?;
        known
            .map(|known| known.described.backend)
            .ok_or(HubError::NotFound("conversation"))
    }

    /// The backend that a conversation lives on.
    pub(super) async fn backend_of(&self, id: &str) -> Result<Arc<dyn Backend>, HubError> {
        let label = self.label_of(id).await?;
        match self.connected_as(&label) {
            Some(connected) => self.waited_for(connected).await,
            None => Err(HubError::Elsewhere(label)),
        }
    }

    /// The backend with this label as pages know it; one that is not in use any more can do nothing.
    pub(super) fn backend_view(&self, label: &str) -> BackendView {
        let gone = || BackendView {
            label: label.to_owned(),
            trouble: Some("It is not among the backends any more.".to_owned()),
            ..BackendView::default()
        };
        self.connected_as(label)
            .map_or_else(gone, |connected| connected.view())
    }

    /// Finds out what a backend is, if that is not known yet.
    pub(super) async fn attach(&self, label: &str) -> Result<Arc<dyn Backend>, HubError> {
        let connected = self
            .connected_as(label)
            .ok_or(HubError::NotFound("backend"))?;
        if let Some(backend) = connected.backend {
            return Ok(backend);
        }
        let backend = self.0.backends.connect(&connected.target).await?;
        tracing::info!(backend = label, protocol = ?backend.protocol(), "a backend is in use");
        let known = Arc::clone(&backend);
        self.connected_is(label, |one| {
            one.target.protocol = Some(known.protocol());
            one.backend = Some(known);
        });
        self.keep_targets().await?;
        Ok(backend)
    }
}
