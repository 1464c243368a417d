//! What happens when nobody answers, as owners see and set it.

use serde::{Deserialize, Serialize};

/// What happens when nobody answers in a repository.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EscalationItem {
    /// The repository; empty for all that have no setting of their own.
    pub repository: String,
    /// The deputies.
    pub deputies: Vec<DeputyView>,
    /// After so many minutes they are told.
    pub tell_after: u32,
    /// After so many minutes the action is rejected; `None` if it keeps waiting.
    pub reject_after: Option<u32>,
}

/// A deputy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeputyView {
    /// Their name; empty if the account is gone.
    pub name: String,
    /// Why they are not told, or not always.
    pub trouble: Option<DeputyTrouble>,
}

/// Why a deputy is not told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeputyTrouble {
    /// The account is gone or disabled.
    NoAccount,
    /// Their role may not answer.
    NoRight,
    /// Their role may not approve what is rated high.
    NotHigh,
    /// They have no passkey, and approving some actions there needs one.
    NoPasskey,
}

/// What an owner enters.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NewEscalation {
    /// The repository, or empty for all others.
    pub repository: String,
    /// Names of the deputies, separated by commas or blanks.
    pub deputies: String,
    /// After so many minutes they are told; empty without deputies.
    pub tell_after: String,
    /// After so many minutes the action is rejected; `None` if it keeps waiting.
    pub reject_after: Option<String>,
}
