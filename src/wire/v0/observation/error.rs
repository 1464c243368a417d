//! Errors.

use serde::{Deserialize, Serialize};

/// An error; the message is in `content`. Without a `cause` the model requested something that does
/// not exist, and there is no action either.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ErrorObservation {
    /// `AGENT_ERROR$...`, or empty.
    pub error_id: String,
}
