//! What a fold holds, in one line.

use super::text;
use crate::{conversation::Kind, render::CardView, store::Entry, ui::parts::span};
use leptos::prelude::*;

/// What a fold holds: "Read 3 files, thought twice, 4 s".
pub(super) fn contents(entries: &[Entry]) -> String {
    let (mut reads, mut thoughts, mut took) = (0, 0, 0);
    for entry in entries {
        let row = entry.view.read_untracked();
        if row.kind == Kind::Think {
            thoughts += 1;
        } else {
            reads += 1;
        }
        if let CardView::Step(step) = &row.card {
            took += step.took.unwrap_or_default();
        }
    }
    summary(reads, thoughts, took)
}

fn summary(reads: usize, thoughts: usize, took: i64) -> String {
    let thoughts = match thoughts {
        0 => None,
        1 => Some(text::thought_once().to_owned()),
        2 => Some(text::thought_twice().to_owned()),
        count => Some(text::thought(count)),
    };
    let reads = (reads > 0).then(|| text::read_files(reads));
    let took = (took > 0).then(|| span(took));
    let mut says = [reads, thoughts, took]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", ");
    if let Some(first) = says.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    says
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fold_says_what_it_holds() {
        assert_eq!(summary(3, 2, 4_000), "Read 3 files, thought twice, 4.0 s");
        assert_eq!(summary(0, 3, 0), "Thought 3 times");
        assert_eq!(summary(1, 1, 20), "Read 1 file, thought once, 20 ms");
    }
}
