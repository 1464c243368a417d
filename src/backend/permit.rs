//! Whether this process may still change backends.

use super::{Answer, BackendError};
use crate::journal::Lease;
use std::sync::Arc;
use std::time::Duration;

/// What people are told of a command that is not sent.
const NOT_CONFIRMED: &str =
    "Handrail could not make sure in its database that it is still the one that serves";

/// The permission to change backends: that of the lease if several nodes could serve, and without end otherwise.
#[derive(Debug, Clone, Default)]
pub struct Permit(Option<Arc<Lease>>);

impl Permit {
    /// The permission that a lease gives.
    pub fn of(lease: Option<Arc<Lease>>) -> Self {
        Self(lease)
    }

    /// For how much longer a backend may be changed.
    pub fn remaining(&self) -> Duration {
        self.0
            .as_ref()
            .map_or(Duration::MAX, |lease| lease.remaining())
    }

    /// To be asked right before each request that changes a backend. Waits while the database does not answer.
    ///
    /// # Errors
    /// [`BackendError::Held`]: the request must not be sent.
    pub async fn check(&self) -> Answer<()> {
        match &self.0 {
            Some(lease) if !lease.is_confirmed().await => {
                Err(BackendError::Held(NOT_CONFIRMED.to_owned()))
            }
            _ => Ok(()),
        }
    }
}
