//! Commands and cells: the two kinds that say whether a person was asked.

use crate::wire::v0::{ActionConfirmationStatus, ActionSecurityRisk};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Runs a command in the shell.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CmdRunAction {
    /// The command. Empty with `is_input`: waits for more of the running one.
    pub command: String,
    /// It is typed into the command that already runs.
    pub is_input: bool,
    /// What was thought beside it.
    pub thought: String,
    /// Waits without the limit of ten quiet seconds.
    pub blocking: bool,
    /// Its output is not shown to a person.
    pub hidden: bool,
    /// Whether a person has decided. `confirmed` also when nobody was asked.
    #[serde(skip_serializing_if = "is_unsaid")]
    pub confirmation_state: ActionConfirmationStatus,
    /// How dangerous it was judged.
    pub security_risk: ActionSecurityRisk,
    /// What else stands in the arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Runs a cell of Python.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct IPythonRunCellAction {
    /// The code.
    pub code: String,
    /// What was thought beside it.
    pub thought: String,
    /// Whether a person has decided. `confirmed` also when nobody was asked.
    #[serde(skip_serializing_if = "is_unsaid")]
    pub confirmation_state: ActionConfirmationStatus,
    /// How dangerous it was judged.
    pub security_risk: ActionSecurityRisk,
    /// Code that is run when the kernel starts anew.
    pub kernel_init_code: String,
    /// What else stands in the arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// The server has its own default, and refuses an empty word.
fn is_unsaid(state: &ActionConfirmationStatus) -> bool {
    state.as_str().is_empty()
}
