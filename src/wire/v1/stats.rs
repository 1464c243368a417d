//! Cost and tokens, by usage of the model.
//!
//! Snapshots and lists also contain every single call (0.4 KB each), which only the insight page reads.

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
    /// Limit in US dollars.
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
    /// Reasoning tokens among those written.
    pub reasoning_tokens: u64,
    /// Context window of the model; 0 if unknown.
    pub context_window: u64,
    /// In the latest turn.
    pub per_turn_token: u64,
}

/// The single calls of one usage.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct UsageCalls {
    /// US dollars of all calls.
    pub accumulated_cost: f64,
    /// One per call, in order.
    pub costs: Vec<CallCost>,
    /// One per call.
    pub response_latencies: Vec<CallLatency>,
    /// One per call, in order.
    pub token_usages: Vec<CallTokens>,
}

/// The cost of a call; it does not say of which response.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct CallCost {
    /// US dollars.
    pub cost: f64,
}

/// How long a call took.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct CallLatency {
    /// Seconds.
    pub latency: f64,
    /// The model's id of its response.
    pub response_id: String,
}

/// The tokens of a call.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct CallTokens {
    /// Sent to the model.
    pub prompt_tokens: u64,
    /// Written by the model.
    pub completion_tokens: u64,
    /// Read from the provider's cache.
    pub cache_read_tokens: u64,
    /// The model's id of its response.
    pub response_id: String,
}
