//! Hooks: scripts that run beside the agent and may forbid what it does.

use serde::Deserialize;

/// A hook ran.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct HookExecutionEvent {
    /// When: `PreToolUse`, `PostToolUse`, `UserPromptSubmit`, `SessionStart`, `SessionEnd`, `Stop`.
    pub hook_event_type: String,
    /// Its command.
    pub hook_command: String,
    /// It ended with 0.
    pub success: bool,
    /// It forbade the step.
    pub blocked: bool,
    /// Its exit code.
    pub exit_code: Option<i64>,
    /// What it printed.
    pub stdout: String,
    /// What it complained of.
    pub stderr: String,
    /// Why it forbade the step.
    pub reason: Option<String>,
    /// Why it could not run.
    pub error: Option<String>,
    /// The event of the call that it is about; may come later.
    pub action_id: Option<String>,
}
