//! The audit log: append-only, with each entry chained to the one before it.
//!
//! The hash of an entry covers all its fields and the previous hash, so [`Journal::verify_audit`] detects an entry that
//! was changed, inserted or removed in the middle. Truncation is detectable only with a hash kept elsewhere: every hash
//! is also written to the program's log, and `handrail audit verify --seen` looks a hash up.
//!
//! Long because whatever reads or writes an entry must agree about the fields in its hash.

use super::engine::{self, OptionalExtension, Row, Transaction, named_params, params};
use super::{Journal, JournalError, database::Durability, digest};

/// An entry to append.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditEntry {
    /// Time, milliseconds since the Unix epoch.
    pub at: i64,
    /// Account number; 0 for the local user and unknown names.
    pub person: i64,
    /// Name of the person at that time.
    pub name: String,
    /// Network address of the client.
    pub address: String,
    /// The action, in a word or two.
    pub action: String,
    /// Conversation id, or empty.
    pub conversation: String,
    /// SHA-256 of the exact content of the action, or empty.
    pub digest: String,
    /// Further details; never a secret.
    pub detail: String,
    /// The outcome.
    pub outcome: String,
    /// Number of the entry that this outcome belongs to, or 0.
    pub about: i64,
}

/// An entry with its position in the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRecord {
    /// Its number, starting at 1.
    pub number: i64,
    /// The entry.
    pub entry: AuditEntry,
    /// Its hash.
    pub hash: String,
}

/// Selects entries; an empty text matches all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditFilter {
    /// Name of the person.
    pub name: String,
    /// The action.
    pub action: String,
    /// Conversation id.
    pub conversation: String,
    /// Outcome of the action; only [`Journal::audited_actions`] selects by it.
    pub outcome: AuditOutcome,
    /// Only entries with a smaller number.
    pub before: Option<i64>,
}

impl AuditFilter {
    /// SQL for the entries that matching actions begin with, newest first, whatever their outcome. What is asked for is
    /// written so that an index is used for it.
    fn begun(&self) -> String {
        let name = match self.name.as_str() {
            "" => ":name = ''",
            _ => "name = :name COLLATE NOCASE",
        };
        let action = match self.action.as_str() {
            "" => ":action = ''",
            _ => "action = :action",
        };
        let conversation = match self.conversation.as_str() {
            "" => ":conversation = ''",
            _ => "conversation = :conversation",
        };
        format!(
            "SELECT {COLUMNS} FROM audit
             WHERE about = 0 AND number < :before AND {name} AND {action} AND {conversation} ORDER BY number DESC"
        )
    }
}

/// Selects actions by their outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AuditOutcome {
    /// Every action.
    #[default]
    Any,
    /// Done.
    Done,
    /// Refused or failed.
    Failed,
    /// Not recorded: the action is still in progress, or was interrupted.
    Unknown,
}

impl AuditOutcome {
    /// The outcome that a filter names; an unknown word selects every action.
    pub fn named(word: &str) -> Self {
        match word {
            "done" => Self::Done,
            "failed" => Self::Failed,
            "unknown" => Self::Unknown,
            _ => Self::Any,
        }
    }

    /// Whether it includes an action with this recorded outcome.
    pub fn includes(self, ended: Option<&str>) -> bool {
        let outcome = match ended {
            None => Self::Unknown,
            Some(DONE) => Self::Done,
            Some(INTERRUPTED) => Self::Unknown,
            Some(_) => Self::Failed,
        };
        self == Self::Any || self == outcome
    }
}

/// An action: its first entry, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditedAction {
    /// The entry that was stored before the action.
    pub begun: AuditRecord,
    /// Time (milliseconds since the Unix epoch) and text of the outcome, if it is recorded.
    pub ended: Option<(i64, String)>,
    /// Title of the conversation, if the conversation is known.
    pub title: Option<String>,
    /// Of an answer to an approval that is known: its reason, and position and id of the row that it was about.
    pub answer: Option<(String, Option<(i64, i64)>)>,
}

/// Result of verifying the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditState {
    /// Number of entries.
    pub entries: i64,
    /// Hash of the newest entry.
    pub head: String,
    /// Number of the first entry that fails verification; `None` if the chain is intact.
    pub broken_at: Option<i64>,
    /// Whether the requested hash is in the chain; true if none was requested.
    pub seen: bool,
}

/// Setting: number of the newest entry up to which every action has an outcome.
const SETTLED: &str = "audit_settled";

/// The recorded outcome of an action that succeeded.
pub(crate) const DONE: &str = "done";
/// The recorded outcome of an action that was begun when Handrail stopped.
const INTERRUPTED: &str = "unknown: Handrail stopped before this was done";
/// Longest title of a conversation in the audit log, in characters.
const TITLE: u32 = 200;

/// Actions that make room on the disk: they are recorded, and done, when little of it is left.
const FREE: [&str; 2] = ["delete", "apply retention"];

pub(super) const COLUMNS: &str =
    "number, at, person, name, address, action, conversation, digest, detail, outcome, about, hash";

impl Journal {
    /// Appends an entry and returns its number. The entry is on disk when this returns.
    pub async fn note(&self, entry: AuditEntry) -> Result<i64, JournalError> {
        self.append_to_audit(entry, Durability::OnDisk).await
    }

    /// The same for an action that itself stores something on disk before it reaches a backend: the entry is on disk with
    /// that, since changes get there in their order.
    pub async fn note_before(&self, entry: AuditEntry) -> Result<i64, JournalError> {
        self.append_to_audit(entry, Durability::Ordinary).await
    }

    async fn append_to_audit(
        &self,
        entry: AuditEntry,
        durability: Durability,
    ) -> Result<i64, JournalError> {
        let frees = FREE.contains(&&*entry.action);
        let work = move |transaction: &Transaction<'_>| append(transaction, &entry);
        let (number, hash) = match frees {
            true => self.database.write_to_free(work).await?,
            false => self.database.write(durability, work).await?,
        };
        tracing::info!(number, hash, "audit entry appended");
        Ok(number)
    }

    /// Number and hash of the newest entry; 0 and empty if there is none.
    pub async fn audit_head(&self) -> Result<(i64, String), JournalError> {
        self.database.read(head).await
    }

    /// Matching entries, newest first, at most `limit`.
    pub async fn audit(
        &self,
        filter: AuditFilter,
        limit: u32,
    ) -> Result<Vec<AuditRecord>, JournalError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM audit
                   WHERE number < ifnull(?1, 9223372036854775807)
                     AND (?2 = '' OR name = ?2 COLLATE NOCASE) AND (?3 = '' OR action = ?3)
                     AND (?4 = '' OR conversation = ?4)
                   ORDER BY number DESC LIMIT ?5"
        );
        self.database
            .list(
                sql,
                (
                    filter.before,
                    filter.name,
                    filter.action,
                    filter.conversation,
                    limit,
                ),
                read,
            )
            .await
    }

    /// Entries of matching actions, oldest first, at most `limit`, after the entry `after`; and the number of the last entry
    /// that was looked at, or `None` at the end of the log.
    pub async fn audit_after(
        &self,
        filter: AuditFilter,
        after: i64,
        limit: u32,
    ) -> Result<(Vec<AuditRecord>, Option<i64>), JournalError> {
        self.database
            .read(move |transaction| {
                let mut ended = transaction.prepare_cached(
                    "SELECT outcome FROM audit WHERE about = ?1 AND about <> 0 LIMIT 1",
                )?;
                let mut entries = transaction.prepare_cached(&format!(
                    "SELECT {COLUMNS} FROM audit WHERE number > ?1
                       AND (?2 = '' OR name = ?2 COLLATE NOCASE) AND (?3 = '' OR action = ?3)
                       AND (?4 = '' OR conversation = ?4)
                     ORDER BY number LIMIT ?5"
                ))?;
                let wanted = params![
                    after,
                    filter.name,
                    filter.action,
                    filter.conversation,
                    limit
                ];
                let found: Vec<AuditRecord> =
                    entries.query_map(wanted, read)?.collect::<Result<_, _>>()?;
                let last = found.last().map(|record| record.number);
                let mut selected = Vec::with_capacity(found.len());
                for record in found {
                    let action = match record.entry.about {
                        0 => record.number,
                        about => about,
                    };
                    let outcome: Option<String> =
                        ended.query_row([action], |row| row.get(0)).optional()?;
                    if filter.outcome.includes(outcome.as_deref()) {
                        selected.push(record);
                    }
                }
                Ok((selected, last))
            })
            .await
    }

    /// Matching actions, newest first, at most `limit`, each with its outcome.
    pub async fn audited_actions(
        &self,
        filter: AuditFilter,
        limit: usize,
    ) -> Result<Vec<AuditedAction>, JournalError> {
        self.database
            .read(move |transaction| {
                let mut titles = transaction.prepare_cached(
                    "SELECT substr(title, 1, ?2) FROM conversation WHERE id = ?1",
                )?;
                let mut outcomes = transaction.prepare_cached(
                    "SELECT at, outcome, conversation FROM audit WHERE about = ?1 AND about <> 0 ORDER BY number LIMIT 1",
                )?;
                let mut answers = transaction.prepare_cached(
                    "SELECT ifnull(reason, ''), pos, timeline_row.id
                     FROM conversation JOIN approval ON approval.conversation = number
                     LEFT JOIN reading ON reading.conversation = number AND reading.token = approval.token
                     LEFT JOIN timeline_row ON timeline_row.conversation = number AND timeline_row.id = reading.row
                     WHERE conversation.id = ?1 AND approval.token = ?2",
                )?;
                let mut statement = transaction.prepare_cached(&filter.begun())?;
                let mut rows = statement.stream(named_params! {
                    ":before": filter.before.unwrap_or(i64::MAX), ":name": filter.name,
                    ":action": filter.action, ":conversation": filter.conversation,
                })?;
                let mut actions = Vec::new();
                while actions.len() < limit
                    && let Some(row) = rows.next()?
                {
                    let mut begun = read(&row)?;
                    let ended: Option<(i64, String, String)> = outcomes
                        .query_row([begun.number], |row| {
                            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
                        })
                        .optional()?;
                    let ended = ended.map(|(at, outcome, conversation)| {
                        // Of what creates a conversation only the outcome knows which.
                        if begun.entry.conversation.is_empty() {
                            begun.entry.conversation = conversation;
                        }
                        (at, outcome)
                    });
                    let outcome = ended.as_ref().map(|(_, outcome)| outcome.as_str());
                    if !filter.outcome.includes(outcome) {
                        continue;
                    }
                    let title = titles
                        .query_row(params![begun.entry.conversation, TITLE], |row| row.get(0))
                        .optional()?;
                    let answer = match begun.entry.action.as_str() {
                        "approve" | "reject" if outcome == Some(DONE) => answers
                            .query_row([&begun.entry.conversation, &begun.entry.digest], |row| {
                                let place: (Option<i64>, Option<i64>) = (row.get(1)?, row.get(2)?);
                                Ok((row.get(0)?, place.0.zip(place.1)))
                            })
                            .optional()?,
                        _ => None,
                    };
                    actions.push(AuditedAction {
                        begun,
                        ended,
                        title,
                        answer,
                    });
                }
                Ok(actions)
            })
            .await
    }

    /// Ids and titles of the conversations that changed last, at most `limit`: the choices of a filter.
    pub async fn recent_titles(&self, limit: u32) -> Result<Vec<(String, String)>, JournalError> {
        let sql = "SELECT id, substr(title, 1, ?2) FROM conversation
                   ORDER BY updated_at DESC, id LIMIT ?1";
        self.database
            .list(sql, [limit, TITLE], |row| Ok((row.get(0)?, row.get(1)?)))
            .await
    }

    /// Verifies the whole chain, and whether the hash `seen` is in it.
    pub async fn verify_audit(&self, seen: Option<String>) -> Result<AuditState, JournalError> {
        let verify = move |transaction: &Transaction<'_>| verify(transaction, seen.as_ref());
        self.database.read(verify).await
    }
}

/// Verifies the whole chain, and whether the hash `seen` is in it.
pub(super) fn verify(
    transaction: &Transaction<'_>,
    seen: Option<&String>,
) -> engine::Result<AuditState> {
    let mut state = AuditState {
        entries: 0,
        head: String::new(),
        broken_at: None,
        seen: seen.is_none(),
    };
    let mut statement =
        transaction.prepare(&format!("SELECT {COLUMNS} FROM audit ORDER BY number"))?;
    let mut rows = statement.stream([])?;
    while let Some(row) = rows.next()? {
        let record = read(&row)?;
        state.entries += 1;
        let whole = record.number == state.entries
            && record.hash == hash_of(&state.head, record.number, &record.entry);
        if !whole && state.broken_at.is_none() {
            state.broken_at = Some(record.number);
        }
        state.seen |= seen == Some(&record.hash);
        state.head = record.hash;
    }
    Ok(state)
}

/// Appends the outcome "unknown" to every action that was begun since the last call and has none. Returns their number.
pub(super) fn mark_interrupted(transaction: &Transaction<'_>, now: i64) -> engine::Result<usize> {
    let settled: Option<String> =
        transaction.value("SELECT value FROM setting WHERE key = ?1", [SETTLED])?;
    let settled: i64 = settled.and_then(|text| text.parse().ok()).unwrap_or(0);
    let begun: Vec<AuditRecord> = transaction.list(
        &format!(
            "SELECT {COLUMNS} FROM audit WHERE number > ?1 AND about = 0 AND outcome = 'begun'
               AND number NOT IN (SELECT about FROM audit WHERE number > ?1) ORDER BY number"
        ),
        [settled],
        read,
    )?;
    for record in &begun {
        let entry = AuditEntry {
            at: now,
            outcome: INTERRUPTED.to_owned(),
            about: record.number,
            ..record.entry.clone()
        };
        append(transaction, &entry)?;
    }
    transaction.execute(
        "INSERT INTO setting (key, value) SELECT ?1, ifnull(max(number), 0) FROM audit
         WHERE true ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        [SETTLED],
    )?;
    Ok(begun.len())
}

fn head(transaction: &Transaction<'_>) -> engine::Result<(i64, String)> {
    let last = transaction.find(
        "SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1",
        [],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(last.unwrap_or_default())
}

/// Appends an action that this transaction itself completes, with its outcome.
pub(super) fn append_done(
    transaction: &Transaction<'_>,
    mut entry: AuditEntry,
) -> engine::Result<()> {
    "begun".clone_into(&mut entry.outcome);
    entry.about = 0;
    let (number, hash) = append(transaction, &entry)?;
    tracing::info!(number, hash, "audit entry appended");
    DONE.clone_into(&mut entry.outcome);
    entry.about = number;
    append(transaction, &entry).map(drop)
}

/// Appends an entry; returns its number and hash.
pub(super) fn append(
    transaction: &Transaction<'_>,
    entry: &AuditEntry,
) -> engine::Result<(i64, String)> {
    let (before, head) = head(transaction)?;
    let number = before + 1;
    let hash = hash_of(&head, number, entry);
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
            hash,
        ])?;
    Ok((number, hash))
}

/// The hash of an entry whose predecessor has the hash `before`.
pub fn hash_of(before: &str, number: i64, entry: &AuditEntry) -> String {
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

pub(super) fn read(row: &Row<'_>) -> engine::Result<AuditRecord> {
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
