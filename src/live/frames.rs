//! Frames of the live connection: one WebSocket per tab, JSON text frames, several conversations per connection.
//!
//! The browser sends its cursor, the `seq` up to which it has everything; the first reply is the [`Verdict`]. After
//! [`Verdict::Ok`] all changes since the cursor are sent, then new ones as they happen. After [`Verdict::Gap`] the
//! browser fetches a new [`super::ConversationView`].

use super::views::for_visitors;
use super::{ConversationSummary, DraftView, HereView, SessionView};
use crate::people::Role;
use crate::render::RowView;
use serde::{Deserialize, Serialize};

/// A frame from the browser.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FromBrowser {
    /// Subscribes to a conversation.
    Follow {
        /// Conversation id.
        conversation: String,
        /// The cursor: all changes up to this `seq` are known.
        after: i64,
    },
    /// Unsubscribes from a conversation.
    Unfollow {
        /// Conversation id.
        conversation: String,
    },
    /// Subscribes to the conversation list.
    FollowList,
    /// The page has the focus and had input just now, or lost the focus: whoever looks at it is not notified.
    Attends {
        /// Whether it has the focus.
        here: bool,
    },
    /// Keep-alive; answered by [`FromServer::Pong`].
    Ping,
}

/// A frame from the server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FromServer {
    /// Answers [`FromBrowser::Follow`].
    Verdict {
        /// Conversation id.
        conversation: String,
        /// Whether the cursor is valid.
        verdict: Verdict,
    },
    /// New or changed rows.
    Rows {
        /// Conversation id.
        conversation: String,
        /// The cursor after this frame.
        seq: i64,
        /// The rows in their current state.
        rows: Vec<RowView>,
        /// The session state that changed with them: a message is on the timeline or on its way, never both.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<Box<SessionView>>,
    },
    /// The current session state.
    Session {
        /// Conversation id.
        conversation: String,
        /// The session state.
        session: Box<SessionView>,
    },
    /// All text that the model is currently writing and that is not yet on the timeline.
    Drafts {
        /// Conversation id.
        conversation: String,
        /// The drafts, oldest first.
        drafts: Vec<DraftView>,
    },
    /// The viewer's role in a conversation has changed.
    Role {
        /// Conversation id.
        conversation: String,
        /// The new role; `None` for visitors.
        role: Option<Role>,
    },
    /// The current viewers of a conversation.
    Here {
        /// Conversation id.
        conversation: String,
        /// The viewers.
        here: HereView,
    },
    /// The current entry of a conversation in the list.
    Summary {
        /// The entry.
        summary: Box<ConversationSummary>,
    },
    /// A conversation was deleted, or is not available to the viewer.
    Gone {
        /// Conversation id.
        conversation: String,
    },
    /// Answers [`FromBrowser::Ping`].
    Pong,
    /// The server is shutting down; the browser should reconnect.
    GoingAway,
}

impl FromServer {
    /// The session state that it contains.
    pub fn session(&self) -> Option<&SessionView> {
        match self {
            Self::Rows { session, .. } => session.as_deref(),
            Self::Session { session, .. } => Some(session),
            _ => None,
        }
    }

    /// The frame with internal details and people's names removed; `None` if a visitor must not get it at all.
    pub fn for_visitors(self) -> Option<Self> {
        match self {
            Self::Here { .. } | Self::Summary { .. } => None,
            Self::Session {
                conversation,
                session,
            } => Some(Self::Session {
                conversation,
                session: Box::new(session.for_visitors()),
            }),
            Self::Rows {
                conversation,
                seq,
                rows,
                session,
            } => Some(Self::Rows {
                conversation,
                seq,
                rows: for_visitors(rows),
                session: session.map(|session| Box::new(session.for_visitors())),
            }),
            Self::Verdict { .. }
            | Self::Drafts { .. }
            | Self::Role { .. }
            | Self::Gone { .. }
            | Self::Pong
            | Self::GoingAway => Some(self),
        }
    }
}

/// Whether a cursor is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Valid: the changes since follow.
    Ok,
    /// Invalid, or too many changes since: fetch a new view.
    Gap,
}
