//! Marking the changed words of a line.

use super::{Change, Plain};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::ops::Range;

/// Longest line whose words are compared, in bytes: a longer one is data.
const LONGEST_LINE: usize = 600;
/// Limit on the lines compared by words in one diff, in bytes: the comparison is quadratic in the length of a line.
/// Further lines are marked as a whole.
pub(super) const MOST_COMPARED: usize = 64 << 10;

/// For each line of a hunk, the byte ranges that differ from the line it is paired with.
///
/// The lines of a removed passage are paired in order with those of the added passage directly after it. Two lines with
/// less than a third in common count as different lines, and nothing is marked. `room` is the number of bytes that may
/// still be compared.
pub(super) fn marks(lines: &[Plain<'_>], room: &mut usize) -> Vec<Vec<Range<usize>>> {
    let mut marks = vec![Vec::new(); lines.len()];
    for (removed, added) in runs(lines) {
        for (old, new) in removed.zip(added) {
            let bytes = lines[old].text.len() + lines[new].text.len();
            let Some(left) = room.checked_sub(bytes) else {
                *room = 0;
                return marks;
            };
            *room = left;
            (marks[old], marks[new]) = compare(lines[old].text, lines[new].text);
        }
    }
    marks
}

/// The removed passages, each with the added one directly after it.
pub(super) fn runs(lines: &[Plain<'_>]) -> Vec<(Range<usize>, Range<usize>)> {
    let (mut runs, mut at) = (Vec::new(), 0);
    while at < lines.len() {
        let removed = run(lines, at, Change::Removed);
        let added = run(lines, removed.end, Change::Added);
        at = added.end.max(at + 1);
        runs.push((removed, added));
    }
    runs
}

/// The consecutive lines from `from` on that have this change.
fn run(lines: &[Plain<'_>], from: usize, change: Change) -> Range<usize> {
    let length = lines[from..]
        .iter()
        .take_while(|line| line.change == change)
        .count();
    from..from + length
}

fn compare(old: &str, new: &str) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let nothing = (Vec::new(), Vec::new());
    if old.len() > LONGEST_LINE || new.len() > LONGEST_LINE {
        return nothing;
    }
    let (old_words, new_words) = (split(old), split(new));
    let old_texts: Vec<_> = old_words.iter().map(|range| &old[range.clone()]).collect();
    let new_texts: Vec<_> = new_words.iter().map(|range| &new[range.clone()]).collect();
    let mut marks = nothing.clone();
    let mut shared = 0;
    for op in capture_diff_slices(Algorithm::Myers, &old_texts, &new_texts) {
        if let DiffOp::Equal { .. } = op {
            shared += old_texts[op.old_range()]
                .iter()
                .map(|word| word.trim().len())
                .sum::<usize>();
            continue;
        }
        mark(&mut marks.0, &old_words[op.old_range()]);
        mark(&mut marks.1, &new_words[op.new_range()]);
    }
    if shared * 3 < old.trim().len().max(new.trim().len()) {
        nothing
    } else {
        marks
    }
}

fn mark(marks: &mut Vec<Range<usize>>, words: &[Range<usize>]) {
    if let (Some(first), Some(last)) = (words.first(), words.last()) {
        marks.push(first.start..last.end);
    }
}

/// Splits a line into words, runs of whitespace, and single other characters.
fn split(line: &str) -> Vec<Range<usize>> {
    let sort = |letter: char| match letter {
        _ if letter.is_alphanumeric() || letter == '_' => 1,
        _ if letter.is_whitespace() => 2,
        _ => 3,
    };
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut before = 0;
    for (at, letter) in line.char_indices() {
        let now = sort(letter);
        let end = at + letter.len_utf8();
        match words.last_mut() {
            Some(word) if now == before && now != 3 => word.end = end,
            _ => words.push(at..end),
        }
        before = now;
    }
    words
}
