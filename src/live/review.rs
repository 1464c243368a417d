//! The review of a conversation's changes: its files with their diffs, and a person's comments on them.

use crate::render::{DiffSpot, DiffView};
use crate::words::words;
use serde::{Deserialize, Serialize};

/// A part of the changed files, each with what changed in it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ReviewView {
    /// Its files.
    pub files: Vec<ReviewedFile>,
    /// Number of files before the next part; 0 at the end.
    pub more: usize,
    /// Number of all changed files.
    pub count: usize,
}

/// A changed file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReviewedFile {
    /// Its path.
    pub path: String,
    /// Git status letter: A, M, D, R or U.
    pub status: String,
    /// What changed.
    pub shown: ReviewedChange,
}

/// What changed in a file, as far as it can be shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewedChange {
    /// Its lines.
    Diff(DiffView),
    /// It is a picture now, in a format that cannot contain scripts; this tag differs if its bytes do.
    Picture(String),
    /// Why it is not shown: a sentence.
    Unshown(String),
}

/// A person's comment on a line of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommentView {
    /// Its number, never reused.
    pub number: i64,
    /// The commented line.
    pub spot: DiffSpot,
    /// The text of that line when the comment was written.
    pub quote: String,
    /// The comment.
    pub text: String,
    /// How far it is.
    pub state: CommentState,
}

/// How far a comment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommentState {
    /// Nobody else has seen it; it can be changed.
    Draft,
    /// The outbox has it, and has not delivered it.
    Leaving,
    /// The agent has it.
    Sent,
    /// The agent has it, and its author is done with it.
    Resolved,
}

words! {
    CommentState, word: Draft "draft", Leaving "leaving", Sent "sent", Resolved "resolved"
}

/// Longest comment, in characters.
pub const LONGEST_COMMENT: usize = 4_000;
