//! The arrangement of rows: a run of uneventful steps folds into one line ("Read 4 files, thought twice, 3 s"), and the steps of a sub-agent are
//! indented below the step that started it.
//!
//! A fold is a `<details>` around its rows, so it works without JavaScript, and the browser's search and links to a row
//! open it. Rows keep their ids and keys. A run folds only once another row follows it; while the agent runs, the
//! newest rows are not folded, and nothing folds while the reader has scrolled away from the end.

use super::{fold_contents::contents, row::RowCard};
use crate::{
    conversation::{Actor, Kind, Risk},
    render::{CardView, RowView, StepState},
    store::{Entry, RowKey},
};
use leptos::{html::Details, prelude::*};
use std::{collections::HashSet, ops::Range};

/// A run shorter than this is not folded.
const FEWEST: usize = 3;

/// Number of newest rows that are not folded while the agent runs.
pub(super) const FRESH: usize = 12;

/// Row ids, for example of the folds that the reader has opened (each by its last row).
pub(super) type RowIds = StoredValue<HashSet<i64>>;

/// A row, or a run of rows that is folded.
#[derive(Clone)]
pub(super) struct Piece {
    entries: Vec<Entry>,
    nested: bool,
}

impl Piece {
    /// The identity for `<For>`: first row, last row, indentation.
    pub(super) fn key(&self) -> (RowKey, RowKey, bool) {
        (self.first().key, self.last().key, self.nested)
    }

    /// The row, if it is not folded.
    pub(super) fn single(&self) -> Option<i64> {
        (self.entries.len() == 1).then(|| self.first().key.id)
    }

    fn first(&self) -> &Entry {
        &self.entries[0]
    }

    fn last(&self) -> &Entry {
        &self.entries[self.entries.len() - 1]
    }
}

/// How a row counts in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// Uneventful and finished.
    Light,
    /// As light, but not finished, or not to be folded now.
    Open,
    /// Everything else; it separates runs.
    Heavy,
}

/// The properties of a row that decide its arrangement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fact {
    weight: Weight,
    nested: bool,
    at: i64,
    is_human: bool,
    /// The end of the sub-agent's steps, if it starts one.
    sub_agent: Option<i64>,
}

/// Arranges rows, oldest first. The newest `fresh` ones, and those for which `stays` holds, are not folded.
pub(super) fn arrange(entries: &[Entry], fresh: usize, stays: impl Fn(i64) -> bool) -> Vec<Piece> {
    let fact = |entry: &Entry| {
        let mut fact = fact(&entry.view.read_untracked());
        if fact.weight == Weight::Open || fact.sub_agent == Some(i64::MAX) {
            // Only a row that is not finished changes its part in the arrangement.
            entry.view.track();
        }
        if fact.weight == Weight::Light && stays(entry.key.id) {
            fact.weight = Weight::Open;
        }
        fact
    };
    let mut facts: Vec<Fact> = entries.iter().map(fact).collect();
    nest(&mut facts);
    let piece = |run: Range<usize>| Piece {
        nested: facts[run.start].nested,
        entries: entries[run].to_vec(),
    };
    runs(&facts, fresh).into_iter().map(piece).collect()
}

fn fact(row: &RowView) -> Fact {
    let mut fact = Fact {
        weight: Weight::Heavy,
        nested: false,
        at: row.at,
        is_human: row.from == Actor::Human,
        sub_agent: None,
    };
    if let CardView::Step(step) = &row.card {
        fact.sub_agent = step.sub_agent;
        let is_plain = row.by.is_none() && step.waited.is_none() && step.risk < Risk::Medium;
        if is_plain && matches!(row.kind, Kind::Read | Kind::Think) {
            fact.weight = match step.state {
                StepState::Done => Weight::Light,
                StepState::Running | StepState::Approved => Weight::Open,
                _ => Weight::Heavy,
            };
        }
    }
    fact
}

/// Marks the steps of sub-agents: what follows the start of one until its end, except messages of people.
fn nest(facts: &mut [Fact]) {
    let mut until: Option<i64> = None;
    for fact in facts {
        until = until.filter(|end| fact.at <= *end);
        fact.nested = until.is_some() && !fact.is_human;
        until = until.max(fact.sub_agent);
    }
}

/// Divides rows into single ones and runs to fold.
fn runs(facts: &[Fact], fresh: usize) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let settled = facts.len().saturating_sub(fresh.max(1));
    let mut start = 0;
    while start < facts.len() {
        let first = facts[start];
        let belongs = |fact: &&Fact| {
            first.weight != Weight::Heavy
                && fact.weight != Weight::Heavy
                && fact.nested == first.nested
        };
        let length = facts[start..].iter().take_while(belongs).count().max(1);
        let end = start + length;
        let is_light = |fact: &Fact| fact.weight == Weight::Light;
        if length >= FEWEST && end <= settled && facts[start..end].iter().all(is_light) {
            runs.push(start..end);
        } else {
            runs.extend((start..end).map(|at| at..at + 1));
        }
        start = end;
    }
    runs
}

/// A row or a fold.
#[component]
pub(super) fn PieceView(piece: Piece, opened: RowIds) -> impl IntoView {
    let nested = piece.nested;
    if piece.single().is_some() {
        let entry = piece.first().clone();
        return any_view! { <RowCard entry nested /> };
    }
    let id = piece.last().key.id;
    let details = NodeRef::<Details>::new();
    let open = opened.with_value(|opened| opened.contains(&id));
    let toggled = move |_| {
        if let Some(details) = details.get_untracked() {
            let is_open = details.open();
            let _ = opened.try_update_value(|opened| {
                if is_open {
                    opened.insert(id);
                } else {
                    opened.remove(&id);
                }
            });
        }
    };
    let says = contents(&piece.entries);
    let rows = piece
        .entries
        .into_iter()
        .map(|entry| view! { <RowCard entry /> });
    let class = if nested { "fold nested" } else { "fold" };
    any_view! {
        <details class=class id=format!("fold-{id}") open=open node_ref=details on:toggle=toggled>
            <summary class="fold__head">{says}</summary>
            <div class="fold__rows">{rows.collect_view()}</div>
        </details>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows by letters: `r` a finished read, `o` a running one, `c` a command, `h` a message of a person.
    fn facts(letters: &str) -> Vec<Fact> {
        let fact = |(at, letter): (usize, char)| Fact {
            weight: match letter {
                'r' => Weight::Light,
                'o' => Weight::Open,
                _ => Weight::Heavy,
            },
            nested: false,
            at: at as i64,
            is_human: letter == 'h',
            sub_agent: None,
        };
        letters.chars().enumerate().map(fact).collect()
    }

    /// The length of each piece.
    fn lengths(facts: &[Fact], fresh: usize) -> Vec<usize> {
        let runs = runs(facts, fresh);
        runs.into_iter().map(|run| run.len()).collect()
    }

    #[test]
    fn three_finished_reads_fold_once_another_row_follows() {
        assert_eq!(lengths(&facts("crrrc"), 0), [1, 3, 1]);
        assert_eq!(lengths(&facts("crrc"), 0), [1, 1, 1, 1]);
        assert_eq!(lengths(&facts("crrr"), 0), [1, 1, 1, 1]);
        assert!(lengths(&[], 0).is_empty());
    }

    #[test]
    fn a_run_with_an_unfinished_step_does_not_fold() {
        assert_eq!(lengths(&facts("rrroc"), 0), [1; 5]);
        assert_eq!(lengths(&facts("rrrcrrrrc"), 0), [3, 1, 4, 1]);
    }

    #[test]
    fn the_newest_rows_do_not_fold_while_the_agent_runs() {
        assert_eq!(lengths(&facts("rrrcrrrc"), 4), [3, 1, 1, 1, 1, 1]);
        assert_eq!(lengths(&facts("rrrc"), FRESH), [1; 4]);
    }

    #[test]
    fn the_steps_of_a_sub_agent_are_nested_until_its_end() {
        let nested = |end| {
            let mut facts = facts("ccchc");
            facts[1].sub_agent = Some(end);
            nest(&mut facts);
            facts.iter().map(|fact| fact.nested).collect::<Vec<_>>()
        };
        assert_eq!(nested(2), [false, false, true, false, false]);
        assert_eq!(nested(i64::MAX), [false, false, true, false, true]);
    }

    #[test]
    fn a_run_ends_where_a_sub_agent_ends() {
        let mut facts = facts("crrrrrrc");
        facts[0].sub_agent = Some(3);
        nest(&mut facts);
        assert_eq!(lengths(&facts, 0), [1, 3, 3, 1]);
    }
}
