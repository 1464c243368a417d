//! The events that a reader of a long log looks for.

use super::{Body, LogItem, PendingConfirmation, Session, Status};
use crate::words::words;
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

// In the order in which they are shown.
words! {
    Mark, as_str: Message "message", Approval "approval", Error "error", Edit "edit", Condensation "condensation"
}

impl Mark {
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
