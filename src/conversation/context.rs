//! What stands around the agent: instructions, injected context, hooks.

use serde::{Deserialize, Serialize};

/// Context put before the agent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Recall {
    /// Short labels: repository, date, names of microagents or skills, secrets that are known.
    pub chips: Vec<String>,
    /// The injected texts: name, trigger, content.
    pub knowledge: Vec<Knowledge>,
}

impl Recall {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.chips.is_empty() && self.knowledge.is_empty()
    }
}

/// A hook that ran.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HookRun {
    /// When: `PreToolUse`, `PostToolUse`, `UserPromptSubmit`, `SessionStart`, `SessionEnd`, `Stop`.
    pub event: String,
    /// Its command.
    pub command: String,
    /// Whether it forbade something.
    pub blocked: bool,
    /// Its exit code.
    pub exit_code: Option<i64>,
    /// What it printed.
    pub output: String,
}

/// A text that was injected.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Knowledge {
    /// What it is called.
    pub name: String,
    /// The word that triggered it, or empty.
    pub trigger: String,
    /// What it says.
    pub content: String,
}

/// The agent's instructions and tools.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SystemPrompt {
    /// The prompt.
    pub prompt: String,
    /// Name and description of each tool.
    pub tools: Vec<(String, String)>,
    /// Version of OpenHands, agent class: whatever was said, in reading order.
    pub about: Vec<String>,
}
