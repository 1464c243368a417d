//! Evidence: one file about a conversation that says what was asked and shown, who or what answered, and what came of it, with
//! the hashes of the audit log, so that it can be checked without this server.
//!
//! The file has two kinds of fields. What is checked is covered by a hash: an entry of the audit log by its own, and what was
//! shown by the token that the entries name. All else stands in `unchecked`. What a check does not prove is said in the file.
//!
//! Invariant: a file has no hash over something that its reader may not know, except where another hash needs it: who guesses
//! names and addresses could confirm the guess. So entries that are not whole have none, nor have the entries after it, up to
//! one about another conversation, and the hash before an entry is there only where that entry is about something else. The
//! digest of a message, and the token of what is masked, are there: without them nothing after a message could be checked,
//! and no approval found. That they confirm a guess of the whole text is said.

mod answers;
mod fields;
mod limits;
mod make;
mod page;
#[cfg(test)]
mod tests;
mod verify;

pub use page::{evidence_json, evidence_page};
pub use verify::{Verified, verify_evidence};

use serde::{Deserialize, Serialize};

/// The format of the files that are written. A page is compared with what is made of its JSON, so another page is another
/// format.
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
    /// What a check of this file does not prove, in sentences.
    pub not_proven: Vec<String>,
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
    /// Whether secrets of known kinds are masked.
    pub masked: bool,
    /// Whether everything fitted into the file.
    pub complete: bool,
}

/// An approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalEvidence {
    /// The digest of the conversation's id and of the three fields of `shown`.
    pub token: String,
    /// What was shown; `None` if it was not kept or has a masked secret, and so cannot be checked.
    pub shown: Option<ShownEvidence>,
    /// Who approved first, where a second person had to.
    pub first: Option<FirstEvidence>,
    /// The answer that counted, if there is one.
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

/// The first of two approvals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FirstEvidence {
    /// Number of its entry.
    pub entry: i64,
    /// Number of the entry with what a passkey of this person has signed for it, if one has.
    pub touch: Option<i64>,
    /// Name of the person.
    pub by: String,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerEvidence {
    /// Number of the entry with which it began.
    pub entry: i64,
    /// Number of the entry with its outcome, if that is recorded.
    pub ended: Option<i64>,
    /// Number of the entry that says that it was the second of two approvals, if it was.
    pub second: Option<i64>,
    /// Number of the entry with what a passkey of this person has signed for it, if one has.
    pub touch: Option<i64>,
    /// Whether it approves.
    pub approved: bool,
    /// Who or what gave it.
    pub means: AnswerMeans,
    /// Name of the person, or of the maker of the rule or amendment.
    pub by: String,
    /// The number of the rule and what it allows, the number of the amendment, or how a person answered; may be empty.
    pub detail: String,
}

/// Who or what gave an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerMeans {
    /// A person.
    Person,
    /// A rule.
    Rule,
    /// What a person had asked for instead of something else.
    Amendment,
    /// A deadline: nobody had answered in time.
    Deadline,
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
    /// What was asked for instead, with the rejection.
    pub amendment: Option<AmendmentEvidence>,
    /// Of an approval by an amendment: whether the action in the log is exactly what the amendment asks for.
    pub as_amended: Option<bool>,
    /// What ran, and its results, each shortened.
    pub ran: Vec<RanEvidence>,
}

/// What was asked for instead of a rejected action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AmendmentEvidence {
    /// Its number.
    pub number: i64,
    /// The command, or the code.
    pub text: String,
    /// When it was made, milliseconds since the Unix epoch.
    pub made_at: i64,
    /// When it ended unless it was used before, milliseconds since the Unix epoch.
    pub expires_at: i64,
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

impl RanEvidence {
    /// An action that is too large to be read with the others.
    fn too_large() -> Self {
        Self {
            row: 0,
            text: String::new(),
            cut: true,
        }
    }
}

/// An entry of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryEvidence {
    /// Its number in the whole log.
    pub number: i64,
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
    /// Its hash, and what it covers beside that. `None`, and so not to be checked: for others than owners; if it has a masked
    /// secret; and for the entries after it, up to one about another conversation.
    pub whole: Option<WholeEntry>,
}

/// What only owners get of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WholeEntry {
    /// Hash of the entry before it, if that is not in the file.
    pub before: Option<String>,
    /// Its hash.
    pub hash: String,
    /// Account number.
    pub person: i64,
    /// Network address.
    pub address: String,
    /// Further details.
    pub detail: String,
}
