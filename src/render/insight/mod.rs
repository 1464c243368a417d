//! The pages about time and cost, and the words for an agent that may be stuck.
//!
//! Plots are SVG of our own: a stack of bars and a line need a few lines, while the plotting crates bring a script
//! (`charming`) or fixed colours and inline styles (`plotters`), which neither fit the content security policy nor light
//! and dark. Colours come from the style sheet by class. Beside each plot is a table with the same numbers.

mod conversation;
mod overall;
mod plot;
mod table;
mod text;

pub use conversation::insight_html;
pub use overall::{Period, SpentBy, overall_html};

use super::hidden::plain_line;
use crate::conversation::{Stuck, StuckRule};

/// Longest name of a step in a sentence, in characters.
const NAMED: usize = 80;

/// That the agent may be stuck, in a sentence.
pub fn stuck_in_words(stuck: &Stuck) -> String {
    let Stuck { rule, times, .. } = stuck;
    let subject = match plain_line(&stuck.subject, NAMED) {
        line if line.is_empty() => text::same_step().to_owned(),
        line => format!("“{line}”"),
    };
    match rule {
        StuckRule::Repetition => text::stuck_repetition(times, subject),
        StuckRule::Errors => text::stuck_errors(times, subject),
        StuckRule::Monologue => text::stuck_monologue(times),
        StuckRule::Alternation => text::stuck_alternation(times, subject),
        StuckRule::NoChange => text::stuck_no_change(times, subject),
    }
}

/// That a running agent has been silent for some minutes, in a sentence.
pub fn silent_in_words(minutes: u64) -> String {
    text::stuck_silence(minutes)
}

/// An amount in US dollars; small ones with more places.
pub(super) fn money(amount: f64) -> String {
    match amount.abs() {
        ..0.000_05 => "$0.00".to_owned(),
        0.000_05..0.1 => format!("${amount:.4}"),
        _ => format!("${amount:.2}"),
    }
}

/// A duration.
fn span(millis: u64) -> String {
    match millis / 1000 {
        0 if millis > 0 => text::millis(millis),
        seconds @ ..10 => text::tenths(seconds, millis % 1000 / 100),
        seconds @ ..60 => text::seconds(seconds),
        seconds @ ..3600 => text::minutes(seconds / 60, seconds % 60),
        seconds => text::hours(seconds / 3600, seconds / 60 % 60),
    }
}

/// A share of the input that came from the cache; empty if nothing was sent.
fn share(percent: Option<u64>) -> String {
    percent.map(text::percent).unwrap_or_default()
}

#[cfg(test)]
mod tests;
