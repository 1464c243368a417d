//! The task list.

use serde::Deserialize;

/// The list is read or rewritten.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct TaskTrackerAction {
    /// `view` or `plan`.
    pub command: String,
    /// The list; empty for `view`.
    pub task_list: Vec<TaskItem>,
}

/// The list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct TaskTrackerObservation {
    /// The command.
    pub command: String,
    /// The list.
    pub task_list: Vec<TaskItem>,
}

/// An entry of the list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct TaskItem {
    /// The task.
    pub title: String,
    /// Notes.
    pub notes: String,
    /// `todo`, `in_progress`, `done`.
    pub status: String,
}
