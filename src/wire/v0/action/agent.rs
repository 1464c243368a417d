//! Actions of the agent on itself: think, finish, delegate, condense, keep its task list.

use crate::wire::v0::{AgentState, RecallType};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Requests a state. From a person: pause, resume, stop, confirm, reject.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ChangeAgentStateAction {
    /// The requested state.
    pub agent_state: AgentState,
    /// The reason.
    pub thought: String,
}

/// Summarizes results. Gone in 0.62; OpenHands' documentation still has it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentSummarizeAction {
    /// The summary.
    pub summary: String,
}

/// The task is done.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentFinishAction {
    /// The final message.
    pub final_thought: String,
    /// Whether it was completed: `true`, `partial`, `false`. Gone in 0.62.
    pub task_completed: Option<Value>,
    /// Named results; a browsing agent's answer is in `content`.
    pub outputs: Map<String, Value>,
    /// The agent's thought.
    pub thought: String,
}

/// Logs a thought.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentThinkAction {
    /// The thought.
    pub thought: String,
}

/// Refuses the task.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentRejectAction {
    /// Named results; the reason is in `reason`.
    pub outputs: Map<String, Value>,
    /// The agent's thought.
    pub thought: String,
}

/// Delegates work to another agent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentDelegateAction {
    /// Class of the other agent.
    pub agent: String,
    /// Its inputs; the task is in `task`.
    pub inputs: Map<String, Value>,
    /// The agent's thought.
    pub thought: String,
    /// Other arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Recalls context.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RecallAction {
    /// Kind of context.
    pub recall_type: RecallType,
    /// The query: usually the person's message.
    pub query: String,
    /// The agent's thought.
    pub thought: String,
}

/// Forgets older events: either a list of ids, or a range.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CondensationAction {
    /// Ids of the forgotten events.
    pub forgotten_event_ids: Option<Vec<i64>>,
    /// First forgotten id.
    pub forgotten_events_start_id: Option<i64>,
    /// Last forgotten id.
    pub forgotten_events_end_id: Option<i64>,
    /// The summary that replaces them.
    pub summary: Option<String>,
    /// Position of the summary.
    pub summary_offset: Option<i64>,
}

/// Requests a condensation of the memory.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CondensationRequestAction {}

/// Reads or writes the task list.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskTrackingAction {
    /// `plan` writes, `view` reads.
    pub command: String,
    /// The list; empty for `view`.
    pub task_list: Vec<TaskItem>,
    /// The agent's thought.
    pub thought: String,
}

/// An entry of the task list. Written by the model, so any part of it may be malformed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskItem {
    /// Its id, a text or a number.
    pub id: Value,
    /// The task.
    pub title: Option<String>,
    /// `todo`, `in_progress` or `done`.
    pub status: Option<String>,
    /// Notes.
    pub notes: Option<String>,
}

/// Offers ways out of a loop (command line only).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LoopRecoveryAction {
    /// The chosen option: 1 asks again, 2 restarts from the loop, 3 stops.
    pub option: i64,
}
