//! Results of delegated work.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A delegate has finished. It has no `cause`: only the call's id in `tool_call_metadata` links it to its action.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentDelegateObservation {
    /// Named results.
    pub outputs: Map<String, Value>,
}
