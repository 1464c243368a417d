//! A person rejected an action.

use serde::{Deserialize, Serialize};

/// A person rejected an action; `content` is upstream's sentence about it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UserRejectObservation {}
