//! Diffs of files, line by line, with changed words marked.
//!
//! Both inputs, a unified diff from a backend and a pair of texts, become the same list of lines, which is then
//! highlighted as the two texts that it came from. What a line does not show by itself is named or marked: other line
//! endings, a missing one at the end, and changed blanks. A change never looks like none.

use super::view::AROUND;
use super::{Change, DiffLine, DiffView, Hunk, alike, code, hidden, text};
use code::count;
use ends::{End, Ends};

mod ends;
mod texts;
mod unified;
mod words;

/// The name of blanks in a line that differs in nothing else.
const BLANKS: &str = "BLANKS";

/// Size limits of a diff.
#[derive(Debug, Clone, Copy)]
pub struct DiffLimits {
    /// Maximum number of lines rendered.
    pub(super) lines: usize,
    /// Maximum size of the HTML, in bytes.
    pub(super) html: usize,
}

impl DiffLimits {
    /// Limits for a page: of one file, or of several.
    pub const PAGE: Self = Self {
        lines: 5000,
        html: 4 << 20,
    };

    /// What is left for the diffs behind this one.
    pub fn behind(self, view: &DiffView) -> Self {
        let shown: usize = view.hunks.iter().map(|hunk| hunk.lines.len()).sum();
        Self {
            lines: self.lines.saturating_sub(shown),
            html: self.html.saturating_sub(weight(view)),
        }
    }
}

/// A line before rendering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Plain<'a> {
    change: Change,
    old: Option<u32>,
    new: Option<u32>,
    text: &'a str,
    end: End,
}

/// Renders a unified diff. Text that is not a diff is shown unchanged, without line numbers.
pub fn unified_diff(path: &str, diff_text: &str) -> DiffView {
    unified_within(path, diff_text, DiffLimits::PAGE)
}

/// Renders the diff of two texts, with three lines of context.
pub fn diff_of_texts(path: &str, old: &str, new: &str) -> DiffView {
    texts_within(path, old, new, DiffLimits::PAGE)
}

/// As [`diff_of_texts`], for a file that has changed: if its text has not, its name or its mode has.
pub fn change_of_texts(path: &str, old: &str, new: &str) -> DiffView {
    change_within(path, old, new, DiffLimits::PAGE)
}

/// As [`change_of_texts`], with other limits.
pub fn change_within(path: &str, old: &str, new: &str, room: DiffLimits) -> DiffView {
    let mut view = texts_within(path, old, new, room);
    if old == new {
        view.notes.push(text::only_name_or_mode().to_owned());
    }
    view
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
    let ends = Ends::of(&hunks);
    let (mut words, mut shown) = (words::MOST_COMPARED, 0);
    let mut painted = Vec::new();
    for hunk in &hunks {
        let wanted = &hunk[..hunk.len().min(room.lines)];
        let lines = paint(path, wanted, ends, &mut words, &mut room.html);
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
        notes: ends.note().map(str::to_owned).into_iter().collect(),
        cut: total > shown,
    }
}

/// Pairs of a removed and an added line that differ only in blanks: their blanks are shown.
fn blank_changes(lines: &[Plain<'_>]) -> Vec<bool> {
    let mut found = vec![false; lines.len()];
    let bare = |at: usize| {
        let text = lines[at].text.chars();
        text.filter(|letter| !matches!(letter, ' ' | '\t'))
    };
    for (removed, added) in words::runs(lines) {
        for (old, new) in removed.zip(added) {
            if lines[old].text != lines[new].text && bare(old).eq(bare(new)) {
                (found[old], found[new]) = (true, true);
            }
        }
    }
    found
}

/// For each line the one it is paired with, if they look the same.
fn twins<'a>(lines: &[Plain<'a>]) -> Vec<Option<&'a str>> {
    let mut found = vec![None; lines.len()];
    for (removed, added) in words::runs(lines) {
        for (old, new) in removed.zip(added) {
            if alike::look_same(lines[old].text, lines[new].text) {
                (found[old], found[new]) = (Some(lines[new].text), Some(lines[old].text));
            }
        }
    }
    found
}

/// Renders the lines of a hunk; each side is highlighted as the text that it is. `words` is the remaining budget for
/// comparing words, `html` the one for the output, both in bytes; lines beyond it are left out.
fn paint(
    path: &str,
    lines: &[Plain<'_>],
    ends: Ends,
    words: &mut usize,
    html: &mut usize,
) -> Vec<DiffLine> {
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
    let blanks = blank_changes(lines);
    let all = lines.iter().zip(marks).zip(blanks).zip(twins(lines));
    let painted = all.map_while(|(((line, marks), blanks), twin)| {
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
        let mut painted = match (line.change, twin) {
            (Change::Same, _) => code::paint(line.text, &tokens, &marks),
            (_, Some(twin)) => {
                let mut painted = String::new();
                let (visible, blank) = hidden::split_end(line.text);
                hidden::escape_beside(&mut painted, visible, twin);
                hidden::blanks(&mut painted, blank, code::BLANKS_AT_END);
                painted
            }
            _ if blanks => with_blanks(line.text),
            _ => {
                let (visible, blank) = hidden::split_end(line.text);
                let mut painted = code::paint(visible, &tokens, &marks);
                hidden::blanks(&mut painted, blank, code::BLANKS_AT_END);
                painted
            }
        };
        if line.change != Change::Same {
            match line.end {
                End::CrLf if ends != Ends::CrLf => hidden::token(&mut painted, '\r'),
                End::None => hidden::no_newline(&mut painted),
                End::Lf | End::CrLf => {}
            }
        }
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

/// A line with all its blanks as signs.
fn with_blanks(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find([' ', '\t']) {
        let (text, more) = rest.split_at(at);
        let (blank, after) = more.split_at(more.len() - more.trim_start_matches([' ', '\t']).len());
        hidden::escape_revealing(&mut out, text);
        hidden::blanks(&mut out, blank, BLANKS);
        rest = after;
    }
    hidden::escape_revealing(&mut out, rest);
    out
}

#[cfg(test)]
mod tests;
