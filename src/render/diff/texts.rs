//! Comparing two texts.

use super::{Change, End, Plain, count};
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline, group_diff_ops};
use std::time::{Duration, Instant};

/// Lines of context around a change.
const CONTEXT: usize = 3;
/// Maximum number of lines in the differing middle that are compared; beyond it, all old lines are shown as removed and
/// all new ones as added. Comparing is quadratic at worst.
const MOST_COMPARED: usize = 4000;
/// Time limit for comparing, since long lines may differ only at their ends. The result up to then is shown.
const TIME_LIMIT: Duration = Duration::from_millis(250);

/// The differing passages with their context. A common prefix and suffix are only read.
pub(super) fn compare<'a>(old: &'a str, new: &'a str) -> Vec<Vec<Plain<'a>>> {
    // Two passages without a line feed at their ends are continued by the same text.
    let last = match old.ends_with('\n') || new.ends_with('\n') {
        true => End::None,
        false => End::Lf,
    };
    let (old, new) = (lines_of(old, last), lines_of(new, last));
    let before = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[before..], &new[before..]);
    let after = old_rest
        .iter()
        .rev()
        .zip(new_rest.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let old_middle = &old_rest[..old_rest.len() - after];
    let new_middle = &new_rest[..new_rest.len() - after];

    let mut ops = Vec::new();
    if before > 0 {
        ops.push(DiffOp::Equal {
            old_index: 0,
            new_index: 0,
            len: before,
        });
    }
    if old_middle.len() + new_middle.len() > MOST_COMPARED {
        ops.push(DiffOp::Replace {
            old_index: before,
            old_len: old_middle.len(),
            new_index: before,
            new_len: new_middle.len(),
        });
    } else {
        ops.extend(
            capture_diff_slices_deadline(
                Algorithm::Myers,
                old_middle,
                new_middle,
                Some(Instant::now() + TIME_LIMIT),
            )
            .into_iter()
            .map(|op| moved(op, before)),
        );
    }
    if after > 0 {
        ops.push(DiffOp::Equal {
            old_index: old.len() - after,
            new_index: new.len() - after,
            len: after,
        });
    }
    let groups = group_diff_ops(ops, CONTEXT);
    groups
        .iter()
        .map(|group| hunk(group, &old, &new))
        .filter(|hunk| hunk.iter().any(|line| line.change != Change::Same))
        .collect()
}

/// A line, and what ends it.
type Line<'a> = (&'a str, End);

/// The lines of a text as an editor counts them; an empty text has none. `last` ends a line without a line feed.
fn lines_of(text: &str, last: End) -> Vec<Line<'_>> {
    let line = |line| End::of(line).unwrap_or((line, last));
    text.split_inclusive('\n').map(line).collect()
}

fn moved(op: DiffOp, by: usize) -> DiffOp {
    match op {
        DiffOp::Equal {
            old_index,
            new_index,
            len,
        } => DiffOp::Equal {
            old_index: old_index + by,
            new_index: new_index + by,
            len,
        },
        DiffOp::Delete {
            old_index,
            old_len,
            new_index,
        } => DiffOp::Delete {
            old_index: old_index + by,
            old_len,
            new_index: new_index + by,
        },
        DiffOp::Insert {
            old_index,
            new_index,
            new_len,
        } => DiffOp::Insert {
            old_index: old_index + by,
            new_index: new_index + by,
            new_len,
        },
        DiffOp::Replace {
            old_index,
            old_len,
            new_index,
            new_len,
        } => DiffOp::Replace {
            old_index: old_index + by,
            old_len,
            new_index: new_index + by,
            new_len,
        },
    }
}

fn hunk<'a>(ops: &[DiffOp], old: &[Line<'a>], new: &[Line<'a>]) -> Vec<Plain<'a>> {
    let mut lines = Vec::new();
    for op in ops {
        let (old_range, new_range) = (op.old_range(), op.new_range());
        if let DiffOp::Equal { .. } = op {
            lines.extend(old_range.zip(new_range).map(|(at, other)| Plain {
                change: Change::Same,
                old: Some(count(at + 1)),
                new: Some(count(other + 1)),
                text: new[other].0,
                end: new[other].1,
            }));
            continue;
        }
        lines.extend(old_range.map(|at| Plain {
            change: Change::Removed,
            old: Some(count(at + 1)),
            new: None,
            text: old[at].0,
            end: old[at].1,
        }));
        lines.extend(new_range.map(|at| Plain {
            change: Change::Added,
            old: None,
            new: Some(count(at + 1)),
            text: new[at].0,
            end: new[at].1,
        }));
    }
    lines
}
