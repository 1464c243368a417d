//! The terminal.

use serde::Deserialize;
use serde_json::{Map, Value};

/// A command, or input for the one that runs.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct TerminalAction {
    /// The command. Empty with `is_input`: waits for more output of the running one.
    pub command: String,
    /// The text is input for the running command.
    pub is_input: bool,
    /// Seconds until it continues in the background, as they were written; or null.
    pub timeout: Value,
    /// The terminal is restarted.
    pub reset: bool,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Output of a command: once, at its end, without escape sequences.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct TerminalObservation {
    /// The command.
    pub command: Option<String>,
    /// Exit code; -1 while it is still running after `timeout`.
    pub exit_code: Option<i64>,
    /// The timeout has passed.
    pub timeout: bool,
    /// Its exit code and environment.
    pub metadata: CmdOutputMetadata,
}

/// Exit code and environment of a command.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct CmdOutputMetadata {
    /// Exit code; -1 when there is none.
    pub exit_code: Option<i64>,
    /// The shell's working directory.
    pub working_dir: Option<String>,
    /// A note before the output: how much of it was dropped.
    pub prefix: String,
    /// A note after the output: how it ended, or what to do while it runs.
    pub suffix: String,
}
