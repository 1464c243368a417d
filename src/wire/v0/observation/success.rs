//! An operation succeeded.

use serde::Deserialize;

/// An operation succeeded; the message is in `content`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct SuccessObservation {}
