//! The task list.

use crate::wire::v0::TaskItem;
use serde::{Deserialize, Serialize};

/// The task list after `plan`; after `view` the list is in `content` as text.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskTrackingObservation {
    /// `plan` or `view`.
    pub command: String,
    /// The list.
    pub task_list: Vec<TaskItem>,
}
