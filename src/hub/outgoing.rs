//! Messages that only we make and that mean more: the opening of a conversation, and why something was rejected.

use crate::clock::now;
use crate::journal::{Outgoing, OutgoingState};
use crate::people::Right;

/// Id of the first message of a conversation.
pub(super) const OPENING: &str = "opening";
/// Prefix of the ids of messages that contain the reason of a rejection.
pub(super) const REASON: &str = "reason-";

impl Outgoing {
    /// A message that waits to be sent.
    pub(super) fn waiting(client_id: String, text: &str, by: &str) -> Self {
        Self {
            client_id,
            text: text.to_owned(),
            images: Vec::new(),
            files: Vec::new(),
            at: now(),
            by: by.to_owned(),
            state: OutgoingState::Waiting,
            why: String::new(),
            sent_after: 0,
        }
    }

    /// The message that a conversation was begun with just now: the backend has taken it.
    pub(super) fn opening(text: &str, images: Vec<String>, by: &str) -> Self {
        Self {
            images,
            state: OutgoingState::Sent,
            ..Self::waiting(OPENING.to_owned(), text, by)
        }
    }

    /// The right that its author needs: a user who may reject may also give a reason.
    pub(super) fn right(&self) -> Right {
        match self.client_id.starts_with(REASON) {
            true => Right::Answer,
            false => Right::Operate,
        }
    }

    /// Whether an id that a page gives is one of our own, which mean more.
    pub(super) fn is_ours(client_id: &str) -> bool {
        client_id == OPENING || client_id.starts_with(REASON)
    }

    pub(super) fn is_opening(&self) -> bool {
        self.client_id == OPENING
    }
}
