//! What was shown of each approval, and what an evidence file takes from the log.

use super::audit::{AuditRecord, COLUMNS, read as read_entry};
use super::conversations::number_of;
use super::engine::{OptionalExtension, params};
use super::{Journal, JournalError, database::Durability};

/// Longest text that is kept of an approval, in bytes. What is longer cannot be shown in full, and so not be approved.
const LONGEST: usize = 1 << 20;

/// What the token of an approval is the digest of, beside the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownRecord {
    /// The token.
    pub token: String,
    /// Keys and fingerprints of the pending calls, as JSON.
    pub calls: String,
    /// The digest of all that the rows of these calls held.
    pub content: String,
    /// The text of the actions.
    pub shown: String,
}

/// An approval of a conversation, with what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastApproval {
    /// The token.
    pub token: String,
    /// When it was asked for, milliseconds since the Unix epoch.
    pub asked_at: i64,
    /// The word of its state.
    pub state: String,
    /// The answer, if there is one.
    pub approved: Option<bool>,
    /// The reason that was given, or empty.
    pub reason: String,
    /// When it was answered, milliseconds since the Unix epoch.
    pub answered_at: Option<i64>,
    /// Who answered; empty until then.
    pub answered_by: String,
    /// What was shown, if that was kept.
    pub shown: Option<ShownRecord>,
    /// Number of the person who has approved before another one had to, and when, milliseconds since the Unix epoch.
    pub first: Option<(i64, i64)>,
}

/// What was asked for instead of an action, whatever became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastAmendment {
    /// Its number.
    pub number: i64,
    /// The token of the approval that was rejected for it.
    pub token: String,
    /// The action, as JSON.
    pub action: String,
    /// When it was made, milliseconds since the Unix epoch.
    pub made_at: i64,
    /// Its end, milliseconds since the Unix epoch.
    pub expires_at: i64,
}

/// An entry of the audit log with the hash of the entry before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedEntry {
    /// The entry.
    pub record: AuditRecord,
    /// The hash before it; empty for the first.
    pub before: String,
}

impl Journal {
    /// Keeps what was shown of an approval.
    pub async fn keep_shown(
        &self,
        conversation: &str,
        shown: ShownRecord,
    ) -> Result<(), JournalError> {
        if shown.shown.len() > LONGEST {
            return Ok(());
        }
        let id = conversation.to_owned();
        self.database
            .write(Durability::Ordinary, move |transaction| {
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok(());
                };
                transaction.execute(
                    "INSERT INTO approval_shown (conversation, token, calls, content, shown) VALUES (?1, ?2, ?3, ?4, ?5)
                     ON CONFLICT (conversation, token) DO NOTHING",
                    params![number, shown.token, shown.calls, shown.content, shown.shown],
                )?;
                Ok(())
            })
            .await
    }

    /// What was shown of an approval.
    pub async fn shown(
        &self,
        conversation: &str,
        token: &str,
    ) -> Result<Option<ShownRecord>, JournalError> {
        let (id, token) = (conversation.to_owned(), token.to_owned());
        let sql = "SELECT token, calls, content, shown FROM approval_shown
                   WHERE conversation = (SELECT number FROM conversation WHERE id = ?1) AND token = ?2";
        self.database
            .find(sql, (id, token), |row| {
                Ok(ShownRecord {
                    token: row.get(0)?,
                    calls: row.get(1)?,
                    content: row.get(2)?,
                    shown: row.get(3)?,
                })
            })
            .await
    }

    /// Approvals of a conversation that were asked for after (`asked_at`, `token`), oldest first, at most `limit`.
    pub async fn approvals_after(
        &self,
        conversation: &str,
        after: (i64, String),
        limit: u32,
    ) -> Result<Vec<PastApproval>, JournalError> {
        let id = conversation.to_owned();
        let sql = "SELECT approval.token, approval.asked_at, state, approval.approved, coalesce(reason, ''), answered_at,
                     answered_by, calls, content, approval_shown.shown, first_person, first_at
                   FROM approval
                   LEFT JOIN approval_shown ON approval_shown.conversation = approval.conversation
                     AND approval_shown.token = approval.token
                   WHERE approval.conversation = (SELECT number FROM conversation WHERE id = ?1)
                     AND (approval.asked_at, approval.token) > (?2, ?3)
                   ORDER BY approval.asked_at, approval.token LIMIT ?4";
        self.database
            .list(sql, (id, after.0, after.1, limit), |row| {
                let token: String = row.get(0)?;
                let calls: Option<String> = row.get(7)?;
                let shown = match calls {
                    Some(calls) => Some(ShownRecord {
                        token: token.clone(),
                        calls,
                        content: row.get(8)?,
                        shown: row.get(9)?,
                    }),
                    None => None,
                };
                Ok(PastApproval {
                    token,
                    asked_at: row.get(1)?,
                    state: row.get(2)?,
                    approved: row.get(3)?,
                    reason: row.get(4)?,
                    answered_at: row.get(5)?,
                    answered_by: row.get(6)?,
                    shown,
                    first: match row.get(10)? {
                        Some(person) => Some((person, row.get(11)?)),
                        None => None,
                    },
                })
            })
            .await
    }

    /// The amendments of a conversation, oldest first, at most `limit`.
    pub async fn amendments_of(
        &self,
        conversation: &str,
        limit: u32,
    ) -> Result<Vec<PastAmendment>, JournalError> {
        let sql = "SELECT number, token, action, made_at, expires_at FROM amendment
                   WHERE conversation = (SELECT number FROM conversation WHERE id = ?1) ORDER BY number LIMIT ?2";
        self.database
            .list(sql, (conversation.to_owned(), limit), |row| {
                Ok(PastAmendment {
                    number: row.get(0)?,
                    token: row.get(1)?,
                    action: row.get(2)?,
                    made_at: row.get(3)?,
                    expires_at: row.get(4)?,
                })
            })
            .await
    }

    /// The rows of the events with these keys, oldest first.
    pub async fn rows_of_keys(
        &self,
        conversation: &str,
        keys: Vec<String>,
    ) -> Result<Vec<i64>, JournalError> {
        let id = conversation.to_owned();
        self.database
            .read(move |transaction| {
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok(Vec::new());
                };
                let mut statement = transaction
                    .prepare_cached(
                        "SELECT row FROM event WHERE conversation = ?1 AND key = ?2 AND substr(key, 1, 500) = substr(?2, 1, 500)",
                    )?;
                let mut rows = Vec::with_capacity(keys.len());
                for key in keys {
                    let row: Option<Option<i64>> = statement
                        .query_row(params![number, key], |row| row.get(0))
                        .optional()?;
                    rows.extend(row.flatten().filter(|row| !rows.contains(row)));
                }
                Ok(rows)
            })
            .await
    }

    /// Entries of the audit log about a conversation after the number `after`, oldest first, at most `limit`, each with the
    /// hash before it.
    pub async fn linked_entries(
        &self,
        conversation: &str,
        after: i64,
        limit: u32,
    ) -> Result<Vec<LinkedEntry>, JournalError> {
        let id = conversation.to_owned();
        self.database
            .read(move |transaction| {
                let mut entries = transaction.prepare_cached(&format!(
                    "SELECT {COLUMNS} FROM audit WHERE conversation = ?1 AND number > ?2 ORDER BY number LIMIT ?3"
                ))?;
                let records: Vec<AuditRecord> = entries
                    .query_map(params![id, after, limit], read_entry)?
                    .collect::<Result<_, _>>()?;
                let mut before =
                    transaction.prepare_cached("SELECT hash FROM audit WHERE number = ?1")?;
                let mut linked = Vec::with_capacity(records.len());
                for record in records {
                    let hash: Option<String> = before
                        .query_row([record.number - 1], |row| row.get(0))
                        .optional()?;
                    linked.push(LinkedEntry {
                        before: hash.unwrap_or_default(),
                        record,
                    });
                }
                Ok(linked)
            })
            .await
    }
}
