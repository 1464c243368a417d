//! Commands and cells: the two kinds that have a confirmation state.

use crate::wire::v0::{ActionConfirmationStatus, ActionSecurityRisk};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Runs a command in the shell.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CmdRunAction {
    /// The command. Empty with `is_input`: waits for more output of the running one.
    pub command: String,
    /// The text is input for the running command.
    pub is_input: bool,
    /// The agent's thought.
    pub thought: String,
    /// Waits without the ten-second limit on silence.
    pub blocking: bool,
    /// Its output is hidden from the user.
    pub hidden: bool,
    /// Confirmation state. `confirmed` also when no approval was needed.
    #[serde(skip_serializing_if = "is_unset")]
    pub confirmation_state: ActionConfirmationStatus,
    /// Risk rating.
    pub security_risk: ActionSecurityRisk,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Runs a cell of Python.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct IPythonRunCellAction {
    /// The code.
    pub code: String,
    /// The agent's thought.
    pub thought: String,
    /// Confirmation state. `confirmed` also when no approval was needed.
    #[serde(skip_serializing_if = "is_unset")]
    pub confirmation_state: ActionConfirmationStatus,
    /// Risk rating.
    pub security_risk: ActionSecurityRisk,
    /// Code to run when the kernel restarts.
    pub kernel_init_code: String,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// The server has its own default, and refuses an empty value.
fn is_unset(state: &ActionConfirmationStatus) -> bool {
    state.as_str().is_empty()
}
