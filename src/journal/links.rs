//! Share links, which let a visitor watch a conversation without an account; looked up by the hash of their secret.

use super::engine::{self, Row, params};
use super::people::changed;
use super::{Journal, JournalError, SecretHash, database::Durability, readers::Purpose};

/// A share link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkRecord {
    /// Its number, never reused.
    pub number: i64,
    /// Id of the conversation.
    pub conversation: String,
    /// Name of its creator.
    pub by: String,
    /// Time of creation, milliseconds since the Unix epoch.
    pub created_at: i64,
    /// Time of expiry, milliseconds since the Unix epoch.
    pub expires_at: i64,
    /// Last used, milliseconds since the Unix epoch.
    pub used_at: Option<i64>,
}

/// Links whose creators are not disabled.
const GOOD: &str =
    "SELECT link.number, link.conversation, person.name, link.created_at, link.expires_at, link.used_at
     FROM link JOIN person ON person.number = link.person WHERE person.disabled = 0";

impl Journal {
    /// Stores a link created by `person`; returns its number.
    pub async fn add_link(
        &self,
        person: i64,
        hash: SecretHash,
        link: LinkRecord,
    ) -> Result<i64, JournalError> {
        self.database
            .write(Durability::OnDisk, move |transaction| {
                transaction.execute(
                    "DELETE FROM link WHERE expires_at < ?1",
                    [link.created_at],
                )?;
                transaction.execute(
                    "INSERT INTO link (hash, conversation, person, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![hash, link.conversation, person, link.created_at, link.expires_at],
                )?;
                transaction.last_insert_rowid()
            })
            .await
    }

    /// The link with this secret.
    pub async fn link(&self, hash: SecretHash) -> Result<Option<LinkRecord>, JournalError> {
        let sql = format!("{GOOD} AND link.hash = ?1");
        self.database
            .find_for(Purpose::Account, sql, [hash], read_link)
            .await
    }

    /// The links to a conversation, newest first.
    pub async fn links(&self, conversation: &str) -> Result<Vec<LinkRecord>, JournalError> {
        let id = conversation.to_owned();
        let sql = format!("{GOOD} AND link.conversation = ?1 ORDER BY link.number DESC");
        self.database
            .list_for(Purpose::Account, sql, [id], read_link)
            .await
    }

    /// Records that a link was used.
    pub async fn touch_link(&self, number: i64, now: i64) -> Result<(), JournalError> {
        let sql = "UPDATE link SET used_at = ?2 WHERE number = ?1";
        self.database
            .execute(Durability::Ordinary, sql, [number, now])
            .await
            .map(drop)
    }

    /// Revokes a link to a conversation; `false` if there is none of this number.
    pub async fn end_link(&self, conversation: &str, number: i64) -> Result<bool, JournalError> {
        let id = conversation.to_owned();
        self.database
            .write(Durability::OnDisk, move |transaction| {
                let ended = transaction.execute(
                    "DELETE FROM link WHERE conversation = ?1 AND number = ?2",
                    params![id, number],
                )?;
                changed(transaction)?;
                Ok(ended == 1)
            })
            .await
    }
}

fn read_link(row: &Row<'_>) -> engine::Result<LinkRecord> {
    Ok(LinkRecord {
        number: row.get(0)?,
        conversation: row.get(1)?,
        by: row.get(2)?,
        created_at: row.get(3)?,
        expires_at: row.get(4)?,
        used_at: row.get(5)?,
    })
}
