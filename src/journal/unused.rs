//! Conversations that nobody has used for long.

use super::{Journal, JournalError};

/// Which conversations have not been used for long. Pinned ones, those that work, wait for an approval, have a message on its
/// way or are being imported never are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnusedFilter {
    /// Not changed since, in milliseconds since the Unix epoch.
    pub before: i64,
    /// Only of this repository or folder; empty for all.
    pub repository: String,
    /// Only archived ones.
    pub archived: bool,
}

/// A conversation that has not been used for long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unused {
    /// Its id.
    pub id: String,
    /// Its title, or empty.
    pub title: String,
    /// Time of its last change, milliseconds since the Unix epoch.
    pub updated_at: i64,
    /// Size of its events, in bytes of JSON. Its index and its rows take about as much again.
    pub bytes: u64,
}

/// Pages of the table of events (8 KiB each) that are counted on a server: a second's work, and an error of a few percent.
const COUNTED: i64 = 16_384;

const UNUSED: &str = "conversation.updated_at < ?1 AND (?2 = '' OR conversation.repository = ?2)
  AND (?3 = 0 OR conversation.archived = 1) AND conversation.runtime <> 'importing'
  AND NOT EXISTS (SELECT 1 FROM line WHERE line.number = conversation.number AND (line.asks = 1 OR line.state = 'running'))
  AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.conversation = conversation.number AND outbox.state <> 'done')
  AND NOT EXISTS (SELECT 1 FROM approval WHERE approval.conversation = conversation.number AND approval.state = 'sent')
  AND NOT EXISTS (SELECT 1 FROM pin WHERE pin.conversation = conversation.id)";

impl Journal {
    /// Conversations that have not been used for long, the oldest first, at most `limit`, behind one of this time and id.
    pub async fn unused(
        &self,
        filter: UnusedFilter,
        after: (i64, String),
        limit: u32,
    ) -> Result<Vec<Unused>, JournalError> {
        let sql = format!(
            "SELECT id, title, updated_at, (SELECT ifnull(sum(octet_length(raw)), 0) FROM event WHERE event.conversation = number)
             FROM (SELECT number, id, title, updated_at
               FROM conversation WHERE {UNUSED} AND (conversation.updated_at, conversation.id) > (?4, ?5)
               ORDER BY conversation.updated_at, conversation.id LIMIT ?6) AS unused"
        );
        let UnusedFilter {
            before,
            repository,
            archived,
        } = filter;
        let of = (before, repository, archived, after.0, after.1, limit);
        self.database
            .list(sql, of, |row| {
                Ok(Unused {
                    id: row.get(0)?,
                    title: row.get(1)?,
                    updated_at: row.get(2)?,
                    bytes: row.get::<_, i64>(3)?.unsigned_abs(),
                })
            })
            .await
    }

    /// Whether a conversation is still among these.
    pub async fn is_unused(&self, filter: UnusedFilter, id: &str) -> Result<bool, JournalError> {
        let sql = format!("SELECT 1 FROM conversation WHERE {UNUSED} AND conversation.id = ?4");
        let UnusedFilter {
            before,
            repository,
            archived,
        } = filter;
        let of = (before, repository, archived, id.to_owned());
        let found = self.database.find(sql, of, |_| Ok(())).await?;
        Ok(found.is_some())
    }

    /// Bytes of the database that are in use; on a server those of the JSON of its events, of many by a sample. What is deleted is
    /// used again; the file does not become smaller.
    pub async fn used_bytes(&self) -> Result<u64, JournalError> {
        self.database
            .read(|transaction| transaction.used_bytes(COUNTED))
            .await
            .map(i64::unsigned_abs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::tests::sample::journal_in;

    #[tokio::test]
    async fn what_is_pinned_or_new_or_of_another_repository_is_in_use() {
        let folder = tempfile::TempDir::new().expect("a temporary folder");
        let journal = journal_in(folder.path()).await;
        let meta =
            |id: &str, updated_at, repository: Option<&str>| crate::journal::ConversationMeta {
                id: id.to_owned(),
                updated_at,
                repository: repository.map(str::to_owned),
                ..Default::default()
            };
        let all = vec![
            meta("old", 1, None),
            meta("acme", 2, Some("acme/parser")),
            meta("pinned", 3, None),
            meta("new", 100, None),
        ];
        journal.describe(all).await.expect("healthy");
        journal.pin("pinned", 7, true).await.expect("healthy");
        journal.archive("acme", true).await.expect("healthy");
        let unused = async |repository: &str, archived| {
            let filter = UnusedFilter {
                before: 50,
                repository: repository.to_owned(),
                archived,
            };
            let found = journal.unused(filter.clone(), (0, String::new()), 9).await;
            let ids: Vec<_> = found
                .expect("healthy")
                .into_iter()
                .map(|one| one.id)
                .collect();
            for id in &ids {
                assert!(
                    journal
                        .is_unused(filter.clone(), id)
                        .await
                        .expect("healthy")
                );
            }
            assert!(!journal.is_unused(filter, "pinned").await.expect("healthy"));
            ids
        };
        assert_eq!(unused("", false).await, ["old", "acme"]);
        assert_eq!(unused("acme/parser", false).await, ["acme"]);
        assert_eq!(unused("", true).await, ["acme"]);
        let none = UnusedFilter {
            before: 50,
            ..UnusedFilter::default()
        };
        let rest = journal
            .unused(none, (1, "old".to_owned()), 9)
            .await
            .expect("healthy");
        assert_eq!(rest.len(), 1);
    }
}
