//! Who did what: appended, never changed, each entry chained to the one before it.
//!
//! An entry's hash covers everything in it and the hash before it, so that nothing can be altered, put in
//! or taken out of the middle without [`Journal::verify_audit`] seeing it. Cutting off the end shows only
//! to who has kept the last hash: it is printed by `handrail audit verify`.

use super::{Journal, JournalError, database::Durability, digest};
use rusqlite::{OptionalExtension, Row, Transaction, params};

/// What is put into the audit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditEntry {
    /// When, milliseconds since the Unix epoch.
    pub at: i64,
    /// Number of the person; 0 is whoever sits at the machine.
    pub person: i64,
    /// What they were called then.
    pub name: String,
    /// From where.
    pub address: String,
    /// What they did, in one word.
    pub action: String,
    /// In which conversation, or empty.
    pub conversation: String,
    /// SHA-256 of what exactly was done, or empty.
    pub digest: String,
    /// What else is worth knowing; never a secret.
    pub detail: String,
    /// What became of it.
    pub outcome: String,
    /// The entry whose outcome this is, or 0.
    pub about: i64,
}

/// An entry with its place in the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRecord {
    /// Its place, from 1 on.
    pub number: i64,
    /// What it says.
    pub entry: AuditEntry,
    /// Its hash.
    pub hash: String,
}

/// Which entries are wanted; empty texts are no condition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditFilter {
    /// By whom.
    pub name: String,
    /// What was done.
    pub action: String,
    /// Where.
    pub conversation: String,
    /// Only those before this number.
    pub before: Option<i64>,
}

/// Whether the chain is whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditState {
    /// How many entries there are.
    pub entries: i64,
    /// Hash of the last one.
    pub head: String,
    /// Number of the first entry that is not what was written.
    pub broken_at: Option<i64>,
}

const COLUMNS: &str =
    "number, at, person, name, address, action, conversation, digest, detail, outcome, about, hash";

impl Journal {
    /// Appends an entry and answers its number. On the disk when it returns.
    pub async fn note(&self, entry: AuditEntry) -> Result<i64, JournalError> {
        self.database
            .write(Durability::OnDisk, move |transaction| {
                append(transaction, &entry)
            })
            .await
    }

    /// Entries, the newest first, at most `limit`.
    pub async fn audit(
        &self,
        filter: AuditFilter,
        limit: u32,
    ) -> Result<Vec<AuditRecord>, JournalError> {
        self.database
            .read(move |transaction| {
                transaction
                    .prepare_cached(&format!(
                        "SELECT {COLUMNS} FROM audit
                         WHERE number < ifnull(?1, 9223372036854775807)
                           AND (?2 = '' OR name = ?2 COLLATE NOCASE) AND (?3 = '' OR action = ?3)
                           AND (?4 = '' OR conversation = ?4)
                         ORDER BY number DESC LIMIT ?5"
                    ))?
                    .query_map(
                        params![
                            filter.before,
                            filter.name,
                            filter.action,
                            filter.conversation,
                            limit
                        ],
                        read,
                    )?
                    .collect()
            })
            .await
    }

    /// Looks at the whole chain.
    pub async fn verify_audit(&self) -> Result<AuditState, JournalError> {
        self.database
            .read(|transaction| {
                let mut state = AuditState {
                    entries: 0,
                    head: String::new(),
                    broken_at: None,
                };
                let mut statement =
                    transaction.prepare(&format!("SELECT {COLUMNS} FROM audit ORDER BY number"))?;
                let mut rows = statement.query([])?;
                while let Some(row) = rows.next()? {
                    let record = read(row)?;
                    state.entries += 1;
                    let whole = record.number == state.entries
                        && record.hash == hash_of(&state.head, record.number, &record.entry);
                    if !whole && state.broken_at.is_none() {
                        state.broken_at = Some(record.number);
                    }
                    state.head = record.hash;
                }
                Ok(state)
            })
            .await
    }
}

fn append(transaction: &Transaction<'_>, entry: &AuditEntry) -> rusqlite::Result<i64> {
    let last = transaction
        .prepare_cached("SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1")?
        .query_row([], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
        })
        .optional()?;
    let (before, head) = last.unwrap_or_default();
    let number = before + 1;
    transaction
        .prepare_cached(&format!(
            "INSERT INTO audit ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"
        ))?
        .execute(params![
            number,
            entry.at,
            entry.person,
            entry.name,
            entry.address,
            entry.action,
            entry.conversation,
            entry.digest,
            entry.detail,
            entry.outcome,
            entry.about,
            hash_of(&head, number, entry),
        ])?;
    Ok(number)
}

/// The hash of an entry behind the one with the hash `before`.
fn hash_of(before: &str, number: i64, entry: &AuditEntry) -> String {
    let numbers = [number, entry.at, entry.person, entry.about].map(i64::to_be_bytes);
    let texts = [
        before,
        &entry.name,
        &entry.address,
        &entry.action,
        &entry.conversation,
        &entry.digest,
        &entry.detail,
        &entry.outcome,
    ];
    digest(numbers.as_flattened(), &texts)
}

fn read(row: &Row<'_>) -> rusqlite::Result<AuditRecord> {
    Ok(AuditRecord {
        number: row.get(0)?,
        entry: AuditEntry {
            at: row.get(1)?,
            person: row.get(2)?,
            name: row.get(3)?,
            address: row.get(4)?,
            action: row.get(5)?,
            conversation: row.get(6)?,
            digest: row.get(7)?,
            detail: row.get(8)?,
            outcome: row.get(9)?,
            about: row.get(10)?,
        },
        hash: row.get(11)?,
    })
}
