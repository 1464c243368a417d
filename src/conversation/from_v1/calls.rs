//! Translating the single calls of a model.

use crate::conversation::{ModelCall, Spent};
use crate::wire::v1::UsageCalls;
use std::collections::HashMap;

/// Sums of floating-point numbers differ by less than this.
const ROUNDING: f64 = 1e-6;

/// The calls of one usage, in order. Costs do not name their response: they belong to the calls by their order, if there
/// is one for each and their sum is the total; else the calls have no cost.
pub fn model_calls(usage: &UsageCalls) -> Vec<ModelCall> {
    let sum: f64 = usage.costs.iter().map(|call| call.cost).sum();
    let is_complete = usage.costs.len() == usage.token_usages.len()
        && (sum - usage.accumulated_cost).abs() < ROUNDING;
    let latencies = usage.response_latencies.iter();
    let latencies: HashMap<&str, f64> = latencies
        .map(|call| (call.response_id.as_str(), call.latency))
        .collect();
    let call = |(at, tokens): (usize, &crate::wire::v1::CallTokens)| {
        let cost = usage.costs.get(at).filter(|_| is_complete);
        let seconds = latencies.get(tokens.response_id.as_str());
        ModelCall {
            response: tokens.response_id.clone(),
            spent: Spent {
                // A negative or an infinite number of seconds becomes the nearest number of milliseconds.
                model: seconds.map_or(0, |seconds| (seconds * 1000.0) as u64),
                cost: cost.map_or(0.0, |call| call.cost),
                prompt_tokens: tokens.prompt_tokens,
                completion_tokens: tokens.completion_tokens,
                cache_read_tokens: tokens.cache_read_tokens,
                ..Spent::default()
            },
            has_cost: is_complete,
        }
    };
    usage.token_usages.iter().enumerate().map(call).collect()
}
