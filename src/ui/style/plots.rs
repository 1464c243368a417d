//! Plots and tables about time and cost.

use super::group;
use crate::{
    conversation::{Change, Command, Kind, Report, Spent, Step},
    render::insight_html,
};
use leptos::prelude::*;

/// The page about a conversation of a few steps; `first` is the number of the first one, since ids occur once on a page.
pub(super) fn plots(first: i64) -> AnyView {
    let step = |at: i64| Step {
        number: u64::try_from(first + at).unwrap_or(1),
        row: at,
        at,
        kind: if at % 3 == 0 { Kind::Edit } else { Kind::Shell },
        subject: "cargo test --package a-long-name".to_owned(),
        response: None,
        spent: Spent {
            steps: 1,
            model: 900 * at.unsigned_abs(),
            tool: 500,
            person: if at == 4 { 3_000 } else { 0 },
            cost: 0.01 * at as f64,
            prompt_tokens: 8_000,
            completion_tokens: 64,
            cache_read_tokens: 2_000,
        },
        ran: None,
        idle: 0,
        failed: at == 2,
        repeated: at == 3,
    };
    let steps: Vec<Step> = (1..8).map(step).collect();
    let mut total = Spent::default();
    steps.iter().for_each(|step| total.add(&step.spent));
    let report = Report {
        slowest: steps.last().cloned(),
        longest_wait: steps.get(3).cloned(),
        steps,
        total,
        failed: 1,
        repeated: 1,
        files: vec![Change {
            path: "src/lib.rs".to_owned(),
            edits: 2,
        }],
        commands: vec![Command {
            line: "cargo test".to_owned(),
            runs: 5,
            failures: 1,
        }],
        ..Report::default()
    };
    group(
        "Plots",
        view! { <div class="insight" inner_html=insight_html(&report)></div> },
    )
}
