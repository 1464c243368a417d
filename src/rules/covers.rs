//! Whether a rule covers what was read of an action.

use super::{Conditions, Pattern, Reading, ReadingOf, Rest, Subject, Understood, path, programs};
use crate::conversation::Risk;

impl Conditions {
    /// Whether the rule covers all that was read. Its maker is an owner or is not.
    pub fn covers(&self, reading: &Reading, by_owner: bool) -> bool {
        // What may not be made is not in force either: its maker may have been an owner then.
        self.is_valid(by_owner)
            && !reading.actions.is_empty()
            && reading.actions.iter().all(|action| self.covers_one(action))
    }

    fn covers_one(&self, action: &ReadingOf) -> bool {
        let is_rated_low_enough = match action.risk {
            Risk::Unknown => self.unrated,
            risk => risk <= self.highest,
        };
        let Ok(what) = &action.what else {
            return false;
        };
        is_rated_low_enough && self.subject.covers(what)
    }
}

impl Subject {
    fn covers(&self, what: &Understood) -> bool {
        match (self, what) {
            (Self::Commands(patterns), Understood::Commands(commands)) => {
                let is_covered =
                    |command: &Vec<String>| patterns.iter().any(|pattern| pattern.covers(command));
                !commands.is_empty() && commands.iter().all(is_covered)
            }
            (Self::Edits { below }, Understood::Edit(path))
            | (Self::Reads { below }, Understood::View(path)) => path::is_below(path, below),
            (Self::Tool { name }, Understood::Tool(called)) => name == called,
            (Self::Rated, _) => true,
            _ => false,
        }
    }
}

impl Pattern {
    /// Whether a command is meant.
    fn covers(&self, command: &[String]) -> bool {
        let Some(rest) = command.strip_prefix(self.words.as_slice()) else {
            return false;
        };
        let is_refused = command
            .first()
            .is_none_or(|name| programs::runs_others(name));
        !self.words.is_empty()
            && !is_refused
            && match self.rest {
                Rest::Nothing => rest.is_empty(),
                Rest::Names => rest.iter().all(|word| is_name(word)),
                Rest::Anything => true,
            }
    }
}

/// Whether a word is a relative path or a name, and can be nothing else: no option, no file elsewhere, no address, and no
/// assignment.
fn is_name(word: &str) -> bool {
    // The only colons are those of a test's name (`tests/test_a.py::test_b`): an address has others.
    let (file, tests) = word.split_once("::").unwrap_or((word, ""));
    let has_tests = !tests.is_empty();
    let is_plain = |text: &str| {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./+,".contains(letter);
        text.chars().all(plain)
    };
    let is_file = !file.is_empty()
        && !file.starts_with(['-', '+', '/'])
        && !file.split('/').any(|step| step == "..")
        && is_plain(file);
    let is_test = |name: &str| {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        !name.is_empty() && name.chars().all(plain)
    };
    is_file
        && word.contains("::") == has_tests
        && (!has_tests || file.ends_with(".py") && tests.split("::").all(is_test))
}
