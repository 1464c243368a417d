//! Actions without fields.

use serde::{Deserialize, Serialize};

/// Does nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NullAction {}

/// A tag that exists in the enumeration of 0.62 only: nothing is known of its fields.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BareAction {}
