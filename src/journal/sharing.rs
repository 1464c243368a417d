//! The creator of each conversation, and who may see it.

use super::conversations::IMPORTING;
use super::engine::{self, Transaction, params};
use super::{Journal, JournalError, database::Durability};
use std::collections::HashSet;

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
                        "INSERT INTO share (conversation, name, role) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
                        params![id, name, role],
                    )?;
                }
                // The last: it makes anew who reads the line.
                transaction.execute(
                    "UPDATE line SET creator = ?2, audience = ?3 WHERE id = ?1",
                    params![id, record.creator, record.audience],
                )?;
                Ok(())
            })
            .await
    }

    /// The record of a conversation, or one for everybody if none is stored; `None` if the journal has no such conversation.
    ///
    /// It is read at once, on the caller's thread: a few dozen microseconds.
    pub fn sharing(&self, id: &str) -> Result<Option<SharingRecord>, JournalError> {
        self.database
            .read_at_once(|transaction| sharing_of(transaction, id))
    }

    /// Ids of the conversations that the person with this name may not see, at most `limit`.
    pub async fn hidden_from(
        &self,
        name: &str,
        limit: u32,
    ) -> Result<HashSet<String>, JournalError> {
        let name = name.to_owned();
        let sql = "SELECT conversation FROM sharing INDEXED BY sharing_narrow
                   WHERE audience <> 'all' AND (?1 = '' OR starter <> ?1 COLLATE NOCASE)
                   AND NOT (audience = 'some' AND ?1 <> '' AND EXISTS
                     (SELECT 1 FROM share WHERE share.conversation = sharing.conversation AND name = ?1))
                   LIMIT ?2";
        self.database
            .list(sql, (name, limit), |row| row.get(0))
            .await
    }
}

/// The record of a conversation, as in [`Journal::sharing`].
pub(super) fn sharing_of(
    transaction: &Transaction<'_>,
    id: &str,
) -> engine::Result<Option<SharingRecord>> {
    let record = transaction.find(
        "SELECT starter, audience FROM sharing WHERE conversation = ?1",
        [id],
        |row| {
            Ok(SharingRecord {
                conversation: id.to_owned(),
                creator: row.get(0)?,
                audience: row.get(1)?,
                with: Vec::new(),
            })
        },
    )?;
    if let Some(mut record) = record {
        let mut shares = transaction
            .prepare_cached("SELECT name, role FROM share WHERE conversation = ?1 ORDER BY name")?;
        let with = shares.query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
        record.with = with.collect::<engine::Result<_>>()?;
        return Ok(Some(record));
    }
    let is_there = transaction.exists(
        "SELECT 1 FROM conversation WHERE id = ?1 AND runtime <> ?2",
        [id, IMPORTING],
    )?;
    Ok(is_there.then(|| SharingRecord {
        conversation: id.to_owned(),
        audience: "all".to_owned(),
        ..SharingRecord::default()
    }))
}
