//! Frames of the live line: one WebSocket a tab, JSON texts, several conversations on it.
//!
//! The browser says up to which `seq` it has everything; the first answer is the [`Verdict`]. After
//! [`Verdict::Ok`] all that changed since is sent, then what happens. After [`Verdict::Gap`] the browser
//! takes a fresh [`super::ConversationView`].

use super::{ConversationSummary, DraftView, HereView, SessionView};
use crate::people::Role;
use crate::render::RowView;
use serde::{Deserialize, Serialize};

/// What a browser says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FromBrowser {
    /// Sends what happens in this conversation from now on.
    Follow {
        /// Which.
        conversation: String,
        /// Everything up to here is known.
        after: i64,
    },
    /// No more of it.
    Unfollow {
        /// Which.
        conversation: String,
    },
    /// Sends changes of the list.
    FollowList,
    /// Are you there? Answered by [`FromServer::Pong`].
    Ping,
}

/// What the server says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FromServer {
    /// Answers [`FromBrowser::Follow`].
    Verdict {
        /// Which.
        conversation: String,
        /// Whether the cursor is good.
        verdict: Verdict,
    },
    /// Rows that are new or changed.
    Rows {
        /// Which conversation.
        conversation: String,
        /// Up to which `seq` everything is known with this frame.
        seq: i64,
        /// The rows, as they are now.
        rows: Vec<RowView>,
    },
    /// The state beside the timeline, as it is now.
    Session {
        /// Which conversation.
        conversation: String,
        /// The state.
        session: Box<SessionView>,
    },
    /// All that the model is writing now; it is not on the timeline yet.
    Drafts {
        /// In which conversation.
        conversation: String,
        /// The texts, oldest first.
        drafts: Vec<DraftView>,
    },
    /// What who looks may do in a conversation from now on.
    Role {
        /// Which.
        conversation: String,
        /// Their role there; `None` for visitors.
        role: Option<Role>,
    },
    /// Who watches a conversation now.
    Here {
        /// Which.
        conversation: String,
        /// They.
        here: HereView,
    },
    /// A line of the list, as it is now.
    Summary {
        /// The line.
        summary: Box<ConversationSummary>,
    },
    /// A conversation is gone.
    Gone {
        /// Which.
        conversation: String,
    },
    /// Answers [`FromBrowser::Ping`].
    Pong,
    /// The server ends; come back.
    GoingAway,
}

impl FromServer {
    /// The same for who comes by a link: nothing of the house, nor of who else is in it.
    pub fn for_visitors(self) -> Option<Self> {
        match self {
            Self::Here { .. } => None,
            Self::Session {
                conversation,
                session,
            } => Some(Self::Session {
                conversation,
                session: Box::new(session.for_visitors()),
            }),
            frame => Some(frame),
        }
    }
}

/// Whether a cursor is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Yes: what happened since follows.
    Ok,
    /// No, or too much happened since: take a fresh picture.
    Gap,
}
