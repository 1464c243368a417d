//! Parsing of unified diffs, well-formed or not.

use super::{Change, End, Plain};

/// Parses the hunks of a diff. 0.62 sends them without context lines, several per file.
///
/// The counts in a hunk's header determine its end, so that a removed line that looks like a file header (`--- x`)
/// stays a line. A text without a hunk becomes one hunk, parsed by the signs of its lines.
pub(super) fn read(diff: &str) -> Vec<Vec<Plain<'_>>> {
    let mut hunks = Vec::new();
    // If the heads end in CRLF as well, it is the diff that was written so, not the file.
    let is_written_so = diff
        .split('\n')
        .any(|line| line.starts_with("@@ -") && line.ends_with('\r'));
    let line = |line| match End::of(line) {
        Some((line, End::CrLf)) if is_written_so => (line, End::Lf),
        Some(line) => line,
        None => (line, End::Lf),
    };
    let mut lines = diff.split_inclusive('\n').map(line).peekable();
    while let Some((line, _)) = lines.next() {
        let Some(mut head) = Head::read(line) else {
            continue;
        };
        let mut hunk: Vec<Plain<'_>> = Vec::new();
        while let Some((line, end)) = lines.next_if(|(line, _)| head.takes(line)) {
            // "\\ No newline at end of file" is about the line before.
            match (line.starts_with('\\'), hunk.last_mut()) {
                (true, Some(last)) => last.end = End::None,
                (true, None) => {}
                (false, _) => hunk.push(Plain {
                    end,
                    ..head.take(line)
                }),
            }
        }
        // On both sides it is no change.
        let bare = |change| {
            let mut lines = hunk.iter();
            lines.any(|line| line.change == change && line.end == End::None)
        };
        if bare(Change::Added) && bare(Change::Removed) {
            let bare = hunk.iter_mut().filter(|line| line.end == End::None);
            bare.for_each(|line| line.end = End::Lf);
        }
        if !hunk.is_empty() {
            hunks.push(hunk);
        }
    }
    if hunks.is_empty() {
        by_signs(diff)
    } else {
        hunks
    }
}

/// The header `@@ -old,count +new,count @@`; its counts decrease as lines are consumed.
struct Head {
    old: u32,
    new: u32,
    old_left: u32,
    new_left: u32,
}

impl Head {
    fn read(line: &str) -> Option<Self> {
        let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
        let (new, _) = rest.split_once(" @@")?;
        let (old, old_left) = range(old)?;
        let (new, new_left) = range(new)?;
        Some(Self {
            old,
            new,
            old_left,
            new_left,
        })
    }

    /// Whether the line belongs to this hunk.
    fn takes(&self, line: &str) -> bool {
        match line.as_bytes().first() {
            Some(b'\\') => true,
            Some(b'+') => self.new_left > 0,
            Some(b'-') => self.old_left > 0,
            // Some tools omit the space of an empty line.
            Some(b' ') | None => self.old_left > 0 && self.new_left > 0,
            Some(_) => false,
        }
    }

    fn take<'a>(&mut self, line: &'a str) -> Plain<'a> {
        let (change, text) = split(line);
        let mut plain = Plain {
            change,
            old: None,
            new: None,
            text,
            end: End::Lf,
        };
        if change != Change::Added {
            plain.old = Some(self.old);
            self.old = self.old.saturating_add(1);
            self.old_left = self.old_left.saturating_sub(1);
        }
        if change != Change::Removed {
            plain.new = Some(self.new);
            self.new = self.new.saturating_add(1);
            self.new_left = self.new_left.saturating_sub(1);
        }
        plain
    }
}

/// Parses `first,count`; the count defaults to 1.
fn range(text: &str) -> Option<(u32, u32)> {
    match text.split_once(',') {
        Some((first, count)) => Some((first.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

fn split(line: &str) -> (Change, &str) {
    if let Some(text) = line.strip_prefix('+') {
        (Change::Added, text)
    } else if let Some(text) = line.strip_prefix('-') {
        (Change::Removed, text)
    } else {
        (Change::Same, line.strip_prefix(' ').unwrap_or(line))
    }
}

/// A text without a readable hunk: lines by their first character, without numbers.
fn by_signs(diff: &str) -> Vec<Vec<Plain<'_>>> {
    let lines: Vec<_> = super::code::lines(diff)
        .filter(|line| !line.starts_with("--- ") && !line.starts_with("+++ "))
        .map(|line| {
            let (change, text) = split(line);
            Plain {
                change,
                old: None,
                new: None,
                text,
                end: End::Lf,
            }
        })
        .collect();
    if diff.trim().is_empty() || lines.is_empty() {
        Vec::new()
    } else {
        vec![lines]
    }
}
