//! What a rule allows, and where.

use super::{path, programs, text};
use crate::conversation::Risk;
use serde::{Deserialize, Serialize};

/// Commands that one rule names.
const MOST_PATTERNS: usize = 16;
/// Words of a pattern.
const MOST_WORDS: usize = 40;
/// Bytes of a word, a folder or a name.
const LONGEST: usize = 1000;

/// What a rule is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// Command lines of which each command matches one of these patterns.
    Commands(Vec<Pattern>),
    /// Changes of files below a folder.
    Edits {
        /// The folder, an absolute path.
        below: String,
    },
    /// Reading files below a folder.
    Reads {
        /// The folder, an absolute path.
        below: String,
    },
    /// A tool of an MCP server, with whatever arguments.
    Tool {
        /// Its name.
        name: String,
    },
    /// Every action that can be judged, by its rating alone.
    Rated,
}

/// A command, word by word.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Pattern {
    /// The words that it begins with.
    pub words: Vec<String>,
    /// The words that may follow.
    pub rest: Rest,
}

/// Which words may follow those of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rest {
    /// None.
    Nothing,
    /// Relative paths and names, but no options.
    Names,
    /// Any.
    Anything,
}

/// Where a rule applies. Nowhere may it answer where its maker may not.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// In one conversation, by its id.
    Conversation(String),
    /// In the conversations that its maker has created.
    Own,
    /// In conversations about a repository, by its name.
    Repository(String),
    /// In all conversations.
    All,
}

/// What a rule allows.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Conditions {
    /// What it is about.
    pub subject: Subject,
    /// The highest rating that it allows.
    pub highest: Risk,
    /// Whether it allows what is not rated.
    pub unrated: bool,
}

/// Why a rule cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleError(pub &'static str);

impl Conditions {
    /// Checks that such a rule may be made, by an owner or by somebody else.
    ///
    /// # Errors
    /// [`RuleError`] with a sentence for its maker.
    pub fn check(&self, by_owner: bool) -> Result<(), RuleError> {
        self.subject.check()?;
        if self.unrated && self.subject == Subject::Rated {
            return Err(RuleError(text::rated_is_rated()));
        }
        match self.highest {
            Risk::Unknown => Err(RuleError(text::no_rating())),
            Risk::High if !by_owner => Err(RuleError(text::high_is_for_owners())),
            Risk::High if !self.subject.is_exact() => Err(RuleError(text::high_is_exact())),
            _ => Ok(()),
        }
    }

    /// Whether it may be made, and is in force, if its maker is an owner or is not.
    pub fn is_valid(&self, by_owner: bool) -> bool {
        self.check(by_owner).is_ok()
    }
}

impl Subject {
    /// Whether it names exactly one command line, so that nothing else can be meant.
    pub fn is_exact(&self) -> bool {
        match self {
            Self::Commands(patterns) => patterns.iter().all(|one| one.rest == Rest::Nothing),
            _ => false,
        }
    }

    fn check(&self) -> Result<(), RuleError> {
        match self {
            Self::Commands(patterns) => {
                if patterns.is_empty() || patterns.len() > MOST_PATTERNS {
                    return Err(RuleError(text::commands_out_of_bounds()));
                }
                patterns.iter().try_for_each(Pattern::check)
            }
            Self::Edits { below } | Self::Reads { below } => match path::is_folder(below) {
                true => Ok(()),
                false => Err(RuleError(text::no_folder())),
            },
            Self::Tool { name } if name.is_empty() || name.len() > LONGEST => {
                Err(RuleError(text::no_tool()))
            }
            Self::Tool { .. } | Self::Rated => Ok(()),
        }
    }
}

impl Pattern {
    /// A command with exactly these words.
    pub fn exactly(words: &[String]) -> Self {
        let words = words.to_vec();
        let rest = Rest::Nothing;
        Self { words, rest }
    }

    fn check(&self) -> Result<(), RuleError> {
        let is_bounded = self.words.len() <= MOST_WORDS
            && self
                .words
                .iter()
                .all(|word| !word.is_empty() && word.len() <= LONGEST);
        let Some(name) = self.words.first().filter(|_| is_bounded) else {
            return Err(RuleError(text::commands_out_of_bounds()));
        };
        if programs::runs_others(name) {
            return Err(RuleError(text::runs_others()));
        }
        match self.rest {
            Rest::Nothing => Ok(()),
            Rest::Names if programs::needs_exact_words(&self.words) => {
                Err(RuleError(text::needs_exact_words()))
            }
            Rest::Anything if programs::needs_exact_options(&self.words) => {
                Err(RuleError(text::needs_exact_words()))
            }
            Rest::Names | Rest::Anything => Ok(()),
        }
    }
}
