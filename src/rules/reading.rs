//! What was understood of an action, as it is stored with its approval.

use crate::conversation::Risk;
use serde::{Deserialize, Serialize};

/// The version of the reader: what another one has read is read again.
pub const VERSION: i64 = 1;

/// What was understood of all actions that one answer decides on, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Reading {
    /// The actions.
    pub actions: Vec<ReadingOf>,
}

/// What was understood of one action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadingOf {
    /// Its rating.
    pub risk: Risk,
    /// What it does, or why no rule can judge it.
    pub what: Result<Understood, Reason>,
}

/// An action that a rule can judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Understood {
    /// Commands, each as its words, that run one after the other or together.
    Commands(Vec<Vec<String>>),
    /// Changes a file, by its absolute path.
    Edit(String),
    /// Reads a file or folder, by its absolute path.
    View(String),
    /// Calls a tool of an MCP server, by its name.
    Tool(String),
}

/// Why no rule can judge an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Rules do not cover this kind of action.
    Kind,
    /// The server carries it out before the answer.
    NotHeld,
    /// It has characters or a change that cannot be seen.
    Hidden,
    /// It is too long to be judged, or is not shown in full.
    TooLong,
    /// It has an argument beside those that are judged.
    Argument,
    /// It is input for a running program.
    Input,
    /// It is not a plain command line: it has an expansion, a redirection, a separator or something else with a meaning of
    /// its own to the shell.
    Shell,
    /// It runs a program that runs others: a shell, `sudo`, `xargs`.
    RunsOthers,
    /// Its path is not absolute, or has steps like `..`.
    Path,
    /// What is pending differs from what is on the timeline.
    Differs,
}

impl Reading {
    /// The actions, if all of them were understood.
    pub fn understood(&self) -> Option<Vec<&Understood>> {
        let whats = self.actions.iter().map(|action| action.what.as_ref().ok());
        whats.collect()
    }

    /// Why no rule can judge it, if that is so.
    pub fn reason(&self) -> Option<Reason> {
        let mut whats = self.actions.iter().map(|action| &action.what);
        whats.find_map(|what| what.as_ref().err().copied())
    }

    /// Whether any of the actions is not rated.
    pub fn is_unrated(&self) -> bool {
        self.actions
            .iter()
            .any(|action| action.risk == Risk::Unknown)
    }

    /// The highest rating.
    pub fn highest(&self) -> Risk {
        let risks = self.actions.iter().map(|action| action.risk);
        risks.max().unwrap_or_default()
    }
}
