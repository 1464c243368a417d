//! Touches of passkeys: what a person's passkey has signed for an approval, stored with it.
//!
//! Invariant: an approval that needs a touch is stored only with one of its own: by the same person, for the same token and
//! the same text, in time, with a passkey that is still theirs and in the state in which it was verified. All of that is
//! compared in the transaction that stores the approval, its audit entry and the passkey's new state.

use super::engine::{self, Transaction, params};
use super::{AuditEntry, Journal, JournalError, audit};
use sha2::{Digest as _, Sha256};
use std::collections::HashSet;

/// Setting: which approvals need a touch, as JSON.
pub(crate) const TOUCHES: &str = "approval_touches";

/// The action of the audit entry with what was signed.
pub const TOUCHED: &str = "approve with passkey";
/// The same for what was asked for instead of a pending action.
pub const TOUCHED_AMENDMENT: &str = "amend with passkey";

/// A touch that was verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTouch {
    /// Number of the person.
    pub person: i64,
    /// The token of the approval.
    pub token: String,
    /// The hash of the text that was shown ([`hash_of_shown`]).
    pub shown: String,
    /// The text that is asked for instead, or empty.
    pub amended: String,
    /// Until when it is good, milliseconds since the Unix epoch.
    pub until: i64,
    /// Number of the passkey.
    pub passkey: i64,
    /// Public key and state of the passkey, as they were when it was verified.
    pub before: String,
    /// The same after it.
    pub after: String,
    /// What was signed, with everything by which that can be checked, as JSON.
    pub proof: String,
}

/// The hash of the text that was shown of an approval: SHA-256 in hexadecimal digits.
pub fn hash_of_shown(text: &str) -> String {
    data_encoding::HEXLOWER.encode(&Sha256::digest(text.as_bytes()))
}

impl Journal {
    /// The numbers of the people who have a passkey.
    pub async fn passkey_holders(&self) -> Result<HashSet<i64>, JournalError> {
        let sql = "SELECT DISTINCT person FROM passkey";
        let found: Vec<i64> = self.database.list(sql, [], |row| row.get(0)).await?;
        Ok(found.into_iter().collect())
    }

    /// How many people with one of these roles, by their words, have a passkey.
    pub async fn people_with_passkeys(&self, roles: Vec<String>) -> Result<usize, JournalError> {
        let sql = "SELECT role FROM person WHERE disabled = 0
                   AND EXISTS (SELECT 1 FROM passkey WHERE passkey.person = person.number)";
        let found: Vec<String> = self.database.list(sql, [], |row| row.get(0)).await?;
        Ok(found.iter().filter(|role| roles.contains(role)).count())
    }
}

/// Whether a touch is good for an answer to the approval with this token.
pub(super) fn holds(
    transaction: &Transaction<'_>,
    number: i64,
    token: &str,
    touch: &NewTouch,
    by: &AuditEntry,
) -> engine::Result<bool> {
    let shown: Option<String> = transaction.value(
        "SELECT shown FROM approval_shown WHERE conversation = ?1 AND token = ?2",
        params![number, token],
    )?;
    let is_same = touch.person == by.person
        && touch.token == token
        && shown.is_some_and(|shown| hash_of_shown(&shown) == touch.shown);
    if !is_same || by.at > touch.until {
        return Ok(false);
    }
    let passkey = transaction.find(
        "SELECT 1 FROM passkey WHERE number = ?1 AND person = ?2 AND credential = ?3",
        params![touch.passkey, touch.person, touch.before],
        |_| Ok(()),
    )?;
    Ok(passkey.is_some())
}

/// Stores a touch that holds: its audit entry, and the passkey's new state.
pub(super) fn keep(
    transaction: &Transaction<'_>,
    touch: &NewTouch,
    by: &AuditEntry,
) -> engine::Result<()> {
    transaction.execute(
        "UPDATE passkey SET credential = ?2, used_at = ?3 WHERE number = ?1",
        params![touch.passkey, touch.after, by.at],
    )?;
    let action = match touch.amended.as_str() {
        "" => TOUCHED,
        _ => TOUCHED_AMENDMENT,
    };
    let begun = AuditEntry {
        action: action.to_owned(),
        detail: touch.proof.clone(),
        outcome: "begun".to_owned(),
        about: 0,
        ..by.clone()
    };
    let (number, hash) = audit::append(transaction, &begun)?;
    tracing::info!(number, hash, "audit entry appended");
    let done = AuditEntry {
        detail: String::new(),
        outcome: audit::DONE.to_owned(),
        about: number,
        ..begun
    };
    audit::append(transaction, &done).map(drop)
}
