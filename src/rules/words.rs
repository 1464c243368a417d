//! Rules and reasons in words.

use super::{Conditions, Pattern, Reason, Rest, Subject, text};
use crate::conversation::Risk;

impl Subject {
    /// What the rule is about, as the object of "Allow …".
    pub fn in_words(&self) -> String {
        match self {
            Self::Commands(patterns) => {
                let patterns: Vec<String> = patterns.iter().map(Pattern::in_words).collect();
                patterns.join(text::and())
            }
            Self::Edits { below } => text::edits(below),
            Self::Reads { below } => text::reads(below),
            Self::Tool { name } => text::tool(name),
            Self::Rated => text::rated().to_owned(),
        }
    }
}

impl Pattern {
    fn in_words(&self) -> String {
        let words: Vec<String> = self.words.iter().map(|word| quoted(word)).collect();
        let command = words.join(" ");
        match self.rest {
            Rest::Nothing => text::exactly(command),
            Rest::Names => text::with_names(command),
            Rest::Anything => text::with_anything(command),
        }
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:,+@%=".contains(letter);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

impl Conditions {
    /// The ratings that it allows.
    pub fn ratings_in_words(&self) -> String {
        let up_to = match self.highest {
            Risk::Unknown | Risk::Low => text::up_to_low(),
            Risk::Medium => text::up_to_medium(),
            Risk::High => text::up_to_high(),
        };
        match self.unrated {
            true => format!("{up_to}{}", text::or_unrated()),
            false => up_to.to_owned(),
        }
    }
}

impl Reason {
    /// The reason as a sentence.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Kind => text::kind(),
            Self::NotHeld => text::not_held(),
            Self::Hidden => text::hidden(),
            Self::TooLong => text::too_long(),
            Self::Argument => text::argument(),
            Self::Input => text::input(),
            Self::Shell => text::shell(),
            Self::RunsOthers => text::runs_others(),
            Self::Path => text::path(),
            Self::Differs => text::differs(),
        }
    }
}
