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
    /// Names of the others.
    pub names: Vec<String>,
}

impl Journal {
    /// Keeps it.
    pub async fn keep_sharing(&self, record: SharingRecord) -> Result<(), JournalError> {
        let names = serde_json::to_string(&record.names).expect("a list of texts is plain data");
        self.database
            .write(Durability::OnDisk, move |transaction| {
                transaction.execute(
                    "INSERT INTO sharing (conversation, starter, audience, names) VALUES (?1, ?2, ?3, ?4)
                     ON CONFLICT (conversation) DO UPDATE SET starter = excluded.starter,
                       audience = excluded.audience, names = excluded.names",
                    params![record.conversation, record.starter, record.audience, names],
                )?;
                Ok(())
            })
            .await
    }

    /// All that was kept.
    pub async fn sharings(&self) -> Result<Vec<SharingRecord>, JournalError> {
        self.database
            .read(|transaction| {
                transaction
                    .prepare_cached("SELECT conversation, starter, audience, names FROM sharing")?
                    .query_map([], |row| {
                        Ok(SharingRecord {
                            conversation: row.get(0)?,
                            starter: row.get(1)?,
                            audience: row.get(2)?,
                            names: serde_json::from_str(&row.get::<_, String>(3)?)
                                .unwrap_or_default(),
                        })
                    })?
                    .collect()
            })
            .await
    }
}
