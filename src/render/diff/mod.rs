//! Diffs of files, line by line, with changed words marked.
//!
//! Both inputs, a unified diff from a backend and a pair of texts, become the same list of lines, which is then
//! highlighted as the two texts that it came from.

use super::view::AROUND;
use super::{Change, DiffLine, DiffView, Hunk, code};
use code::count;

mod texts;
mod unified;
mod words;

/// Size limits of a diff.
#[derive(Debug, Clone, Copy)]
pub(super) struct DiffLimits {
    /// Maximum number of lines rendered.
    pub(super) lines: usize,
    /// Maximum size of the HTML, in bytes.
    pub(super) html: usize,
}

impl DiffLimits {
    /// Limits for a file on a page of its own.
    const PAGE: Self = Self {
        lines: 5000,
        html: 4 << 20,
    };
}

/// A line before rendering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Plain<'a> {
    change: Change,
    old: Option<u32>,
    new: Option<u32>,
    text: &'a str,
}

/// Renders a unified diff. Text that is not a diff is shown unchanged, without line numbers.
pub fn unified_diff(path: &str, diff_text: &str) -> DiffView {
    unified_within(path, diff_text, DiffLimits::PAGE)
}

/// Renders the diff of two texts, with three lines of context.
pub fn diff_of_texts(path: &str, old: &str, new: &str) -> DiffView {
    texts_within(path, old, new, DiffLimits::PAGE)
}

/// As [`unified_diff`], with other limits.
pub(super) fn unified_within(path: &str, diff_text: &str, room: DiffLimits) -> DiffView {
    view(path, unified::read(diff_text), room)
}

/// As [`diff_of_texts`], with other limits.
pub(super) fn texts_within(path: &str, old: &str, new: &str, room: DiffLimits) -> DiffView {
    view(path, texts::compare(old, new), room)
}

/// As [`diff_of_texts`] for whole files, with other limits, and showing at most `bytes` of text.
pub(super) fn texts_within_bytes(
    path: &str,
    old: &str,
    new: &str,
    room: DiffLimits,
    bytes: usize,
) -> DiffView {
    let hunks = texts::compare(old, new);
    let mut left = bytes;
    let fitting = hunks.iter().flatten().take_while(|line| {
        let fits = line.text.len() <= left;
        left = left.saturating_sub(line.text.len());
        fits
    });
    let lines = room.lines.min(fitting.count());
    view(path, hunks, DiffLimits { lines, ..room })
}

/// Size of a rendered diff, in bytes of HTML.
pub(super) fn weight(view: &DiffView) -> usize {
    let lines = view.hunks.iter().flat_map(|hunk| &hunk.lines);
    lines.map(|line| AROUND + line.html.len()).sum()
}

fn view(path: &str, hunks: Vec<Vec<Plain<'_>>>, mut room: DiffLimits) -> DiffView {
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
    let (mut words, mut shown) = (words::MOST_COMPARED, 0);
    let mut painted = Vec::new();
    for hunk in &hunks {
        let wanted = &hunk[..hunk.len().min(room.lines)];
        let lines = paint(path, wanted, &mut words, &mut room.html);
        let whole = lines.len() == wanted.len();
        room.lines -= lines.len();
        shown += lines.len();
        if !lines.is_empty() {
            painted.push(Hunk { lines });
        }
        if !whole || room.lines == 0 {
            break;
        }
    }
    DiffView {
        path: path.to_owned(),
        added,
        removed,
        hunks: painted,
        cut: total > shown,
    }
}

/// Renders the lines of a hunk; each side is highlighted as the text that it is. `words` is the remaining budget for
/// comparing words, `html` the one for the output, both in bytes; lines beyond it are left out.
fn paint(path: &str, lines: &[Plain<'_>], words: &mut usize, html: &mut usize) -> Vec<DiffLine> {
    let side = |left_out: Change| {
        let text: String = lines
            .iter()
            .filter(|line| line.change != left_out)
            .flat_map(|line| [line.text, "\n"])
            .collect();
        code::scan(&text, path).into_iter()
    };
    let (mut old, mut new) = (side(Change::Added), side(Change::Removed));
    let marks = words::marks(lines, words);
    let painted = lines.iter().zip(marks).map_while(|(line, marks)| {
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
        // Skips rendering of a line that is certain to exceed the limit.
        html.checked_sub(AROUND + line.text.len())?;
        let painted = code::paint(line.text, &tokens, &marks);
        *html = html.checked_sub(AROUND + painted.len())?;
        Some(DiffLine {
            change: line.change,
            old: line.old,
            new: line.new,
            html: painted,
        })
    });
    painted.collect()
}

#[cfg(test)]
mod tests;
