//! The backend for OpenHands 0.x: Socket.IO for live events and commands, REST for everything else.
//!
//! This module never starts a conversation by reading it, never sends a command twice, and trusts no response.
//!
//! Known defects of 0.62 that pages should mention: an upload is decoded as UTF-8 and gets a line break appended, which
//! corrupts binary files; edits and reads are executed before their approval (`Capabilities::holds_edits`); a running
//! command blocks the file and Git routes; starting a fourth conversation stops the oldest.

mod arrivals;
mod dto;
mod events;
mod orders;
mod probe;
mod pump;
mod refusal;
mod routes;
mod settings;
mod socket;
mod stored;
mod supervisor;
mod workspace;

#[cfg(test)]
pub(super) mod tests;

pub(super) use probe::has_socket;

use super::http::{Connection, Rest};
use super::timing::Timing;
use super::{Answer, Archive, Backend, Capabilities, Eviction, Probe, Protocol};
use async_trait::async_trait;
use std::{sync::Arc, time::Duration};

/// A backend of the OpenHands 0.x protocol.
pub struct OpenHands {
    rest: Arc<Rest>,
    timing: Timing,
    /// Serializes changes of the settings: each one reads them, overwrites its fields, and writes everything.
    saving: tokio::sync::Mutex<()>,
}

impl OpenHands {
    /// Creates the backend without connecting. Errors: an address that is invalid or blocked, or a key that is invalid.
    pub fn new(connection: Connection) -> Answer<Self> {
        Ok(Self {
            rest: Rest::new(connection)?,
            timing: Timing::polling_every(Duration::from_secs(3)),
            saving: tokio::sync::Mutex::default(),
        })
    }

    /// Overrides the timeouts and intervals, so that tests run quickly.
    #[cfg(test)]
    fn with_timing(self, timing: Timing) -> Self {
        Self { timing, ..self }
    }
}

#[async_trait]
impl Backend for OpenHands {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            files: true,
            repositories: true,
            evicts_oldest: Some(Eviction::Stops),
            runtimes: true,
            commit_settings: true,
            budget: true,
            archive: Some(Archive::Zip),
            ..Capabilities::default()
        }
    }

    fn protocol(&self) -> Protocol {
        Protocol::SocketIo
    }

    async fn probe(&self) -> Answer<Probe> {
        probe::probe(&self.rest).await
    }
}
