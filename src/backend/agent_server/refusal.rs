//! Why an order was not carried out, and whether anybody knows that.

use crate::backend::{BackendError, Delivery};

/// Why an order was not carried out.
#[derive(Debug)]
pub(super) enum Refusal {
    /// Something waits for an answer, of which we are about to hear.
    NotNow,
    /// For good, and why.
    Not(String),
    /// The backend did not do it.
    Backend(BackendError),
}

impl From<BackendError> for Refusal {
    fn from(error: BackendError) -> Self {
        Self::Backend(error)
    }
}

/// What became of an order that failed.
pub(super) fn delivery(error: BackendError) -> Delivery {
    match error {
        BackendError::Unreachable(_) => Delivery::NotYet(error.to_string()),
        BackendError::CutOff(_) | BackendError::Timeout(_) | BackendError::Unexpected(_) => {
            Delivery::Unknown(error.to_string())
        }
        error => Delivery::NotSent(error.to_string()),
    }
}
