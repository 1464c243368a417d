//! Which conversations are deleted by rule, and what that would delete now.

use serde::{Deserialize, Serialize};

/// A rule: conversations for which all of it holds are deleted. Pinned ones, those that work and those with a pending approval
/// or a message on its way never are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RetentionRule {
    /// Days without a change; at least 1.
    pub days: u32,
    /// Only as long as the database has more than so many megabytes in use; 0 for always.
    pub megabytes: u32,
    /// Only of this repository or folder; empty for all.
    pub repository: String,
    /// Only archived ones.
    pub archived: bool,
}

/// What the rules would delete now.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RetentionPlan {
    /// The conversations, the oldest first: id, title, and time of the last change in milliseconds since the Unix epoch.
    pub conversations: Vec<(String, String, i64)>,
    /// Size of their events, in bytes.
    pub bytes: u64,
    /// Whether there are more, which the next run deletes.
    pub more: bool,
}

/// How the rules were applied last.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RetentionRun {
    /// When it ended, in milliseconds since the Unix epoch.
    pub at: i64,
    /// Number of conversations that were deleted.
    pub deleted: usize,
    /// Size of their events, in bytes.
    pub bytes: u64,
    /// Number of those that could not be deleted, for example because their backend could not be reached.
    pub failed: usize,
}

/// The rules, and what they would delete.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RetentionView {
    /// The rules.
    pub rules: Vec<RetentionRule>,
    /// Whether they are applied each day.
    pub automatic: bool,
    /// What they would delete now; the first conversations of it.
    pub plan: RetentionPlan,
    /// Number of conversations in the plan.
    pub count: usize,
    /// Bytes of the database that are in use.
    pub used: u64,
    /// How they were applied last, if they were.
    pub ran: Option<RetentionRun>,
}
