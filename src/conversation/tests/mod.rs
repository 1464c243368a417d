//! Table tests: events in, lines on the screen out.
//!
//! [`events`] builds wire events in the format of 0.62, [`check`] folds them and compares the text that a person reads.

mod approvals;
mod events;
mod insight;
mod pairing;
pub mod properties;
mod session;
mod since;
mod stuck;
mod unknown;

use super::{Card, Row, Timeline};
use crate::conversation::LogItem;
use events::*;

/// Folds `events` and compares the rows, one line each.
#[track_caller]
fn check<const N: usize>(events: impl IntoIterator<Item = LogItem>, expected: [&str; N]) {
    assert_eq!(lines(&Timeline::of(events)), expected);
}

/// All rows, one line each.
fn lines(timeline: &Timeline) -> Vec<String> {
    timeline.rows().iter().map(line).collect()
}

/// A row as a line: position, kind, state, result.
fn line(row: &Row) -> String {
    let text = match &row.card {
        Card::Message { message, .. } => format!("{:?} says {:?}", row.from, message.text),
        Card::Call(call) => {
            let outcomes: Vec<String> = call
                .executions
                .iter()
                .map(|execution| format!(" > {}", execution.result.text))
                .collect();
            format!(
                "{} {:?}{}",
                call.call.tool_name,
                call.state,
                outcomes.concat()
            )
        }
        Card::Orphan(execution) => format!("orphan > {}", execution.result.text),
        Card::RunError { code, text, .. } => format!("error {code} {text}"),
        card => format!("{card:?}"),
    };
    format!("{} {text}", row.pos)
}
