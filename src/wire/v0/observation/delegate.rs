//! Results of delegated work.

use serde::Deserialize;
use serde_json::{Map, Value};

/// A delegate has finished. It has no `cause`: only the call's id in `tool_call_metadata` links it to its action.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct AgentDelegateObservation {
    /// Named results.
    pub outputs: Map<String, Value>,
}
