//! Amendments: what people have asked for instead of a pending action, and the one approval that each of them gives.
//!
//! Invariant: an amendment answers exactly its action, once, asked after it and before its end, while its maker may approve.
//! All of that is compared in the transaction that stores the answer with its audit entry
//! ([`Journal::claim_by_amendment`]). Who may approve is decided above this layer, by facts of this transaction.

use super::conversations::number_of;
use super::engine::{self, Transaction, params};
use super::standing::{self, Standing, Verdict};
use super::{AuditEntry, Journal, JournalError, audit, database::Durability};

/// An amendment to store with the rejection of what it replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAmendment {
    /// The action that is asked for, as JSON.
    pub action: String,
    /// How long it lasts, in milliseconds.
    pub lasts: i64,
}

/// An amendment in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AmendmentRecord {
    /// Its number.
    pub number: i64,
    /// Number of its maker; 0 for the local user.
    pub person: i64,
    /// Name of its maker; empty for the local user.
    pub maker: String,
    /// The action that it answers, as JSON.
    pub action: String,
    /// Whether its maker has touched a passkey for it.
    pub touched: bool,
}

impl Journal {
    /// The amendment of a conversation for this action that is in force.
    pub async fn amendment(
        &self,
        conversation: &str,
        action: &str,
        now: i64,
    ) -> Result<Option<AmendmentRecord>, JournalError> {
        let sql = "SELECT number, person, maker, action, touched FROM amendment
                   WHERE conversation = (SELECT number FROM conversation WHERE id = ?1) AND action = ?2
                     AND ended_at IS NULL AND expires_at > ?3
                   ORDER BY number DESC LIMIT 1";
        let wanted = (conversation.to_owned(), action.to_owned(), now);
        self.database
            .find(sql, wanted, |row| {
                Ok(AmendmentRecord {
                    number: row.get(0)?,
                    person: row.get(1)?,
                    maker: row.get(2)?,
                    action: row.get(3)?,
                    touched: row.get(4)?,
                })
            })
            .await
    }

    /// Ends the amendment that was stored with a rejection which was not sent.
    pub async fn end_amendment(
        &self,
        conversation: &str,
        token: &str,
        now: i64,
    ) -> Result<(), JournalError> {
        let sql = "UPDATE amendment SET ended_at = ?3 WHERE token = ?2 AND ended_at IS NULL
                     AND conversation = (SELECT number FROM conversation WHERE id = ?1)";
        let wanted = (conversation.to_owned(), token.to_owned(), now);
        self.database
            .execute(Durability::OnDisk, sql, wanted)
            .await
            .map(drop)
    }

    /// The actions of the amendments in force, whatever their time.
    #[cfg(test)]
    pub(crate) async fn amendments_in_force(&self, conversation: &str) -> Vec<String> {
        let sql = "SELECT action FROM amendment WHERE ended_at IS NULL
                     AND conversation = (SELECT number FROM conversation WHERE id = ?1)";
        let found = self
            .database
            .list(sql, [conversation.to_owned()], |row| row.get(0));
        found.await.expect("healthy")
    }

    /// The number of the newest amendment of a conversation.
    #[cfg(test)]
    pub(crate) async fn newest_amendment(&self, conversation: &str) -> i64 {
        let sql = "SELECT max(number) FROM amendment
                   WHERE conversation = (SELECT number FROM conversation WHERE id = ?1)";
        let wanted = [conversation.to_owned()];
        let found = self.database.find(sql, wanted, |row| row.get(0));
        found.await.expect("healthy").expect("there is one")
    }

    /// Takes back the approval that an amendment gave, because nothing was sent: the amendment is in force as before.
    pub async fn unclaim_amendment(
        &self,
        conversation: &str,
        token: &str,
        amendment: i64,
    ) -> Result<(), JournalError> {
        let (id, token) = (conversation.to_owned(), token.to_owned());
        self.database
            .write(Durability::OnDisk, move |transaction| {
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok(());
                };
                transaction.execute(
                    "UPDATE approval SET approved = NULL, answered_at = NULL, answered_by = ''
                     WHERE conversation = ?1 AND token = ?2 AND state IN ('sent', 'superseded')",
                    params![number, token],
                )?;
                transaction.execute(
                    // Unless the right of its maker has ended meanwhile.
                    "UPDATE amendment SET ended_at = NULL WHERE number = ?1 AND ended_at > 0",
                    [amendment],
                )?;
                Ok(())
            })
            .await
    }

    /// Stores the approval that an amendment gives, with its audit entry, and ends it. Both are on disk when this returns the
    /// number of the entry; `None` if nothing was stored: somebody has answered, the amendment has ended or is for another
    /// action, or `judge` says that this approval is not sent.
    pub async fn claim_by_amendment(
        &self,
        conversation: &str,
        token: &str,
        amendment: AmendmentRecord,
        entry: AuditEntry,
        judge: impl FnOnce(&Standing) -> Verdict + Send + 'static,
    ) -> Result<Option<i64>, JournalError> {
        let (id, token) = (conversation.to_owned(), token.to_owned());
        self.database
            .write(Durability::OnDisk, move |transaction| {
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok(None);
                };
                let maker = transaction.find(
                    "SELECT person, touched FROM amendment WHERE number = ?1",
                    [amendment.number],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )?;
                let (standing, touched) = match maker {
                    Some((maker, touched)) => {
                        (standing::of(transaction, (number, &id), &token, maker)?, touched)
                    }
                    None => (None, false),
                };
                let standing = standing.map(|standing| Standing {
                    touch: touched.then_some(true),
                    ..standing
                });
                // An amendment is never one of two.
                if standing.is_none_or(|standing| judge(&standing) != Verdict::Send) {
                    return Ok(None);
                }
                let by = match amendment.maker.as_str() {
                    "" => "an amendment".to_owned(),
                    maker => format!("an amendment of {maker}"),
                };
                let won = transaction.execute(
                    "UPDATE approval SET state = 'sent', approved = 1, reason = '', answered_at = ?4, answered_by = ?5, touched = ?7
                     WHERE conversation = ?1 AND token = ?2 AND state = 'open' AND approved IS NULL
                       AND NOT EXISTS (SELECT 1 FROM approval AS other WHERE other.conversation = ?1
                         AND other.question = approval.question AND other.approved IS NOT NULL)
                       AND EXISTS (SELECT 1 FROM amendment WHERE number = ?3 AND conversation = ?1 AND action = ?6
                         AND ended_at IS NULL AND expires_at > ?4 AND made_at <= approval.asked_at)",
                    params![number, token, amendment.number, entry.at, by, amendment.action, touched],
                )?;
                if won != 1 {
                    return Ok(None);
                }
                super::rules::answered(transaction, number, &token, true, None)?;
                transaction.execute(
                    "UPDATE amendment SET ended_at = ?2 WHERE number = ?1",
                    params![amendment.number, entry.at],
                )?;
                let (number, hash) = audit::append(transaction, &entry)?;
                tracing::info!(number, hash, "audit entry appended");
                Ok(Some(number))
            })
            .await
    }
}

/// Stores an amendment, which replaces those of the conversation that are in force.
pub(super) fn keep(
    transaction: &Transaction<'_>,
    number: i64,
    token: &str,
    amendment: &NewAmendment,
    by: &AuditEntry,
    maker: &str,
    touched: bool,
) -> engine::Result<()> {
    transaction.execute(
        "UPDATE amendment SET ended_at = ?2 WHERE conversation = ?1 AND ended_at IS NULL",
        params![number, by.at],
    )?;
    transaction.execute(
        "INSERT INTO amendment (conversation, token, person, maker, action, made_at, expires_at, touched)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            number,
            token,
            by.person,
            maker,
            amendment.action,
            by.at,
            by.at.saturating_add(amendment.lasts),
            touched
        ],
    )?;
    Ok(())
}

/// Ends what a person has asked for: they may have lost the right.
pub(super) fn end_those_of(transaction: &Transaction<'_>, person: i64) -> engine::Result<()> {
    transaction
        .execute(
            "UPDATE amendment SET ended_at = 0 WHERE person = ?1 AND (ended_at IS NULL OR ended_at > 0)",
            [person],
        )
        .map(drop)
}
