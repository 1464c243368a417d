//! Drafts of messages, and Handrail's own settings.

use super::engine::params;
use super::{Journal, JournalError, database::Durability};

impl Journal {
    /// The unsent draft of a person in a conversation; empty if there is none.
    pub async fn draft(&self, conversation: &str, person: i64) -> Result<String, JournalError> {
        let id = conversation.to_owned();
        let sql = "SELECT text FROM draft WHERE conversation = ?1 AND person = ?2";
        let text = self.database.find(sql, (id, person), |row| row.get(0));
        Ok(text.await?.unwrap_or_default())
    }

    /// Stores a draft; an empty text deletes it.
    pub async fn keep_draft(
        &self,
        conversation: &str,
        person: i64,
        text: &str,
    ) -> Result<(), JournalError> {
        let (id, text) = (conversation.to_owned(), text.to_owned());
        self.database
            .write(Durability::Ordinary, move |transaction| {
                if text.is_empty() {
                    transaction.execute(
                        "DELETE FROM draft WHERE conversation = ?1 AND person = ?2",
                        params![id, person],
                    )?;
                } else {
                    transaction.execute(
                        "INSERT INTO draft (conversation, person, text) VALUES (?1, ?2, ?3)
                         ON CONFLICT (conversation, person) DO UPDATE SET text = excluded.text",
                        params![id, person, text],
                    )?;
                }
                Ok(())
            })
            .await
    }

    /// The value of a Handrail setting.
    pub async fn setting(&self, key: &str) -> Result<Option<String>, JournalError> {
        let key = key.to_owned();
        let sql = "SELECT value FROM setting WHERE key = ?1";
        self.database.find(sql, [key], |row| row.get(0)).await
    }

    /// Stores a Handrail setting.
    pub async fn keep_setting(&self, key: &str, value: &str) -> Result<(), JournalError> {
        let (key, value) = (key.to_owned(), value.to_owned());
        let sql = "INSERT INTO setting (key, value) VALUES (?1, ?2)
                   ON CONFLICT (key) DO UPDATE SET value = excluded.value";
        self.database
            .execute(Durability::OnDisk, sql, (key, value))
            .await
            .map(drop)
    }
}
