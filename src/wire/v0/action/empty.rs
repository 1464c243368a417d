//! Actions without fields.

use serde::{Deserialize, Serialize};

/// Does nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NullAction {}

/// A tag that exists only in the enumeration of 0.62: its fields are unknown.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BareAction {}
