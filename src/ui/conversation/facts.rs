//! A conversation in a few words: its cost, and the use of the context window.

use super::text;
use crate::conversation::Metrics;
use crate::ui::panels;
use crate::ui::parts::dollars;

/// The cost and the use of the context window: "$0.33 · 18k tokens · context 12%".
pub fn facts(metrics: &Metrics) -> String {
    let mut facts: Vec<String> = cost(metrics).into_iter().collect();
    let tokens = metrics.prompt_tokens + metrics.completion_tokens;
    if tokens > 0 {
        facts.push(panels::text::tokens(in_short(tokens)));
    }
    if metrics.context_window > 0 && metrics.per_turn_token > 0 {
        let percent = metrics.per_turn_token * 100 / metrics.context_window;
        facts.push(text::context(percent));
    }
    facts.join(" · ")
}

/// The cost, and the most that it may be.
pub fn cost(metrics: &Metrics) -> Option<String> {
    let cost = (metrics.cost > 0.0).then(|| dollars(metrics.cost, 2))?;
    Some(match metrics.budget {
        Some(budget) => panels::text::cost_of(cost, dollars(budget, 2)),
        None => cost,
    })
}

/// Abbreviates a number: 950, 18k, 2.4M.
fn in_short(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{}k", number / 1_000),
        _ => format!("{}.{}M", number / 1_000_000, number / 100_000 % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_say_only_what_is_known() {
        assert_eq!(facts(&Metrics::default()), "");
        let metrics = Metrics {
            cost: 0.331,
            prompt_tokens: 17_500,
            completion_tokens: 900,
            context_window: 200_000,
            per_turn_token: 24_000,
            ..Metrics::default()
        };
        assert_eq!(facts(&metrics), "$0.33 · 18k tokens · context 12%");
    }

    #[test]
    fn a_large_number_is_short() {
        assert_eq!(in_short(999), "999");
        assert_eq!(in_short(2_449_000), "2.4M");
    }
}
