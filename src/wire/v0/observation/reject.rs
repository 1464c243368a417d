//! A person said no.

use serde::{Deserialize, Serialize};

/// A person said no; `content` is upstream's sentence about it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UserRejectObservation {}
