//! What a page shows of the request that the model received.

use super::Html;
use crate::conversation::messages::{Remark, Speaker};
use serde::{Deserialize, Serialize};

/// The request that the model received.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ModelView {
    /// The model, or empty.
    pub model: String,
    /// The newest messages, oldest first.
    pub messages: Vec<ModelMessageView>,
    /// The number of older messages that are not shown.
    pub older: usize,
    /// The names of the tools.
    pub tools: Vec<String>,
    /// Events that are not in the request, each with the reason.
    pub left_out: Vec<(i64, Remark)>,
    /// Whether OpenHands itself refuses to make this request.
    pub refused: bool,
    /// Whether the backend is an agent-server 1.x.
    pub agent_server: bool,
    /// The size of the newest prompt, in tokens.
    pub tokens: Option<u64>,
    /// Compared with an earlier step: the number of messages that were added, and of those that are gone.
    pub changes: Option<(usize, usize)>,
    /// The request as JSON; empty if it is too long to be sent twice.
    pub json: String,
    /// The `seq` of the newest event that counts.
    pub newest: i64,
    /// Whether the log is too large: events after `newest` are missing.
    pub cut: bool,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelMessageView {
    /// Its number in the request, from 1 on.
    pub number: usize,
    /// Who speaks.
    pub role: Speaker,
    /// The beginning of its text, on one line of plain text.
    pub head: String,
    /// The name of the tool that answers.
    pub tool: String,
    /// Its parts in order.
    pub parts: Vec<ModelPartView>,
    /// What has to be said beside it.
    pub remark: Option<Remark>,
    /// The `seq` of its event.
    pub seq: Option<i64>,
    /// Whether it was added since the step of the comparison.
    pub new: bool,
    /// Its size, in characters.
    pub size: usize,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelPartView {
    /// A text.
    Text {
        /// The text as HTML, with hidden characters made visible.
        html: Html,
        /// Whether there are hidden characters.
        hidden: bool,
        /// The number of characters that are not shown.
        cut: usize,
    },
    /// A call of a tool.
    Call {
        /// The tool.
        name: String,
        /// The model's id of the call.
        id: String,
        /// The arguments as HTML.
        html: Html,
        /// Whether there are hidden characters.
        hidden: bool,
        /// The number of characters that are not shown.
        cut: usize,
    },
    /// An image of this many bytes, or an address on the web.
    Image {
        /// Its media type or its address.
        what: String,
        /// Whether it is sent: a model without vision does not get it.
        sent: bool,
    },
}
