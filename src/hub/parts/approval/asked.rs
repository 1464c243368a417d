//! An approval before it is stored: its token, and what an answer means to one that is stored.

use super::Amendable;
use crate::conversation::{Card, PendingCall, PendingConfirmation, Row};
use crate::hub::{HubError, HubResult};
use crate::journal::{Approval, Question, ShownRecord, digest};
use crate::live::Decision;
use crate::people::Rating;
use crate::render::{RowView, is_whole};
use crate::rules::{self, Reading, ReadingOf, Reason};

/// An approval that is to be stored, with the rows of its card.
pub struct Asked {
    pub question: Question,
    /// What its token is the digest of.
    pub text: ShownRecord,
    /// What rules know of it.
    pub reading: Reading,
    /// The action, if people can amend it.
    pub amendable: Option<Amendable>,
    pub(super) calls: PendingConfirmation,
    pub(super) rows: Vec<RowView>,
    pub(super) too_large: bool,
}

impl Asked {
    /// An approval of `calls`, with what was read of their rows. `content` is all that their rows hold, `text` what of it is
    /// shown in words, `whole` are these rows rendered with all of it and `rows` as the card shows them; `is_complete` says
    /// that there is a row for each call.
    pub fn new(
        conversation: &str,
        calls: PendingConfirmation,
        reading: Reading,
        (content, text): (&str, String),
        whole: &[RowView],
        rows: Vec<RowView>,
        is_complete: bool,
    ) -> Self {
        let asked = calls.calls.iter();
        let asked = asked.map(|call| (call.key.as_str(), call.fingerprint.as_str()));
        let asked: Vec<(&str, &str)> = asked.collect();
        let asked = serde_json::to_string(&asked).expect("texts are plain data");
        let shown = serde_json::to_string(whole).expect("views are plain data");
        let too_large = !is_complete || !whole.iter().all(is_whole);
        let is_all_there = !too_large && rows.iter().all(is_whole);
        let rating = rating(&reading).word().to_owned();
        let content = digest(&[], &[content]);
        let token = token_of(conversation, &asked, &content, &text);
        Self {
            reading: reading.as_shown(&shown, is_all_there),
            question: Question {
                rating,
                question: digest(&[], &[conversation, &asked]),
                token: token.clone(),
                shown,
            },
            text: ShownRecord {
                token,
                calls: asked,
                content,
                shown: text,
            },
            too_large,
            calls,
            rows,
            amendable: None,
        }
    }

    /// The same, with the action that people can amend.
    pub fn with(mut self, amendable: Option<Amendable>) -> Self {
        self.amendable = amendable;
        self
    }

    /// The row of its first action.
    pub fn first_row(&self) -> i64 {
        self.calls.calls.first().map_or(0, |call| call.row)
    }
}

/// The token of an approval: of `calls`, as JSON, whose rows have the digest `content` and are shown as `text`.
pub fn token_of(conversation: &str, calls: &str, content: &str, text: &str) -> String {
    digest(&[], &[conversation, calls, content, text])
}

/// What rules know of pending calls, by their rows.
pub fn reading(calls: &PendingConfirmation, rows: &[Row]) -> Reading {
    let read = |pending: &PendingCall| {
        let row = rows.iter().find(|row| row.id == pending.row);
        match row.map(|row| &row.card) {
            Some(Card::Call(row))
                if row.call.fingerprint() == pending.fingerprint
                    && (row.call.risk, row.call.held) == (pending.risk, pending.held) =>
            {
                rules::read(&row.call)
            }
            _ => ReadingOf {
                risk: pending.risk,
                what: Err(Reason::Differs),
            },
        }
    };
    let actions = calls.calls.iter().map(read).collect();
    Reading { actions }
}

/// How actions are rated, as far as it matters who may approve them.
pub fn rating(reading: &Reading) -> Rating {
    Rating::of(reading.highest(), reading.is_unrated())
}

/// What an answer means for a stored approval: a repetition is harmless, a different one comes too late.
///
/// Errors: [`HubError::AnsweredBefore`] if the answers differ.
pub fn repeated(known: Approval, decision: Decision) -> HubResult {
    let yes = decision == Decision::Approve;
    let approved = known.approved.unwrap_or(!yes);
    if approved == yes {
        Ok(())
    } else {
        Err(HubError::AnsweredBefore {
            approved,
            at: known.answered_at.unwrap_or_default(),
            by: known.answered_by,
        })
    }
}
