//! What the agent does with itself: think, finish, delegate, condense, keep its list.

use crate::wire::v0::{AgentState, RecallType};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Asks for a state. From a person: pause, resume, stop, confirm, reject.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ChangeAgentStateAction {
    /// The state that is asked for.
    pub agent_state: AgentState,
    /// Why.
    pub thought: String,
}

/// Sums results up. Gone in 0.62, kept by the specification.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentSummarizeAction {
    /// The summary.
    pub summary: String,
}

/// Says that the task is done.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentFinishAction {
    /// The closing words.
    pub final_thought: String,
    /// Whether it was completed: `true`, `partial`, `false`. Gone in 0.62.
    pub task_completed: Option<Value>,
    /// Named results; a browsing agent's answer is in `content`.
    pub outputs: Map<String, Value>,
    /// What was thought beside it.
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
    /// Named results; why is in `reason`.
    pub outputs: Map<String, Value>,
    /// What was thought beside it.
    pub thought: String,
}

/// Hands work to another agent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentDelegateAction {
    /// Class of the other agent.
    pub agent: String,
    /// What it is given; what to do is in `task`.
    pub inputs: Map<String, Value>,
    /// What was thought beside it.
    pub thought: String,
    /// What else stands in the arguments.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Looks context up.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RecallAction {
    /// What kind of context.
    pub recall_type: RecallType,
    /// What is looked for: mostly the person's message.
    pub query: String,
    /// What was thought beside it.
    pub thought: String,
}

/// Says that older events are forgotten: either a list of ids, or a range.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CondensationAction {
    /// Ids that are forgotten.
    pub forgotten_event_ids: Option<Vec<i64>>,
    /// First id that is forgotten.
    pub forgotten_events_start_id: Option<i64>,
    /// Last id that is forgotten.
    pub forgotten_events_end_id: Option<i64>,
    /// What replaces them.
    pub summary: Option<String>,
    /// Where the summary goes.
    pub summary_offset: Option<i64>,
}

/// Asks for the memory to be condensed.
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
    /// What was thought beside it.
    pub thought: String,
}

/// An entry of the task list. Written by the model, so any part of it may be odd.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskItem {
    /// Its id, a text or a number.
    pub id: Value,
    /// What is to be done.
    pub title: Option<String>,
    /// `todo`, `in_progress` or `done`.
    pub status: Option<String>,
    /// Remarks.
    pub notes: Option<String>,
}

/// Offers ways out of a loop (command line only).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LoopRecoveryAction {
    /// Which way: 1 asks again, 2 restarts from the loop, 3 stops.
    pub option: i64,
}
