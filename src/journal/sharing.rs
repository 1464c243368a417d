//! The creator of each conversation, and who may see it.

use super::{Journal, JournalError, database::Durability};
use rusqlite::params;

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
                let mut shares = transaction.prepare_cached(
                    "SELECT name, role FROM share WHERE conversation = ?1 ORDER BY name",
                )?;
                transaction
                    .prepare_cached("SELECT conversation, starter, audience FROM sharing")?
                    .query_map([], |row| {
                        let conversation: String = row.get(0)?;
                        let with = shares
                            .query_map([&conversation], |row| Ok((row.get(0)?, row.get(1)?)))?
                            .collect::<rusqlite::Result<_>>()?;
                        Ok(SharingRecord {
                            conversation,
                            creator: row.get(1)?,
                            audience: row.get(2)?,
                            with,
                        })
                    })?
                    .collect()
            })
            .await
    }
}
