//! Exports and imports of conversations.

pub use crate::render::SecretKind;
use serde::{Deserialize, Serialize};

/// Whether an export contains the secrets of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Secrets {
    /// They are masked.
    #[default]
    Mask,
    /// They are kept: the events are exactly those in the journal.
    Keep,
}

/// What an export masks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ExportView {
    /// The title, or empty.
    pub title: String,
    /// The secrets, in the order of the log.
    pub secrets: Vec<SecretView>,
    /// Whether all events were searched. If not, the export still masks all of them.
    pub whole: bool,
}

/// A secret in a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecretView {
    /// What it is.
    pub kind: SecretKind,
    /// Its first characters, at most four; of a short one fewer.
    pub start: String,
    /// How often it occurs.
    pub count: usize,
    /// Position and id of the row of its first occurrence that is on the timeline.
    pub row: Option<(i64, i64)>,
}
