//! Which approvals need a touch of a passkey: the setting in memory, for what pages show.
//!
//! What counts is decided with what the journal has, in the transaction that stores an answer (`authorities.rs`).

use super::parts::approval::rating;
use super::{HubResult, lock};
use crate::journal::{Journal, TOUCHES};
use crate::people::{Rating, Touches};
use crate::rules::Reading;
use std::sync::{Arc, Mutex};

/// The setting in memory.
pub(super) struct KnownTouches {
    known: Mutex<Arc<Touches>>,
}

impl KnownTouches {
    /// Reads it.
    pub(super) async fn load(journal: &Journal) -> HubResult<Self> {
        let stored = journal.setting(TOUCHES).await?.unwrap_or_default();
        Ok(Self {
            known: Mutex::new(Arc::new(Touches::read(&stored))),
        })
    }

    /// The setting as it is now.
    pub(super) fn now(&self) -> Arc<Touches> {
        Arc::clone(&lock(&self.known))
    }

    /// Takes over what was stored.
    pub(super) fn set(&self, touches: Touches) {
        *lock(&self.known) = Arc::new(touches);
    }

    /// Whether approving what was read needs a touch, in a conversation about `repository`.
    pub(super) fn needed(&self, reading: &Reading, repository: Option<&str>) -> bool {
        self.now().needs(rating(reading), repository)
    }
}

/// Whether approving needs a touch, by the facts of the transaction that stores the answer. A setting that cannot be read
/// asks for one.
pub(super) fn needs(touches: &str, rating: Rating, repository: Option<&str>) -> bool {
    Touches::read(touches).needs(rating, repository)
}
