//! The agent's context: instructions, injected knowledge, hooks.

use serde::{Deserialize, Serialize};

/// Context injected for the agent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Recall {
    /// Short labels: repository, date, names of microagents or skills, names of available secrets.
    pub chips: Vec<String>,
    /// The injected texts: name, trigger, content.
    pub knowledge: Vec<Knowledge>,
}

impl Recall {
    /// Whether it has no content.
    pub fn is_empty(&self) -> bool {
        self.chips.is_empty() && self.knowledge.is_empty()
    }
}

/// A hook execution.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HookRun {
    /// Hook type: `PreToolUse`, `PostToolUse`, `UserPromptSubmit`, `SessionStart`, `SessionEnd`, `Stop`.
    pub event: String,
    /// Its command.
    pub command: String,
    /// Whether the hook blocked the action.
    pub blocked: bool,
    /// Its exit code.
    pub exit_code: Option<i64>,
    /// Its output.
    pub output: String,
}

/// An injected text.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Knowledge {
    /// Its name.
    pub name: String,
    /// The keyword that triggered it, or empty.
    pub trigger: String,
    /// Its content.
    pub content: String,
}

/// The agent's instructions and tools.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SystemPrompt {
    /// The prompt.
    pub prompt: String,
    /// Name and description of each tool.
    pub tools: Vec<(String, String)>,
    /// OpenHands version, agent class and the like, in reading order.
    pub about: Vec<String>,
}
