//! Observations without fields.

use serde::{Deserialize, Serialize};

/// Has no content. Never sent on the socket, but part of the stored events.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NullObservation {}

/// A tag that exists only in the enumeration of 0.62: its fields are unknown.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BareObservation {}
