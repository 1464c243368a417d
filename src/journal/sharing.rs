//! The creator of each conversation, and who may see it.

use super::{Journal, JournalError, database::Durability};
use rusqlite::params;
use std::collections::HashMap;

/// The creator of a conversation, and who may see it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SharingRecord {
    /// Conversation id.
    pub conversation: String,
    /// Name of the creator, or empty.
    pub creator: String,
    /// The word for its audience.
    pub audience: String,
    /// Names of people with access, each with the word for the role in this conversation, or empty.
    pub with: Vec<(String, String)>,
}

impl Journal {
    /// Stores the record, replacing an earlier one.
    pub async fn keep_sharing(&self, record: SharingRecord) -> Result<(), JournalError> {
        self.database
            .write(Durability::OnDisk, move |transaction| {
                let id = &record.conversation;
                transaction.execute(
                    "INSERT INTO sharing (conversation, starter, audience) VALUES (?1, ?2, ?3)
                     ON CONFLICT (conversation) DO UPDATE SET starter = excluded.starter, audience = excluded.audience",
                    params![id, record.creator, record.audience],
                )?;
                transaction.execute(
                    "UPDATE line SET creator = ?2, audience = ?3 WHERE id = ?1",
                    params![id, record.creator, record.audience],
                )?;
                transaction.execute("DELETE FROM share WHERE conversation = ?1", [id])?;
                for (name, role) in &record.with {
                    transaction.execute(
                        "INSERT OR IGNORE INTO share (conversation, name, role) VALUES (?1, ?2, ?3)",
                        params![id, name, role],
                    )?;
                }
                Ok(())
            })
            .await
    }

    /// All records.
    pub async fn sharings(&self) -> Result<Vec<SharingRecord>, JournalError> {
        self.database
            .read(|transaction| {
                let mut with: HashMap<String, Vec<(String, String)>> = HashMap::new();
                let mut shares = transaction.prepare_cached(
                    "SELECT conversation, name, role FROM share ORDER BY conversation, name",
                )?;
                let mut shares = shares.query([])?;
                while let Some(row) = shares.next()? {
                    let share = (row.get(1)?, row.get(2)?);
                    with.entry(row.get(0)?).or_default().push(share);
                }
                transaction
                    .prepare_cached("SELECT conversation, starter, audience FROM sharing")?
                    .query_map([], |row| {
                        let conversation: String = row.get(0)?;
                        Ok(SharingRecord {
                            with: with.remove(&conversation).unwrap_or_default(),
                            conversation,
                            creator: row.get(1)?,
                            audience: row.get(2)?,
                        })
                    })?
                    .collect()
            })
            .await
    }
}
