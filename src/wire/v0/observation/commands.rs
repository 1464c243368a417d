//! Output of commands and cells.

use serde::{Deserialize, Serialize};

/// Output of a command. Escape sequences are already removed, long output is cut in the middle.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CmdOutputObservation {
    /// The command.
    pub command: String,
    /// Its exit code and environment.
    pub metadata: CmdOutputMetadata,
    /// It is hidden from the user.
    pub hidden: bool,
}

/// Exit code and environment of a command.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CmdOutputMetadata {
    /// Exit code; -1 while it is still running.
    pub exit_code: Option<i64>,
    /// Process id, in 0.62 always -1.
    pub pid: Option<i64>,
    /// The user who ran it.
    pub username: Option<String>,
    /// Host name.
    pub hostname: Option<String>,
    /// The shell's working directory.
    pub working_dir: Option<String>,
    /// The shell's Python interpreter.
    pub py_interpreter_path: Option<String>,
    /// A note before the output.
    pub prefix: Option<String>,
    /// A note after the output: how it ended, or what to do while it runs.
    pub suffix: Option<String>,
}

/// Output of a cell. `success` is always true: an exception is recognized by its traceback.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct IPythonRunCellObservation {
    /// The code.
    pub code: String,
    /// `data:` URLs of images.
    pub image_urls: Vec<String>,
}
