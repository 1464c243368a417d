//! Families of events, by which a search selects.

use super::{Body, FileOp, ResultShape, Tool};
use crate::words::words;
use serde::{Deserialize, Serialize};

/// What an event is, in the words of its readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Messages.
    Message,
    /// Commands and Python cells.
    Command,
    /// What commands and tools returned.
    Output,
    /// Reading and changing files.
    File,
    /// All other tools.
    Tool,
    /// Errors and rejections.
    Error,
    /// Everything else: summaries, hooks, context.
    Other,
}

words! {
    Family, as_str: Message "message", Command "command", Output "output", File "file", Tool "tool", Error "error",
    Other "other"
}

impl Family {
    /// The family of an event.
    pub fn of(body: &Body) -> Self {
        match body {
            Body::Message(_) => Self::Message,
            Body::Call(call) => match &call.tool {
                Tool::Shell { .. } | Tool::Cell { .. } => Self::Command,
                Tool::File(_) => Self::File,
                _ => Self::Tool,
            },
            Body::Result(_)
            | Body::Unknown {
                result: Some(_), ..
            } => Self::Output,
            Body::Rejected { .. } | Body::CallError { .. } | Body::RunError { .. } => Self::Error,
            _ => Self::Other,
        }
    }
}

/// The path of the file that an event is about; the working directory of a command is none.
pub fn path_of(body: &Body) -> Option<&str> {
    match body {
        Body::Call(call) => match &call.tool {
            Tool::File(
                FileOp::View { path, .. }
                | FileOp::Undo { path }
                | FileOp::Create { path, .. }
                | FileOp::Insert { path, .. }
                | FileOp::Rewrite { path, .. }
                | FileOp::Replace { path, .. },
            ) => Some(path),
            Tool::Search { place, .. } => Some(place),
            _ => None,
        },
        Body::Result(result) if result.shape != ResultShape::Terminal => result.path.as_deref(),
        _ => None,
    }
}

/// The parts of a camelCase word: `parseHTTPHeader` has `parse`, `HTTP` and `Header`. Empty for any other word.
pub fn camel_parts(word: &str) -> Vec<&str> {
    let letters: Vec<(usize, char)> = word.char_indices().collect();
    let mut starts = vec![0];
    for at in 1..letters.len() {
        let (before, (place, letter)) = (letters[at - 1].1, letters[at]);
        let next = letters.get(at + 1).map(|(_, next)| *next);
        let begins = letter.is_uppercase()
            && (!before.is_uppercase() || next.is_some_and(char::is_lowercase));
        if begins {
            starts.push(place);
        }
    }
    if starts.len() < 2 {
        return Vec::new();
    }
    let ends = starts.iter().skip(1).copied().chain([word.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| &word[*start..end])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_camel_case_word_has_parts_and_no_other_word_has() {
        assert_eq!(
            camel_parts("parseHTTPHeader2Fields"),
            ["parse", "HTTP", "Header2", "Fields"]
        );
        assert_eq!(camel_parts("CamelCase"), ["Camel", "Case"]);
        assert_eq!(camel_parts("öffneÜber"), ["öffne", "Über"]);
        for word in ["plain", "HTTP", "Word", "", "a1b2"] {
            assert!(camel_parts(word).is_empty(), "{word}");
        }
    }

    #[test]
    fn a_family_is_found_by_its_word() {
        for family in Family::ALL {
            assert_eq!(Family::from_word(family.as_str()), Some(family));
        }
        assert_eq!(Family::from_word("else"), None);
    }
}
