//! The terminal.

use serde::Deserialize;
use serde_json::{Map, Value};

/// A command, or input for the one that runs.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct TerminalAction {
    /// The command. Empty with `is_input`: waits for more of the running one.
    pub command: String,
    /// It is typed into the command that already runs.
    pub is_input: bool,
    /// Seconds until it is left to itself.
    pub timeout: Option<f64>,
    /// The terminal is begun anew.
    pub reset: bool,
    /// What else stands in the arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Output of a command: once, at its end, with colours already gone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct TerminalObservation {
    /// The command.
    pub command: Option<String>,
    /// Exit code; -1 while it is still running after `timeout`.
    pub exit_code: Option<i64>,
    /// It was left to itself.
    pub timeout: bool,
    /// How it ended and where.
    pub metadata: CmdOutputMetadata,
}

/// How a command ended and where.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct CmdOutputMetadata {
    /// Exit code; -1 when there is none.
    pub exit_code: Option<i64>,
    /// Where the shell stands now.
    pub working_dir: Option<String>,
    /// A remark before the output: how much of it was dropped.
    pub prefix: String,
    /// A remark behind the output: how it ended, or what to do while it runs.
    pub suffix: String,
}
