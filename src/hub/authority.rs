//! Who may approve what: the setting as owners change it.

use super::authorities::Authorities;
use super::message::ActorMessage;
use super::{Actors, AuditTrail, HubResult};
use crate::journal::{AUTHORITY, Journal};
use crate::people::{AuditAction, Authority, Caller};
use std::sync::Arc;

/// The setting as owners change it.
pub struct ApprovalAuthority {
    pub(super) journal: Journal,
    pub(super) audit: Arc<AuditTrail>,
    pub(super) actors: Arc<Actors>,
    pub(super) known: Arc<Authorities>,
}

impl ApprovalAuthority {
    /// Who may approve what.
    pub fn read(&self) -> Authority {
        self.known.now()
    }

    /// Changes it. What is pending follows at once; a first approval that no longer suffices waits for a second one.
    pub async fn save(&self, by: &Caller, authority: Authority) -> HubResult {
        let stored = serde_json::to_string(&authority).expect("plain data");
        let action = AuditAction::new("save authority").detail(&stored);
        let save = async {
            self.journal.keep_setting(AUTHORITY, &stored).await?;
            self.known.set(authority);
            self.actors.tell_all(|| ActorMessage::Refresh).await;
            Ok(())
        };
        self.audit.record(by, action, save).await
    }
}
