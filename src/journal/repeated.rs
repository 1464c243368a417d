//! Imports of what is here already: their cost was counted before.
//!
//! An import has no identity but its events, so it is known by what it has spent, to the token.

use crate::conversation::IMPORTED;
use rusqlite::Transaction;
use std::collections::HashSet;

/// The numbers of the imports that have spent exactly what another conversation has: the file was imported before, or
/// is the export of a conversation that is here, too.
pub(super) fn repeated_imports(transaction: &Transaction<'_>) -> rusqlite::Result<HashSet<i64>> {
    let mut statement = transaction.prepare_cached(
        "SELECT number, backend = ?1, round(sum(cost), 9), sum(prompt_tokens), sum(completion_tokens),
           sum(cache_read_tokens) FROM usage JOIN conversation ON conversation.number = usage.conversation
         WHERE EXISTS (SELECT 1 FROM conversation WHERE backend = ?1)
         GROUP BY number ORDER BY 2, 1",
    )?;
    let mut rows = statement.query([IMPORTED])?;
    let (mut known, mut repeated) = (HashSet::new(), HashSet::new());
    while let Some(row) = rows.next()? {
        let (number, is_imported): (i64, bool) = (row.get(0)?, row.get(1)?);
        let cost: f64 = row.get(2)?;
        let spent: (u64, i64, i64, i64) = (cost.to_bits(), row.get(3)?, row.get(4)?, row.get(5)?);
        if !known.insert(spent) && is_imported {
            repeated.insert(number);
        }
    }
    Ok(repeated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Journal;
    use crate::journal::tests::sample::journal_in;
    use rusqlite::Connection;

    #[tokio::test]
    async fn what_is_imported_again_costs_nothing_again() {
        let folder = tempfile::TempDir::new().expect("a temporary folder");
        let journal: Journal = journal_in(folder.path()).await;
        let database = Connection::open(folder.path().join("handrail.db")).expect("it is there");
        let insert = "INSERT INTO conversation (number, id, backend, title, runtime, created_at, updated_at, session)
             VALUES (?1, ?2, ?3, '', '', 0, 0, '{}')";
        for (number, id, backend) in [
            (1, "first", IMPORTED),
            (2, "again", IMPORTED),
            (3, "exported", IMPORTED),
            (4, "live", "b"),
            (5, "equal", "b"),
        ] {
            let values = rusqlite::params![number, id, backend];
            database.execute(insert, values).expect("it is SQL");
        }
        let values = "INSERT INTO usage VALUES (1, 1, '', 0.1, 1, 1, 0), (1, 2, '', 0.2, 1, 1, 0),
             (2, 1, 'm', 0.3, 2, 2, 0), (3, 1, '', 5, 7, 7, 0), (4, 1, 'm', 5, 7, 7, 0), (5, 1, 'm', 5, 7, 7, 0)";
        database.execute_batch(values).expect("it is SQL");
        let (mut found, _) = journal
            .usage(0, Vec::new(), |found, one| found.push(one.conversation))
            .await
            .expect("healthy");
        found.sort();
        assert_eq!(found, ["equal", "first", "first", "live"]);
    }
}
