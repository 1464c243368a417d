//! Who began each conversation, and who sees it.

use super::{Journal, JournalError, database::Durability};
use rusqlite::params;

/// Who began a conversation, and who sees it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SharingRecord {
    /// Which conversation.
    pub conversation: String,
    /// Name of who began it, or empty.
    pub starter: String,
    /// For whom it is, in the word of the layer above.
    pub audience: String,
    /// Names of some people, and the role of each here in the word of the layer above, or empty.
    pub with: Vec<(String, String)>,
}

impl Journal {
    /// Keeps it.
    pub async fn keep_sharing(&self, record: SharingRecord) -> Result<(), JournalError> {
        self.database
            .write(Durability::OnDisk, move |transaction| {
                let id = &record.conversation;
                transaction.execute(
                    "INSERT INTO sharing (conversation, starter, audience) VALUES (?1, ?2, ?3)
                     ON CONFLICT (conversation) DO UPDATE SET starter = excluded.starter, audience = excluded.audience",
                    params![id, record.starter, record.audience],
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

    /// All that was kept.
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
                            starter: row.get(1)?,
                            audience: row.get(2)?,
                            with,
                        })
                    })?
                    .collect()
            })
            .await
    }
}
