//! What is so of a conversation beside its status: model, policy, analyzer, goal, usages.
//!
//! A 1.x server tells each by an event of its own, and all at once in a snapshot. Both may arrive late, so
//! each remembers the position that it was told at.

use super::{Risk, Session, Status};
use serde::{Deserialize, Serialize};
use std::ops::Deref;

/// What is otherwise now; what is `None` was not said.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StateChange {
    /// What the agent is doing (of a snapshot; else it is a [`super::Body::Status`]).
    pub status: Option<Status>,
    /// The title.
    pub title: Option<String>,
    /// The model that works.
    pub model: Option<String>,
    /// What is held back for an answer.
    pub policy: Option<Policy>,
    /// Who judges how dangerous calls are; empty: nobody.
    pub analyzer: Option<String>,
    /// The goal loop; inner `None`: there is none.
    pub goal: Option<Option<Goal>>,
    /// Agent class and version.
    pub about: Option<Vec<String>>,
}

/// Which calls are held back for an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// None.
    Never,
    /// All.
    Always,
    /// Those that were judged dangerous.
    Risky {
        /// From which risk on.
        threshold: Risk,
        /// Whether what nobody judged counts as dangerous.
        unknown: bool,
    },
    /// A word that we do not know.
    Other(String),
}

/// The goal loop: the agent is sent back to work until a judge is content.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Goal {
    /// What is to be reached.
    pub objective: String,
    /// How far it is: `running`, `complete`, `capped`, `interrupted`.
    pub status: String,
    /// Rounds so far.
    pub round: u64,
    /// Rounds at most, if they are limited.
    pub rounds: Option<u64>,
    /// What the judge still misses, or empty.
    pub missing: String,
}

/// Cost and tokens of one use of a model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// What for: `default`, `condenser`, `ask-agent-llm`, `task` (all sub-agents together).
    pub name: String,
    /// The model.
    pub model: String,
    /// US dollars.
    pub cost: f64,
    /// Tokens sent to the model.
    pub prompt_tokens: u64,
    /// Tokens the model wrote.
    pub completion_tokens: u64,
}

/// Something that was told, and the position it was told at.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Told<T> {
    value: T,
    pos: i64,
}

impl<T> Deref for Told<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> Told<T> {
    /// Takes what was said at `pos`, unless something newer is known.
    fn take(&mut self, said: Option<T>, pos: i64) {
        if let Some(value) = said
            && pos >= self.pos
        {
            *self = Self { value, pos };
        }
    }
}

impl Session {
    /// Takes what is otherwise now.
    pub(super) fn change(&mut self, change: &StateChange, pos: i64) {
        if let Some(status) = &change.status {
            self.take_status(status, "", pos);
        }
        if let Some(title) = change.title.as_ref().filter(|title| !title.is_empty()) {
            self.title.clone_from(title);
        }
        if let Some(about) = &change.about {
            self.about.clone_from(about);
        }
        self.model.take(change.model.clone(), pos);
        self.policy.take(change.policy.clone().map(Some), pos);
        self.analyzer.take(change.analyzer.clone(), pos);
        self.goal.take(change.goal.clone(), pos);
    }
}
