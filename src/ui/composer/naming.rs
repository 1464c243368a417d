//! What an `@` in a text names, and which entries of a folder it may mean.

use crate::api::{FileEntry, lower_case};

/// Names that are shown.
const SHOWN: usize = 8;
/// Longest name that is completed, in characters.
const LONGEST: usize = 200;

/// What is being named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    /// The `@`, in UTF-16 units of the text.
    pub(super) at: usize,
    /// The folder, or empty.
    pub(super) folder: String,
    /// The beginning of a name in it.
    pub(super) name: String,
}

/// What a text names at its end: an `@` behind nothing, a blank or a bracket, and what follows it without a blank.
pub(super) fn named_by(text: &str) -> Option<Named> {
    let start = text.rfind(|letter: char| letter == '@' || letter.is_whitespace())?;
    let path = text[start..].strip_prefix('@')?;
    let before = text[..start].chars().next_back();
    let is_apart = before.is_none_or(|letter| letter.is_whitespace() || "([{\"'`".contains(letter));
    if !is_apart || path.chars().count() > LONGEST {
        return None;
    }
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    Some(Named {
        at: text[..start].encode_utf16().count(),
        folder: folder.to_owned(),
        name: name.to_owned(),
    })
}

/// The entries whose names begin with a text, and then those that contain it.
pub(super) fn matching(entries: &[FileEntry], name: &str) -> Vec<FileEntry> {
    let wanted = lower_case(name);
    let place = |entry: &FileEntry| lower_case(&entry.name).find(&wanted);
    let first = entries.iter().filter(|entry| place(entry) == Some(0));
    let others = entries
        .iter()
        .filter(|entry| place(entry).is_some_and(|at| at > 0));
    first.chain(others).take(SHOWN).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Option<(usize, String, String)> {
        named_by(text).map(|named| (named.at, named.folder, named.name))
    }

    #[test]
    fn a_name_begins_behind_a_sign_that_stands_apart() {
        let is = |at, folder: &str, name: &str| Some((at, folder.to_owned(), name.to_owned()));
        assert_eq!(named("@"), is(0, "", ""));
        assert_eq!(named("see @src/ma"), is(4, "src", "ma"));
        assert_eq!(named("ä😀 (@a/b/"), is(5, "a/b", ""));
        for none in ["", "no sign", "a@b.example", "@a b", "@a\n"] {
            assert_eq!(named(none), None, "{none:?}");
        }
        assert_eq!(named(&format!("@{}", "x".repeat(201))), None);
    }

    #[test]
    fn beginnings_come_before_what_contains_the_name_and_few_are_shown() {
        let entry = |name: &str| FileEntry {
            name: name.to_owned(),
            path: format!("src/{name}"),
            directory: false,
        };
        let entries: Vec<_> = ["domain.rs", "Main.rs", "b.rs", "mail.rs"]
            .map(entry)
            .into();
        let found: Vec<_> = matching(&entries, "ma")
            .into_iter()
            .map(|entry| entry.name)
            .collect();
        assert_eq!(found, ["Main.rs", "mail.rs", "domain.rs"]);
        let many: Vec<_> = (0..100).map(|at| entry(&format!("m{at}"))).collect();
        assert_eq!(matching(&many, "").len(), SHOWN);
    }
}
