//! Changes of files, line by line, with the words that changed marked.
//!
//! Both ways in - a unified diff that a backend made, and two texts - end in the same list of lines,
//! which is then highlighted as the two texts it came from.

use super::{Change, DiffLine, DiffView, Hunk, code};
use code::count;

mod texts;
mod unified;
mod words;

/// Lines of a diff that are rendered at most, unless a caller asks for fewer.
const MOST_LINES: usize = 5000;

/// A line before it is painted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Plain<'a> {
    change: Change,
    old: Option<u32>,
    new: Option<u32>,
    text: &'a str,
}

/// Reads a unified diff. What is not one is shown as it is, without numbers.
pub fn unified_diff(path: &str, diff_text: &str) -> DiffView {
    view(path, unified::read(diff_text), MOST_LINES)
}

/// Compares two texts, with three lines of context.
pub fn diff_of_texts(path: &str, old: &str, new: &str) -> DiffView {
    view(path, texts::compare(old, new), MOST_LINES)
}

/// As [`unified_diff`], with at most `most` lines.
pub(super) fn unified_within(path: &str, diff_text: &str, most: usize) -> DiffView {
    view(path, unified::read(diff_text), most)
}

/// As [`diff_of_texts`], with at most `most` lines.
pub(super) fn texts_within(path: &str, old: &str, new: &str, most: usize) -> DiffView {
    view(path, texts::compare(old, new), most)
}

/// As [`diff_of_texts`] of whole files: at most `most` lines, and of those no more than `bytes` of text.
pub(super) fn texts_within_bytes(
    path: &str,
    old: &str,
    new: &str,
    most: usize,
    bytes: usize,
) -> DiffView {
    let hunks = texts::compare(old, new);
    let mut room = bytes;
    let fitting = hunks.iter().flatten().take_while(|line| {
        let fits = line.text.len() <= room;
        room = room.saturating_sub(line.text.len());
        fits
    });
    let most = most.min(fitting.count());
    view(path, hunks, most)
}

fn view(path: &str, hunks: Vec<Vec<Plain<'_>>>, most: usize) -> DiffView {
    let came = |change| {
        count(
            hunks
                .iter()
                .flatten()
                .filter(|line| line.change == change)
                .count(),
        )
    };
    let (added, removed) = (came(Change::Added), came(Change::Removed));
    let total: usize = hunks.iter().map(Vec::len).sum();
    let mut room = most;
    let mut painted = Vec::new();
    for hunk in &hunks {
        let lines = &hunk[..hunk.len().min(room)];
        if lines.is_empty() {
            continue;
        }
        room -= lines.len();
        painted.push(Hunk {
            lines: paint(path, lines),
        });
    }
    DiffView {
        path: path.to_owned(),
        added,
        removed,
        hunks: painted,
        cut: total > most,
    }
}

/// Highlights the lines of a hunk: each side is read as the text that it is.
fn paint(path: &str, lines: &[Plain<'_>]) -> Vec<DiffLine> {
    let side = |left_out: Change| {
        let text: String = lines
            .iter()
            .filter(|line| line.change != left_out)
            .flat_map(|line| [line.text, "\n"])
            .collect();
        code::scan(&text, path).into_iter()
    };
    let (mut old, mut new) = (side(Change::Added), side(Change::Removed));
    let marks = words::marks(lines);
    let painted = lines.iter().zip(marks).map(|(line, marks)| {
        let old_tokens = if line.change == Change::Added {
            None
        } else {
            old.next()
        };
        let new_tokens = if line.change == Change::Removed {
            None
        } else {
            new.next()
        };
        let tokens = new_tokens.or(old_tokens).unwrap_or_default();
        DiffLine {
            change: line.change,
            old: line.old,
            new: line.new,
            html: code::paint(line.text, &tokens, &marks),
        }
    });
    painted.collect()
}

#[cfg(test)]
mod tests;
