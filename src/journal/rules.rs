//! Rules that answer approvals, and what was understood of each approval.
//!
//! Invariant: a rule answers only what was asked after it was made, what nobody has answered, and while it is in force. All
//! of that is compared in the transaction that stores the answer with its audit entry ([`Journal::claim_by_rule`]).
//!
//! Long because that transaction, the switch and the readings know the same tables.

use super::conversations::number_of;
use super::engine::{self, Row, Transaction, params};
use super::standing::{self, Standing, Verdict};
use super::{AuditEntry, Journal, JournalError, audit, database::Durability};

/// Setting: when the rules were stopped, and when they were last resumed.
const STOPPED: &str = "rules_stopped_at";
const RESUMED: &str = "rules_resumed_at";

/// Rules in force at a time.
pub(crate) const MOST_RULES: i64 = 500;

/// A rule to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRule {
    /// Number of its maker; 0 for the local user.
    pub person: i64,
    /// Name of its maker.
    pub maker: String,
    /// Where it applies, as JSON.
    pub scope: String,
    /// What it allows, as JSON.
    pub conditions: String,
    /// Time, milliseconds since the Unix epoch.
    pub made_at: i64,
    /// End, milliseconds since the Unix epoch.
    pub expires_at: Option<i64>,
}

/// A stored rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleRecord {
    /// Its number.
    pub number: i64,
    /// The rule as it was made.
    pub rule: NewRule,
    /// When it was ended.
    pub ended_at: Option<i64>,
    /// Who ended it; empty if its maker lost the right.
    pub ended_by: String,
    /// How often it answered.
    pub used: i64,
    /// When it answered last.
    pub used_at: Option<i64>,
    /// The present role of its maker; `None` for the local user, and if the account is disabled or gone.
    pub role: Option<String>,
}

/// What was understood of an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewReading {
    /// The token of the approval.
    pub token: String,
    /// The row of its first action.
    pub row: i64,
    /// The version of the reader.
    pub version: i64,
    /// The reading, as JSON.
    pub reading: String,
}

/// An approval of the history with what was understood of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadRecord {
    /// Id of the conversation.
    pub conversation: String,
    /// Its repository.
    pub repository: Option<String>,
    /// The same for each approval of the same actions.
    pub question: String,
    /// The row of its first action.
    pub row: i64,
    /// The position of this row.
    pub pos: i64,
    /// When it was asked for, milliseconds since the Unix epoch.
    pub asked_at: i64,
    /// The reading, as JSON.
    pub reading: String,
    /// The answer, if there was one.
    pub approved: Option<bool>,
}

/// An approval that was not read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// Id of the conversation.
    pub conversation: String,
    /// Its token.
    pub token: String,
    /// What was shown.
    pub shown: String,
}

const COLUMNS: &str = "rule.number, person, maker, scope, conditions, made_at, expires_at, ended_at, ended_by, used, used_at,
    (SELECT role FROM person WHERE person.number = rule.person AND disabled = 0)";

impl Journal {
    /// Stores a rule and returns its number; `None` if there are too many.
    pub async fn add_rule(&self, rule: NewRule) -> Result<Option<i64>, JournalError> {
        self.database
            .write(Durability::OnDisk, move |transaction| {
                let count: i64 = transaction.one(
                    "SELECT count(*) FROM rule WHERE ended_at IS NULL AND ifnull(expires_at, ?1 + 1) > ?1",
                    [rule.made_at],
                )?;
                if count >= MOST_RULES {
                    return Ok(None);
                }
                transaction.execute(
                    "INSERT INTO rule (person, maker, scope, conditions, made_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                    params![rule.person, rule.maker, rule.scope, rule.conditions, rule.made_at, rule.expires_at],
                )?;
                transaction.last_insert_rowid().map(Some)
            })
            .await
    }

    /// The rules that are not ended and not expired, in the order in which they were made; none while all are stopped.
    pub async fn rules_in_force(&self, now: i64) -> Result<Vec<RuleRecord>, JournalError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM rule WHERE ended_at IS NULL AND ifnull(expires_at, ?1 + 1) > ?1
             AND NOT EXISTS (SELECT 1 FROM setting WHERE key = '{STOPPED}' AND value <> '') ORDER BY number LIMIT {MOST_RULES}"
        );
        self.database.list(sql, [now], read).await
    }

    /// All rules, those in force first, then the newest, at most `limit`.
    pub async fn rules(&self, limit: u32) -> Result<Vec<RuleRecord>, JournalError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM rule ORDER BY ended_at IS NOT NULL, rule.number DESC LIMIT ?1"
        );
        self.database.list(sql, [limit], read).await
    }

    /// The rule with this number.
    pub async fn rule(&self, number: i64) -> Result<Option<RuleRecord>, JournalError> {
        let sql = format!("SELECT {COLUMNS} FROM rule WHERE rule.number = ?1");
        self.database.find(sql, [number], read).await
    }

    /// Ends a rule; `false` if it has ended before.
    pub async fn end_rule(&self, number: i64, by: &str, now: i64) -> Result<bool, JournalError> {
        let sql =
            "UPDATE rule SET ended_at = ?3, ended_by = ?2 WHERE number = ?1 AND ended_at IS NULL";
        let ended = self
            .database
            .execute(Durability::OnDisk, sql, (number, by.to_owned(), now));
        Ok(ended.await? == 1)
    }

    /// Stops all rules, or resumes them: then they answer what is asked from now on.
    pub async fn stop_rules(&self, stop: bool, now: i64) -> Result<(), JournalError> {
        self.database
            .write(Durability::OnDisk, move |transaction| {
                super::rules::stop(transaction, stop, now)
            })
            .await
    }

    /// Whether all rules are stopped.
    pub async fn rules_are_stopped(&self) -> Result<bool, JournalError> {
        let stopped = self.setting(STOPPED).await?;
        Ok(stopped.is_some_and(|since| !since.is_empty()))
    }

    /// Stores what was understood of an approval.
    pub async fn keep_reading(
        &self,
        conversation: &str,
        reading: NewReading,
    ) -> Result<(), JournalError> {
        let id = conversation.to_owned();
        self.database
            .write(Durability::Ordinary, move |transaction| {
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok(());
                };
                transaction.execute(
                    "INSERT INTO reading (conversation, token, question, asked_at, row, version, reading, approved)
                     SELECT conversation, token, question, asked_at, ?3, ?4, ?5, approved FROM approval
                     WHERE conversation = ?1 AND token = ?2
                     ON CONFLICT (conversation, token) DO UPDATE SET
                       row = excluded.row, version = excluded.version, reading = excluded.reading",
                    params![number, reading.token, reading.row, reading.version, reading.reading],
                )?;
                Ok(())
            })
            .await
    }

    /// What was understood of the approvals that were asked for since a time, oldest first, at most `limit` of the newest.
    pub async fn readings_since(
        &self,
        since: i64,
        limit: u32,
    ) -> Result<Vec<ReadRecord>, JournalError> {
        let sql = "SELECT conversation.id, conversation.repository, question, row, asked_at, reading, approved,
                     ifnull((SELECT pos FROM timeline_row WHERE timeline_row.conversation = reading.conversation AND id = row), 0)
                   FROM reading INDEXED BY reading_by_time JOIN conversation ON conversation.number = reading.conversation
                   WHERE asked_at >= ?1 ORDER BY asked_at DESC LIMIT ?2";
        let record = |row: &Row<'_>| {
            Ok(ReadRecord {
                conversation: row.get(0)?,
                repository: row.get(1)?,
                question: row.get(2)?,
                row: row.get(3)?,
                asked_at: row.get(4)?,
                reading: row.get(5)?,
                approved: row.get(6)?,
                pos: row.get(7)?,
            })
        };
        let mut found: Vec<ReadRecord> = self.database.list(sql, (since, limit), record).await?;
        found.reverse();
        Ok(found)
    }

    /// What was understood of an approval, as JSON.
    pub async fn reading(
        &self,
        conversation: &str,
        token: &str,
    ) -> Result<Option<String>, JournalError> {
        let sql = "SELECT reading FROM reading
                   WHERE conversation = (SELECT number FROM conversation WHERE id = ?1) AND token = ?2";
        let wanted = (conversation.to_owned(), token.to_owned());
        self.database.find(sql, wanted, |row| row.get(0)).await
    }

    /// Approvals that were asked for since a time and not read by this version of the reader, newest first, at most `limit`.
    pub async fn unread_approvals(
        &self,
        since: i64,
        version: i64,
        limit: u32,
    ) -> Result<Vec<Unread>, JournalError> {
        let sql = "SELECT conversation.id, token, shown FROM approval INDEXED BY approval_by_time
                   JOIN conversation ON conversation.number = approval.conversation
                   WHERE asked_at >= ?1 AND NOT EXISTS (
                     SELECT 1 FROM reading WHERE reading.conversation = approval.conversation
                       AND reading.token = approval.token AND version = ?2)
                   ORDER BY asked_at DESC LIMIT ?3";
        let unread = |row: &Row<'_>| {
            Ok(Unread {
                conversation: row.get(0)?,
                token: row.get(1)?,
                shown: row.get(2)?,
            })
        };
        self.database
            .list(sql, (since, version, limit), unread)
            .await
    }

    /// Forgets what was understood of all approvals, as if an older version had stored them.
    #[cfg(test)]
    pub(crate) async fn forget_readings(&self) {
        let forgotten = self
            .database
            .execute(Durability::Ordinary, "DELETE FROM reading", ());
        forgotten.await.expect("healthy");
    }

    /// Stores so many rejected questions with this reading.
    #[cfg(test)]
    pub(crate) async fn fill_readings(&self, conversation: &str, count: u32, reading: String) {
        let sql = "WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < ?2)
                   INSERT INTO reading (conversation, token, question, asked_at, row, version, reading, approved)
                   SELECT (SELECT number FROM conversation WHERE id = ?1), 't' || n, 'q' || n, ?4 + n, 1, 1, ?3, 0 FROM each";
        let filled = (
            conversation.to_owned(),
            count,
            reading,
            crate::clock::now() - 1_000_000,
        );
        let filled = self.database.execute(Durability::Ordinary, sql, filled);
        filled.await.expect("healthy");
    }

    /// Stores the approval of a rule with its audit entry, if the rule is in force, was made before the question, nobody
    /// has answered, and `judge` says that the rule's approval is sent. Both are on disk when this returns the number of the entry; `None` if nothing was stored.
    pub async fn claim_by_rule(
        &self,
        conversation: &str,
        token: &str,
        rule: i64,
        by: &str,
        entry: AuditEntry,
        judge: impl FnOnce(&Standing) -> Verdict + Send + 'static,
    ) -> Result<Option<i64>, JournalError> {
        let (id, token, by) = (conversation.to_owned(), token.to_owned(), by.to_owned());
        self.database
            .write(Durability::OnDisk, move |transaction| {
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok(None);
                };
                let maker = transaction
                    .value("SELECT person FROM rule WHERE number = ?1", [rule])?;
                let standing = match maker {
                    Some(maker) => standing::of(transaction, (number, &id), &token, maker)?,
                    None => None,
                };
                // A rule is never one of two.
                if standing.is_none_or(|standing| judge(&standing) != Verdict::Send) {
                    return Ok(None);
                }
                // A rule whose maker's account is disabled or gone is not in force, whatever ended it.
                let won = transaction.execute(
                    "UPDATE approval SET state = 'sent', approved = 1, reason = '', answered_at = ?4, answered_by = ?5
                     WHERE conversation = ?1 AND token = ?2 AND state = 'open' AND approved IS NULL
                       AND NOT EXISTS (SELECT 1 FROM approval AS other WHERE other.conversation = ?1
                         AND other.question = approval.question AND other.approved IS NOT NULL)
                       AND NOT EXISTS (SELECT 1 FROM setting WHERE key = ?6 AND value <> '')
                       AND asked_at >= ifnull((SELECT CAST(value AS BIGINT) FROM setting WHERE key = ?7), 0)
                       AND EXISTS (SELECT 1 FROM rule WHERE number = ?3 AND ended_at IS NULL
                         AND ifnull(expires_at, ?4 + 1) > ?4 AND made_at <= approval.asked_at
                         AND (person = 0 OR person IN (SELECT number FROM person WHERE disabled = 0)))",
                    params![number, token, rule, entry.at, by, STOPPED, RESUMED],
                )?;
                if won != 1 {
                    return Ok(None);
                }
                answered(transaction, number, &token, true, Some(rule))?;
                transaction.execute(
                    "UPDATE rule SET used = used + 1, used_at = ?2 WHERE number = ?1",
                    params![rule, entry.at],
                )?;
                let (number, hash) = audit::append(transaction, &entry)?;
                tracing::info!(number, hash, "audit entry appended");
                Ok(Some(number))
            })
            .await
    }
}

/// Stops all rules, or resumes them.
pub(super) fn stop(transaction: &Transaction<'_>, stop: bool, now: i64) -> engine::Result<()> {
    let mut keep = transaction.prepare_cached(
        "INSERT INTO setting (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    )?;
    let stopped_at = if stop { now.to_string() } else { String::new() };
    keep.execute([STOPPED, &stopped_at])?;
    if !stop {
        keep.execute([RESUMED, &now.to_string()])?;
    }
    Ok(())
}

/// Stops the rules of a restored database, which may be of an older version, if it has any in force.
pub(super) fn stop_restored(transaction: &Transaction<'_>, now: i64) -> engine::Result<()> {
    let in_force = "SELECT 1 FROM rule WHERE ended_at IS NULL LIMIT 1";
    match transaction.has_table("rule")? && transaction.exists(in_force, [])? {
        true => stop(transaction, true, now),
        false => Ok(()),
    }
}

/// Notes an answer beside what was understood.
pub(super) fn answered(
    transaction: &Transaction<'_>,
    number: i64,
    token: &str,
    approved: bool,
    rule: Option<i64>,
) -> engine::Result<()> {
    let mut note = transaction.prepare_cached(
        "UPDATE reading SET approved = ?3, rule = ?4 WHERE conversation = ?1 AND token = ?2",
    )?;
    note.execute(params![number, token, approved, rule])?;
    Ok(())
}

fn read(row: &Row<'_>) -> engine::Result<RuleRecord> {
    Ok(RuleRecord {
        number: row.get(0)?,
        rule: NewRule {
            person: row.get(1)?,
            maker: row.get(2)?,
            scope: row.get(3)?,
            conditions: row.get(4)?,
            made_at: row.get(5)?,
            expires_at: row.get(6)?,
        },
        ended_at: row.get(7)?,
        ended_by: row.get(8)?,
        used: row.get(9)?,
        used_at: row.get(10)?,
        role: row.get(11)?,
    })
}
