//! Audited actions: entries are stored before a request leaves for the backend (else it does not) and with its outcome.
//!
//! Entries are permanent and all watchers learn of a change: each user has 120 actions at once, then two a second.

use super::{HubError, HubResult};
use crate::backend::for_order;
use crate::journal::Journal;
use crate::people::{Audit, AuditAction, Caller, Credential};
use crate::sync::Bursts;
use std::future::Future;
use std::time::Duration;

/// Burst size per user.
const AT_ONCE: u32 = 120;
/// Interval at which one more action is allowed.
const EACH: Duration = Duration::from_millis(500);

/// The audit log, and the rate limit of each user.
pub(super) struct AuditTrail {
    journal: Journal,
    bursts: Bursts<i64>,
}

impl AuditTrail {
    pub(super) fn new(journal: Journal) -> Self {
        Self {
            journal,
            bursts: Bursts::new(AT_ONCE, EACH),
        }
    }

    /// Stores an audit entry, runs the action, and stores an entry with its outcome.
    pub(super) async fn record<T>(
        &self,
        by: &Caller,
        action: AuditAction,
        work: impl Future<Output = HubResult<T>>,
    ) -> HubResult<T> {
        self.record_made(by, action, |_| None, work).await
    }

    /// The same for an action that creates a conversation: `made` has its id, which the entry with the outcome gets.
    pub(super) async fn record_made<T>(
        &self,
        by: &Caller,
        action: AuditAction,
        made: impl Fn(&T) -> Option<&str>,
        work: impl Future<Output = HubResult<T>>,
    ) -> HubResult<T> {
        let is_limited = by.credential != Credential::Machine;
        if is_limited && self.bursts.take(by.person).is_err() {
            return Err(HubError::TooMuch);
        }
        let audit = Audit::of(&self.journal);
        let mut entry = audit.begin(by, action).await?;
        let outcome = for_order(work).await;
        if let Some(id) = outcome.as_ref().ok().and_then(made) {
            entry.made(id);
        }
        audit.end(entry, &outcome).await;
        outcome
    }
}
