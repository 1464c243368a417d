//! A person rejected an action.

use serde::Deserialize;

/// A person rejected an action; `content` is upstream's sentence about it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct UserRejectObservation {}
