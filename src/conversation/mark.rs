//! The events that a reader of a long log looks for.

use super::{Body, LogItem, PendingConfirmation, Session, Status};
use serde::{Deserialize, Serialize};

/// Why an event is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Somebody wrote a message.
    Message,
    /// An action began to wait for an approval.
    Approval,
    /// The run, or a step of it, failed.
    Error,
    /// A file was changed.
    Edit,
    /// Older events were condensed into a summary.
    Condensation,
}

impl Mark {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 5] = [
        Self::Message,
        Self::Approval,
        Self::Error,
        Self::Edit,
        Self::Condensation,
    ];

    /// The mark of an item that has just been applied to `session`. `row` is its row; `before` is what was pending
    /// before it.
    pub fn of(
        item: &LogItem,
        row: Option<i64>,
        before: Option<&PendingConfirmation>,
        session: &Session,
    ) -> Option<Self> {
        if asks(before, session) {
            return Some(Self::Approval);
        }
        match &item.body {
            Body::Message(_) => Some(Self::Message),
            Body::RunError { .. } | Body::CallError { .. } => Some(Self::Error),
            // A status that repeats a failure has no row of its own.
            Body::Status {
                status: Status::Error,
                ..
            } => row.map(|_| Self::Error),
            Body::Result(result) if result.failed => Some(Self::Error),
            Body::Result(result) if result.shows_change() => Some(Self::Edit),
            Body::Condensed { .. } => Some(Self::Condensation),
            _ => None,
        }
    }

    /// Its word in the journal and on the page.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Approval => "approval",
            Self::Error => "error",
            Self::Edit => "edit",
            Self::Condensation => "condensation",
        }
    }

    /// The mark of a word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mark| mark.as_str() == word)
    }
}

/// Whether an action waits that did not wait before.
fn asks(before: Option<&PendingConfirmation>, session: &Session) -> bool {
    let waited = |row| {
        let mut calls = before.iter().flat_map(|before| &before.calls);
        calls.any(|call| call.row == row)
    };
    let mut calls = session.pending.iter().flat_map(|pending| &pending.calls);
    calls.any(|call| !waited(call.row))
}
