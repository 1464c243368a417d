//! Cost and tokens, by what the model was used for.
//!
//! Snapshots and lists carry every single call besides (0.4 KB each): that is not read.

use serde::Deserialize;
use std::collections::BTreeMap;

/// Cost and tokens so far.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct Stats {
    /// By usage: `default`, `condenser`, `ask-agent-llm`, `task:task_00000001`, ...
    pub usage_to_metrics: BTreeMap<String, MetricsSnapshot>,
}

/// Totals of one usage.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct MetricsSnapshot {
    /// The model.
    pub model_name: String,
    /// US dollars.
    pub accumulated_cost: f64,
    /// US dollars at most.
    pub max_budget_per_task: Option<f64>,
    /// Tokens.
    pub accumulated_token_usage: TokenUsage,
}

/// Tokens so far.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct TokenUsage {
    /// Sent to the model.
    pub prompt_tokens: u64,
    /// Written by the model.
    pub completion_tokens: u64,
    /// Read from the provider's cache.
    pub cache_read_tokens: u64,
    /// Written to the provider's cache.
    pub cache_write_tokens: u64,
    /// Of those written: reasoning.
    pub reasoning_tokens: u64,
    /// How many the model can hold; 0 if unknown.
    pub context_window: u64,
    /// Of the newest turn.
    pub per_turn_token: u64,
}
