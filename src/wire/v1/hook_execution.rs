//! Hooks: scripts that run beside the agent and can block its actions.

use serde::Deserialize;

/// A hook ran.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct HookExecutionEvent {
    /// The trigger: `PreToolUse`, `PostToolUse`, `UserPromptSubmit`, `SessionStart`, `SessionEnd`, `Stop`.
    pub hook_event_type: String,
    /// Its command.
    pub hook_command: String,
    /// It exited with 0.
    pub success: bool,
    /// It blocked the step.
    pub blocked: bool,
    /// Its exit code.
    pub exit_code: Option<i64>,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// The reason for blocking the step.
    pub reason: Option<String>,
    /// Why it could not be run.
    pub error: Option<String>,
    /// The event of the call that it belongs to; may arrive later.
    pub action_id: Option<String>,
}
