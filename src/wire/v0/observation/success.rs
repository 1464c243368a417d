//! An operation succeeded.

use serde::{Deserialize, Serialize};

/// An operation succeeded; the message is in `content`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SuccessObservation {}
