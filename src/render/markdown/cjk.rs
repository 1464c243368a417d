//! Emphasis beside scripts without spaces.
//!
//! Markdown lets marks open or close by the blanks and punctuation around them. Chinese, Japanese, Korean and Thai have
//! no blanks there, so that `**「重点」**内容` stays as it was written. A sentinel that counts as punctuation is put
//! between such a mark and a letter, and is taken out of the finished HTML.

use crate::conversation::is_unspaced;
use std::borrow::Cow;

/// A punctuation mark that no text has (OLD CHINESE HOOK MARK).
const SENTINEL: char = '\u{16FE2}';

/// The text with the sentinel beside the marks that need it; `None` if none does.
pub(super) fn marked(text: &str) -> Option<String> {
    if !text.contains(|letter| is_unspaced(letter) || is_wide(letter)) || text.contains(SENTINEL) {
        return None;
    }
    let mut out = String::with_capacity(text.len() + 16);
    let (mut before, mut from) = ('\0', 0);
    for (at, run) in runs(text) {
        out.push_str(&text[from..at]);
        before = text[from..at].chars().next_back().unwrap_or(before);
        let after = text[at + run.len()..].chars().next().unwrap_or('\0');
        if is_beside(before, after) {
            out.push(SENTINEL);
        }
        out.push_str(run);
        if is_beside(after, before) {
            out.push(SENTINEL);
        }
        from = at + run.len();
        before = '*';
    }
    out.push_str(&text[from..]);
    (out.len() > text.len()).then_some(out)
}

/// HTML without the sentinel, also where it was percent-encoded in an address.
pub(super) fn unmarked(html: &str) -> String {
    let encoded = "%F0%96%BF%A2";
    html.replace([SENTINEL], "").replace(encoded, "")
}

/// The runs of emphasis marks.
fn runs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + text[from..].find(['*', '_', '~'])?;
        let mark = text[at..].chars().next()?;
        let rest = &text[at..];
        let run = &rest[..rest.len() - rest.trim_start_matches(mark).len()];
        from = at + run.len();
        Some((at, run))
    })
}

/// Whether a mark between this letter and that punctuation stands as beside a space: if one of them is of such a script.
fn is_beside(letter: char, other: char) -> bool {
    is_punctuation(other) && (is_unspaced(letter) || (letter.is_alphanumeric() && is_wide(other)))
}

/// Whether a punctuation mark belongs to such a script.
fn is_wide(mark: char) -> bool {
    matches!(mark, '\u{3001}'..='\u{303F}' | '\u{30FB}' | '\u{FE10}'..='\u{FE1F}' | '\u{FE30}'..='\u{FE4F}' | '\u{FF01}'..='\u{FF65}')
}

fn is_punctuation(letter: char) -> bool {
    letter != '\0' && !letter.is_alphanumeric() && !letter.is_whitespace() && letter != SENTINEL
}

/// The text, marked if it has to be.
pub(super) fn prepared(text: &str) -> (Cow<'_, str>, bool) {
    match marked(text) {
        Some(marked) => (Cow::Owned(marked), true),
        None => (Cow::Borrowed(text), false),
    }
}
