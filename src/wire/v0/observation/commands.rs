//! Output of commands and cells.

use serde::{Deserialize, Serialize};

/// Output of a command. Escape sequences are already gone, long output is cut in the middle.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CmdOutputObservation {
    /// The command.
    pub command: String,
    /// How it ended and where.
    pub metadata: CmdOutputMetadata,
    /// It is not shown to a person.
    pub hidden: bool,
}

/// How a command ended and where.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CmdOutputMetadata {
    /// Exit code; -1 while it is still running.
    pub exit_code: Option<i64>,
    /// Process id, in 0.62 always -1.
    pub pid: Option<i64>,
    /// Who ran it.
    pub username: Option<String>,
    /// On which machine.
    pub hostname: Option<String>,
    /// Where the shell stands now.
    pub working_dir: Option<String>,
    /// Which Python the shell has.
    pub py_interpreter_path: Option<String>,
    /// A remark before the output.
    pub prefix: Option<String>,
    /// A remark behind the output: how it ended, or what to do while it runs.
    pub suffix: Option<String>,
}

/// Output of a cell. `success` is always true: an exception is known by its traceback.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct IPythonRunCellObservation {
    /// The code.
    pub code: String,
    /// `data:` URLs of pictures.
    pub image_urls: Vec<String>,
}
