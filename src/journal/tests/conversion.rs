//! A database of the oldest version that can be converted: made by the rehearsal, with approvals by the local user.

use super::*;
use crate::conversation::Measure;
use crate::journal::{Search, Words};

/// One conversation of two.
const TOUR: &str = "6e904b4bdd7b40c68b27f68725bd2390";

/// The database of version 13, compressed.
const OLD: &[u8] = include_bytes!("version13.db.gz");

#[tokio::test]
async fn a_database_of_version_13_is_converted_with_all_that_it_has() {
    // It is about the file.
    let _file = crate::journal::engine::in_a_file();
    let folder = TempDir::new().expect("a temporary folder");
    let mut file = std::fs::File::create(folder.path().join("handrail.db")).expect("it is made");
    std::io::copy(&mut flate2::read::GzDecoder::new(OLD), &mut file).expect("it is unpacked");
    let journal = journal_in(folder.path()).await;
    let events = journal
        .database
        .read(|transaction| transaction.one::<i64>("SELECT count(*) FROM event", []));
    assert_eq!(events.await.expect("healthy"), 90);
    let tour = journal.window(TOUR, 100).await.expect("healthy");
    let tour = tour.expect("it is there");
    assert!(tour.page.rows.len() > 10, "{}", tour.page.rows.len());
    while journal.index_slice().await.expect("healthy") {}
    let search = Search {
        words: Words::of("\"the mean of nothing\"").expect("few words"),
        limit: 9,
        ..Search::default()
    };
    let found = journal.search(search, |_| true).await.expect("healthy");
    assert!(!found.hits.is_empty());
    assert_eq!(found.hits[0].conversation, TOUR);
    let spent = journal.spending(0, None, Measure::Cost).await;
    assert_eq!(spent.expect("healthy").count, 2);
    let audit = journal.verify_audit(None).await.expect("healthy");
    assert_eq!((audit.entries, audit.broken_at), (10, None));
    drop(journal);
    let journal = journal_in(folder.path()).await;
    let again = journal.window(TOUR, 100).await.expect("healthy");
    assert_eq!(again.expect("it is there").page.rows, tour.page.rows);
    let new = TempDir::new().expect("a temporary folder");
    let new = journal_in(new.path()).await;
    assert_eq!(schema(&journal).await, schema(&new).await);
}

/// All columns of tables, and all indexes and triggers.
async fn schema(journal: &Journal) -> Vec<String> {
    let schema = journal.database.read(|transaction| {
        let mut statement = transaction.prepare(
            "SELECT name || ' ' || ifnull(sql, '') FROM sqlite_schema WHERE type <> 'table'
             UNION ALL
             SELECT concat_ws(' ', made.name, col.name, col.type, col.\"notnull\", col.dflt_value, col.pk)
               FROM sqlite_schema AS made, pragma_table_xinfo(made.name) AS col WHERE made.type = 'table'
             ORDER BY 1",
        )?;
        statement.query_map([], |row| row.get(0))?.collect()
    });
    schema.await.expect("healthy")
}
