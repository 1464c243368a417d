//! The state of a conversation beside its status: model, policy, analyzer, goal, cost.
//!
//! A 1.x server reports each change by an event, and everything at once in a snapshot. Both may arrive late, so each
//! value is stored with the position at which it was reported.

use super::{Risk, Status};
use serde::{Deserialize, Serialize};
use std::ops::Deref;

/// A change of state; `None` leaves a value unchanged.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StateChange {
    /// Status of the agent (in a snapshot; else it is a [`super::Body::Status`]).
    pub status: Option<Status>,
    /// The title.
    pub title: Option<String>,
    /// The model in use.
    pub model: Option<String>,
    /// Which calls need approval.
    pub policy: Option<Policy>,
    /// The analyzer that rates the risk of calls; empty if there is none.
    pub analyzer: Option<String>,
    /// The goal loop; the inner `None` means that there is none.
    pub goal: Option<Option<Goal>>,
    /// Agent class and version.
    pub about: Option<Vec<String>>,
    /// Whether the agent is a program of ACP: it asks nobody before it acts, whatever the policy says.
    pub asks_nobody: Option<bool>,
}

/// Policy by which calls are held back for approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// No calls.
    Never,
    /// All calls.
    Always,
    /// Calls with a high risk rating.
    Risky {
        /// Lowest risk that needs approval.
        threshold: Risk,
        /// Whether calls without a rating need approval.
        unknown: bool,
    },
    /// An unknown policy.
    Other(String),
}

/// The goal loop: the agent is sent back to work until a judge accepts the result.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Goal {
    /// The objective.
    pub objective: String,
    /// State of the loop: `running`, `complete`, `capped`, `interrupted`.
    pub status: String,
    /// Rounds so far.
    pub round: u64,
    /// Maximum number of rounds, if limited.
    pub rounds: Option<u64>,
    /// What the judge still misses, or empty.
    pub missing: String,
}

/// Cost and tokens so far.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Metrics {
    /// Cost in US dollars.
    pub cost: f64,
    /// Budget in US dollars, if there is one.
    pub budget: Option<f64>,
    /// Tokens sent to the model.
    pub prompt_tokens: u64,
    /// Tokens written by the model.
    pub completion_tokens: u64,
    /// Tokens read from the provider's cache.
    pub cache_read_tokens: u64,
    /// Tokens written to the provider's cache.
    pub cache_write_tokens: u64,
    /// Size of the model's context window in tokens; 0 if unknown.
    pub context_window: u64,
    /// Tokens of the latest turn: how full the context window is.
    pub per_turn_token: u64,
    /// Usage by purpose, if reported (1.x); the sums are in the fields above.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub usages: Vec<Usage>,
}

/// Cost and tokens of one use of a model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Its purpose: `default`, `condenser`, `ask-agent-llm`, `task` (all sub-agents together).
    pub name: String,
    /// The model.
    pub model: String,
    /// Cost in US dollars.
    pub cost: f64,
    /// Tokens sent to the model.
    pub prompt_tokens: u64,
    /// Tokens written by the model.
    pub completion_tokens: u64,
    /// Tokens read from the provider's cache.
    pub cache_read_tokens: u64,
}

/// A reported value with the position at which it was reported.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Reported<T> {
    value: T,
    pos: i64,
}

impl<T> Deref for Reported<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> Reported<T> {
    /// Edits the value in place.
    pub(super) fn edit(&mut self, edit: impl FnOnce(&mut T)) {
        edit(&mut self.value);
    }

    /// Stores a value reported at `pos`, unless a newer one is stored.
    pub(super) fn take(&mut self, said: Option<T>, pos: i64) {
        if let Some(value) = said
            && pos >= self.pos
        {
            *self = Self { value, pos };
        }
    }
}
