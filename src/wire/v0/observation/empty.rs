//! Observations without fields.

use serde::{Deserialize, Serialize};

/// Says nothing. Never on the socket, but in the stored events.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NullObservation {}

/// A tag that exists in the enumeration of 0.62 only: nothing is known of its fields.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BareObservation {}
