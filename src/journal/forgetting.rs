//! Deletes conversations, long ones in steps between which other changes are made.
//!
//! A conversation of many events is hidden first: it loses its line, gets an id that no address can have, and counts as an
//! import under way, which nobody sees and which a start forgets. So one that was killed half-way is never seen again.

use super::conversations::{IMPORTING, number_of};
use super::engine::{self, Transaction, params};
use super::unlined::forget_words;
use super::{Journal, JournalError};
use std::time::Instant;

/// Events that are deleted in one step, and their JSON in bytes.
const STEP: (i64, i64) = (500, 2 << 20);

impl Journal {
    /// Deletes a conversation with all its data, except who may see it: a backend may have it again later. Nobody sees it
    /// from the first step on.
    pub async fn forget(&self, id: &str) -> Result<(), JournalError> {
        let id = id.to_owned();
        let hidden = self.database.write_to_free(move |transaction| {
            let Some(number) = number_of(transaction, &id)? else {
                forget_beside(transaction, &id)?;
                return Ok(None);
            };
            if step(transaction, number)? {
                finish(transaction, &id, number)?;
                return Ok(None);
            }
            hide(transaction, &id, number)?;
            Ok(Some(number))
        });
        let Some(number) = hidden.await? else {
            return Ok(());
        };
        loop {
            let began = Instant::now();
            let is_over = self.database.write_to_free(move |transaction| {
                let is_over = step(transaction, number)?;
                if is_over {
                    finish(transaction, &hidden_id(number), number)?;
                }
                Ok(is_over)
            });
            if is_over.await? {
                return Ok(());
            }
            // What arrives gets at least half of the time.
            tokio::time::sleep(began.elapsed()).await;
        }
    }
}

/// The id of a conversation that is being deleted; no address can have it.
fn hidden_id(number: i64) -> String {
    format!("deleted {number}")
}

/// Deletes the oldest events of a conversation; returns whether there are none left.
fn step(transaction: &Transaction<'_>, number: i64) -> engine::Result<bool> {
    let mut events = transaction.prepare_cached(
        "SELECT id, seq, octet_length(raw) FROM event WHERE conversation = ?1 ORDER BY seq LIMIT ?2",
    )?;
    let (most, most_bytes) = STEP;
    let mut rows = events.query(params![number, most + 1])?;
    let (mut ids, mut bytes, mut last) = (Vec::new(), 0, None::<i64>);
    let is_over = loop {
        let Some(row) = rows.next()? else { break true };
        if ids.len() as i64 == most || bytes > most_bytes {
            break false;
        }
        ids.push(row.get::<_, i64>(0)?);
        last = Some(row.get::<_, i64>(1)?);
        bytes += row.get::<_, i64>(2)?;
    };
    drop(rows);
    let mut word = transaction.prepare_cached("DELETE FROM word WHERE rowid = ?1")?;
    let mut event = transaction.prepare_cached("DELETE FROM event WHERE id = ?1")?;
    for id in ids {
        word.execute([id])?;
        event.execute([id])?;
    }
    let Some(last) = last else { return Ok(is_over) };
    for (table, column) in [
        ("timeline_row", "id"),
        ("checkpoint", "seq"),
        ("mark", "seq"),
        ("row_author", "row"),
    ] {
        let sql = format!("DELETE FROM {table} WHERE conversation = ?1 AND {column} <= ?2");
        transaction.prepare_cached(&sql)?.execute([number, last])?;
    }
    Ok(is_over)
}

/// Makes a conversation one that nobody sees.
fn hide(transaction: &Transaction<'_>, id: &str, number: i64) -> engine::Result<()> {
    forget_beside(transaction, id)?;
    forget_words(transaction, number)?;
    for table in ["line WHERE number", "unlined WHERE conversation"] {
        transaction.execute(&format!("DELETE FROM {table} = ?1"), [number])?;
    }
    transaction.execute(
        "UPDATE conversation SET id = ?2, runtime = ?3 WHERE number = ?1",
        params![number, hidden_id(number), IMPORTING],
    )?;
    Ok(())
}

/// Deletes a conversation without events.
fn finish(transaction: &Transaction<'_>, id: &str, number: i64) -> engine::Result<()> {
    forget_beside(transaction, id)?;
    forget_words(transaction, number)?;
    transaction.execute("DELETE FROM conversation WHERE number = ?1", [number])?;
    Ok(())
}

/// Deletes what is stored by the id of a conversation.
fn forget_beside(transaction: &Transaction<'_>, id: &str) -> engine::Result<()> {
    for table in ["draft", "link", "pin", "told"] {
        let forgotten = format!("DELETE FROM {table} WHERE conversation = ?1");
        transaction.execute(&forgotten, [id])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::tests::sample::*;

    const LONG: i64 = 1_300;

    async fn long(journal: &Journal) {
        let meta = crate::journal::ConversationMeta {
            id: "long".to_owned(),
            updated_at: 5,
            ..Default::default()
        };
        journal.describe(vec![meta]).await.expect("healthy");
        for first in (0..LONG).step_by(100) {
            let entries = (first..first + 100).map(|id| entry(&says(id, "needle")));
            let appended = journal.append("long", entries.collect(), true, 1);
            appended.await.expect("healthy");
        }
        while journal.index_slice().await.expect("healthy") {}
    }

    /// Rows of each table that has something of a conversation.
    async fn left(journal: &Journal) -> Vec<(String, i64)> {
        let counted = journal.database.read(|transaction| {
            let tables = [
                "conversation",
                "event",
                "timeline_row",
                "checkpoint",
                "mark",
                "row_author",
                "line",
                "line_word",
                "unlined",
                "usage",
                "spender",
            ];
            let mut counts = Vec::new();
            for table in tables {
                let count =
                    transaction.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
                        row.get(0)
                    })?;
                counts.push((table.to_owned(), count));
            }
            let words = "SELECT count(*) FROM word WHERE word MATCH ?1";
            let needle = transaction.matching("\"needle\"".to_owned());
            counts.push(("word".to_owned(), transaction.one(words, [needle])?));
            Ok(counts)
        });
        counted.await.expect("healthy")
    }

    #[tokio::test]
    async fn a_long_conversation_goes_in_steps_and_leaves_nothing() {
        let folder = tempfile::TempDir::new().expect("a temporary folder");
        let journal = journal_in(folder.path()).await;
        long(&journal).await;
        let before = journal.waits_for_disk();
        let used = journal.used_bytes().await.expect("healthy");
        journal.forget("long").await.expect("healthy");
        let rest = journal.used_bytes().await.expect("healthy");
        assert!(rest < used, "{used} bytes became {rest}");
        assert!(journal.waits_for_disk() - before >= 3, "there were steps");
        let left = left(&journal).await;
        assert!(left.iter().all(|(_, count)| *count == 0), "{left:?}");
    }

    #[tokio::test]
    async fn half_a_deletion_is_seen_by_nobody_and_ended_by_the_next_start() {
        let folder = tempfile::TempDir::new().expect("a temporary folder");
        let journal = journal_in(folder.path()).await;
        long(&journal).await;
        {
            // As a process that is killed between two steps leaves it.
            let own = journal.clone();
            let mut forgetting = std::pin::pin!(own.forget("long"));
            loop {
                let one = futures_util::poll!(forgetting.as_mut());
                assert!(one.is_pending(), "it takes several steps");
                let known = journal.conversation("long").await.expect("healthy");
                if known.is_none() {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        let half = left(&journal).await;
        let count = |name: &str| {
            half.iter()
                .find(|(table, _)| table == name)
                .map(|(_, count)| *count)
        };
        assert!(
            count("event") > Some(0) && count("line") == Some(0),
            "{half:?}"
        );
        assert!(journal.sharing("deleted 1").expect("healthy").is_none());
        let unfinished = journal.unfinished_imports().await.expect("healthy");
        assert_eq!(unfinished, ["deleted 1"]);
        for id in unfinished {
            journal.forget(&id).await.expect("healthy");
        }
        let left = left(&journal).await;
        assert!(left.iter().all(|(_, count)| *count == 0), "{left:?}");
    }
}
