//! Which row an item belongs to.
//!
//! The rule needs only a few lookups and the session, never the whole log: the journal does the lookups in an index,
//! [`super::Timeline`] in maps.

use super::fingerprint::fingerprint;
use super::{Actor, Answer, Body, Call, Confirmation, LogItem, Session, Status};

/// Lookups for placing an item.
pub trait RowIndex {
    /// The row of the event with this upstream key.
    fn row_of_key(&self, key: &str) -> Option<i64>;
    /// The row of an event that *answers* this upstream key (a result that arrived before its call).
    fn row_answering_key(&self, key: &str) -> Option<i64>;
    /// The row of the newest call with this tool call id.
    fn row_of_call(&self, call_id: &str) -> Option<i64>;
}

/// The placement of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placed {
    /// Starts a new row.
    New,
    /// Joins the row with this id.
    Joins(i64),
    /// Not on the timeline (status, title, ...).
    Aside,
}

/// Determines the row of `item`. Must be called before [`Session::apply`].
pub fn place(item: &LogItem, session: &Session, index: &impl RowIndex) -> Placed {
    match &item.body {
        Body::Call(call) => asked_again(item, call, session)
            .or_else(|| told_before(item, index))
            .or_else(|| index.row_answering_key(item.key.as_deref()?))
            .map_or(Placed::New, Placed::Joins),
        Body::Hook(_) if item.answers.is_none() => Placed::New,
        // A hook that runs before a call arrives before it.
        Body::Result(_) | Body::Rejected { .. } | Body::CallError { .. } | Body::Hook(_) => {
            answered(item, session, index).map_or(Placed::New, Placed::Joins)
        }
        // What answers anything but a call is no part of it.
        Body::Unknown {
            result: Some(_), ..
        } if item.answers.is_some() => answered(item, session, index)
            .filter(|row| session.is_call(*row))
            .map_or(Placed::New, Placed::Joins),
        Body::Message(message) => match session.task_of_delegate(item.from, &message.text) {
            Some(row) => Placed::Joins(row),
            None => Placed::New,
        },
        Body::RunError { .. } if item.key.is_none() => trouble(item, session),
        Body::Status {
            status: Status::Error,
            reason,
        } if !reason.is_empty() => trouble(item, session),
        Body::RunError { .. }
        | Body::Recall(_)
        | Body::Condensed { .. }
        | Body::Stopped { .. }
        | Body::System(_)
        | Body::Note(_)
        | Body::Lost { .. }
        | Body::Unknown { .. } => Placed::New,
        Body::Status { .. }
        | Body::Steered { .. }
        | Body::Title(_)
        | Body::State(_)
        | Body::Progress { .. }
        | Body::Nothing => Placed::Aside,
    }
}

/// The row of the call that this call repeats: after an answer 0.x sends the action again, with another id and without
/// its thought.
fn asked_again(item: &LogItem, call: &Call, session: &Session) -> Option<i64> {
    let last = session.last_call.as_ref()?;
    let pos = session.pos_of(item);
    let was_answered = last.pos < session.decided_pos && session.decided_pos < pos;
    let is_open = session.open.iter().any(|open| open.row == last.row);
    let says_so = last.asked
        && is_open
        && matches!(
            call.confirmation,
            Confirmation::Confirmed | Confirmation::Rejected
        );
    let is_repeated =
        item.key != last.key && (was_answered || says_so) && last.fingerprint == call.fingerprint();
    is_repeated.then_some(last.row)
}

/// The row of the call that this call updates: ACP agents report the progress of their calls.
fn told_before(item: &LogItem, index: &impl RowIndex) -> Option<i64> {
    match item.answers.as_ref()? {
        Answer::Call(id) => index.row_of_call(id),
        Answer::Key(_) | Answer::Before(_) => None,
    }
}

fn answered(item: &LogItem, session: &Session, index: &impl RowIndex) -> Option<i64> {
    match item.answers.as_ref() {
        Some(Answer::Key(key)) => index
            .row_of_key(key)
            .or_else(|| index.row_answering_key(key)),
        Some(Answer::Call(id)) => index.row_of_call(id),
        Some(Answer::Before(tool)) if session.has_before(tool) => {
            session.before.as_ref().map(|(row, _)| *row)
        }
        Some(Answer::Before(_)) | None => session.delegate().map(|delegate| delegate.row),
    }
}

/// A failure is reported up to three times: by a frame, by a status with its reason, and again while it lasts. All its
/// reports share one row until something else happens.
fn trouble(item: &LogItem, session: &Session) -> Placed {
    let is_late = item.pos.is_some_and(|pos| session.newest_pos > Some(pos));
    match &session.trouble {
        _ if is_late => Placed::New,
        Some(trouble) if trouble.says(&item.body) => Placed::Aside,
        Some(trouble) if trouble.is_told_by(&item.body) && !trouble.is_full() => {
            Placed::Joins(trouble.row)
        }
        _ => Placed::New,
    }
}

impl Session {
    /// Whether the newest event is a call of this tool without a key.
    fn has_before(&self, tool: &str) -> bool {
        let before = self.before.as_ref();
        before.is_some_and(|(_, before)| before == tool)
    }

    /// Whether a row is that of an open call, or of the newest one.
    fn is_call(&self, row: i64) -> bool {
        let mut calls = self.open.iter().chain(&self.last_call);
        calls.any(|call| call.row == row)
    }

    /// The row of the delegation, if this message is its task on the way to the delegate: in 0.x its source is a
    /// person.
    pub(super) fn task_of_delegate(&self, from: Actor, text: &str) -> Option<i64> {
        let delegate = self.delegate().filter(|_| from == Actor::Human)?;
        let task = text.strip_prefix("TASK: ").map(|task| fingerprint(&task));
        let is_task = task.is_some() && task == delegate.task;
        is_task.then_some(delegate.row)
    }
}
