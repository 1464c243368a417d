//! Pinned conversations, for each person.

use super::engine::params;
use super::{Journal, JournalError, database::Durability};

impl Journal {
    /// The ids of the conversations that a person has pinned.
    pub async fn pins(&self, person: i64) -> Result<Vec<String>, JournalError> {
        let sql = "SELECT conversation FROM pin WHERE person = ?1";
        self.database.list(sql, [person], |row| row.get(0)).await
    }

    /// Those of the conversations that a person has pinned.
    pub async fn pinned(&self, person: i64, ids: Vec<String>) -> Result<Vec<String>, JournalError> {
        self.database
            .read(move |transaction| {
                let mut pinned = transaction
                    .prepare_cached("SELECT 1 FROM pin WHERE person = ?1 AND conversation = ?2")?;
                let mut found = Vec::new();
                for id in ids {
                    if pinned.exists(params![person, id])? {
                        found.push(id);
                    }
                }
                Ok(found)
            })
            .await
    }

    /// Pins a conversation for a person, or unpins it.
    pub async fn pin(
        &self,
        conversation: &str,
        person: i64,
        pinned: bool,
    ) -> Result<(), JournalError> {
        let id = conversation.to_owned();
        self.database
            .write(Durability::Ordinary, move |transaction| {
                let statement = if pinned {
                    "INSERT INTO pin (person, conversation) VALUES (?1, ?2) ON CONFLICT DO NOTHING"
                } else {
                    "DELETE FROM pin WHERE person = ?1 AND conversation = ?2"
                };
                transaction.execute(statement, params![person, id])?;
                Ok(())
            })
            .await
    }
}
