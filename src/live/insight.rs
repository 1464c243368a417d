//! What the pages about time and cost show.

use crate::render::Html;
use serde::{Deserialize, Serialize};

/// The page about one conversation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct InsightView {
    /// The title of the conversation, or empty.
    pub title: String,
    /// Plots and tables.
    pub html: Html,
}

/// The page over all conversations.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct OverallView {
    /// The number of days, counted back from today.
    pub days: u32,
    /// Whether it has the conversations of all people.
    pub everybody: bool,
    /// Plots and tables.
    pub html: Html,
}
