//! Evidence: one file about a conversation that says what was asked and shown, who or which rule answered, and what came of
//! it, with the hashes of the audit log, so that it can be checked without this server.
//!
//! The file has two kinds of fields. What is checked is covered by a hash: an entry of the audit log by its own, and what was
//! shown by the token that the entries name. All else stands in `unchecked`.
//!
//! Entries about other conversations may stand between two of this file. Each entry has the hash before it, which is all that
//! its own hash needs of them, so the file says nothing else about them.

mod make;
mod page;
#[cfg(test)]
mod tests;
mod verify;

pub use page::evidence_page;
pub use verify::{Verified, verify_evidence};

use serde::{Deserialize, Serialize};

/// The format of the files that are written.
pub const EVIDENCE_FORMAT: &str = "handrail-evidence-1";

/// The file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// `EVIDENCE_FORMAT`.
    pub format: String,
    /// Id of the conversation.
    pub conversation: String,
    /// The approvals, oldest first.
    pub approvals: Vec<ApprovalEvidence>,
    /// Entries of the audit log about the conversation, oldest first.
    pub entries: Vec<EntryEvidence>,
    /// What no hash covers.
    pub unchecked: About,
}

/// What no hash covers of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// Title of the conversation.
    pub title: String,
    /// When the file was made, milliseconds since the Unix epoch.
    pub made_at: i64,
    /// Number of the newest entry of the whole audit log at that time.
    pub head_number: i64,
    /// Its hash, which `handrail audit verify --seen` looks for on the server.
    pub head_hash: String,
    /// Whether secrets of known kinds are masked.
    pub masked: bool,
    /// Whether everything fitted into the file.
    pub complete: bool,
}

/// An approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalEvidence {
    /// The digest of the conversation's id and of the three that follow.
    pub token: String,
    /// What was shown; `None` if it was not kept or has a masked secret, and so cannot be checked.
    pub shown: Option<ShownEvidence>,
    /// The answer, if there is one.
    pub answer: Option<AnswerEvidence>,
    /// What no hash covers.
    pub unchecked: ApprovalAbout,
}

/// What was shown of an approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShownEvidence {
    /// Keys and fingerprints of the calls, as JSON.
    pub calls: String,
    /// The digest of all that their rows held.
    pub content: String,
    /// The text.
    pub text: String,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerEvidence {
    /// Number of the entry with which it began.
    pub entry: i64,
    /// Number of the entry with its outcome, if that is recorded.
    pub ended: Option<i64>,
    /// Whether it approves.
    pub approved: bool,
    /// Whether a rule answered, in the name of its maker.
    pub by_rule: bool,
    /// Name of the person, or of the rule's maker.
    pub by: String,
}

/// What no hash covers of an approval.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalAbout {
    /// When it was asked for, milliseconds since the Unix epoch.
    pub asked_at: i64,
    /// `open`, `sent`, `approved`, `rejected`, `indeterminate` or `superseded`.
    pub state: String,
    /// The reason that was given, or empty.
    pub reason: String,
    /// What was shown, with its secrets masked; `None` if that is above, or was not kept.
    pub masked_text: Option<String>,
    /// What ran, and its results, each shortened.
    pub ran: Vec<RanEvidence>,
}

/// An action that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RanEvidence {
    /// Id of its row.
    pub row: i64,
    /// What became of it, and its output, as Markdown.
    pub text: String,
    /// Whether the text is shortened.
    pub cut: bool,
}

/// An entry of the audit log. For others than owners it lacks what only owners may know, and then its hash cannot be checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryEvidence {
    /// Its number in the whole log.
    pub number: i64,
    /// Hash of the entry before it; empty for the first.
    pub before: String,
    /// Its hash.
    pub hash: String,
    /// Time, milliseconds since the Unix epoch.
    pub at: i64,
    /// Name of the person.
    pub name: String,
    /// The action.
    pub action: String,
    /// Digest of the content of the action, or empty.
    pub digest: String,
    /// The outcome.
    pub outcome: String,
    /// Number of the entry that this outcome belongs to, or 0.
    pub about: i64,
    /// What only owners may know.
    pub private: Option<PrivateEvidence>,
}

/// What only owners may know of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrivateEvidence {
    /// Account number.
    pub person: i64,
    /// Network address.
    pub address: String,
    /// Further details.
    pub detail: String,
}
