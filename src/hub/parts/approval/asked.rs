//! An approval before it is stored: its token, and what an answer means to one that is stored.

use crate::conversation::PendingConfirmation;
use crate::hub::{HubError, HubResult};
use crate::journal::{Approval, Question, digest};
use crate::live::Decision;
use crate::render::{RowView, is_whole};

/// An approval that is to be stored, with the rows of its card.
pub struct Asked {
    pub question: Question,
    pub(super) calls: PendingConfirmation,
    pub(super) rows: Vec<RowView>,
    pub(super) too_large: bool,
}

impl Asked {
    /// An approval of `calls`. `content` is all that their rows hold, `whole` are these rows rendered with all of it
    /// and `rows` as the card shows them; `is_complete` says that there is a row for each call.
    pub fn new(
        conversation: &str,
        calls: PendingConfirmation,
        content: &str,
        whole: &[RowView],
        rows: Vec<RowView>,
        is_complete: bool,
    ) -> Self {
        let asked = calls.calls.iter();
        let asked = asked.map(|call| (call.key.as_str(), call.fingerprint.as_str()));
        let asked: Vec<(&str, &str)> = asked.collect();
        let asked = serde_json::to_string(&asked).expect("texts are plain data");
        Self {
            question: Question {
                question: digest(&[], &[conversation, &asked]),
                token: digest(&[], &[conversation, &asked, content]),
                shown: serde_json::to_string(whole).expect("views are plain data"),
            },
            too_large: !is_complete || !whole.iter().all(is_whole),
            calls,
            rows,
        }
    }
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
