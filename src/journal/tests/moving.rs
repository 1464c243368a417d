//! The journal of a file is moved to a server.

use super::super::database::{Durability, database_of_version};
use super::super::engine::{Location, OnServer, Server};
use super::super::{AuditEntry, JournalError, Moved, inspect, move_to_server};
use super::*;
use std::path::Path;
use std::sync::Arc;

/// The database that stands for a folder.
fn server_of(folder: &Path) -> Arc<Server> {
    OnServer::default().database_of(folder)
}

/// Moves the journal of a file, and returns what was told of it.
async fn move_it(
    from: &Path,
    to: &Arc<Server>,
    mut say: impl FnMut(&str) + Send + 'static,
) -> Result<Moved, JournalError> {
    let (from, to) = (from.to_owned(), Arc::clone(to));
    let moved = tokio::task::spawn_blocking(move || move_to_server(&from, to, |line| say(line)));
    moved.await.expect("no panic")
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn the_journal_of_a_file_is_moved_with_all_that_it_has() {
    let folder = TempDir::new().expect("a temporary folder");
    let file = || Location::Folder(folder.path().to_owned());
    let journal = Journal::open(file(), reader).await.expect("healthy");
    let meta = ConversationMeta {
        id: ID.to_owned(),
        title: "tab\tand \\ and \u{1F600}".to_owned(),
        ..ConversationMeta::default()
    };
    journal.describe(vec![meta]).await.expect("healthy");
    append(&journal, &talk(300)).await;
    journal.note(AuditEntry::default()).await.expect("healthy");
    let added = journal.add_person("Ada", "owner", "x".to_owned(), true, 1);
    assert_eq!(added.await.expect("healthy"), Some(1));
    let shown = window(&journal, 50).await;
    // The last number of a table was given to something that is gone.
    let gone = journal.database.write(Durability::OnDisk, |transaction| {
        let link = "INSERT INTO link (hash, conversation, person, created_at, expires_at) VALUES (?1, 'c', 1, 0, 0)";
        for hash in 0..7_u8 {
            transaction.execute(link, [vec![hash]])?;
        }
        transaction.execute("DELETE FROM link WHERE number > 3", [])
    });
    assert_eq!(gone.await.expect("healthy"), 4);
    drop(journal);
    let target = TempDir::new().expect("a temporary folder");
    let server = server_of(target.path());
    let (from, to) = (folder.path().to_owned(), server.clone());
    let mut told = Vec::new();
    let moved = tokio::task::spawn_blocking(move || {
        let moved = move_to_server(&from, to.clone(), |line| told.push(line.to_owned()));
        let again = move_to_server(&from, to, |_| ());
        assert!(again.is_err(), "it is in use");
        (moved, told)
    });
    let (moved, told) = moved.await.expect("no panic");
    let moved = moved.expect("it is moved");
    assert!(moved.rows > 500 && moved.entries == 1, "{moved:?}");
    assert!(
        told.iter().any(|line| line == "event: 300 of 300"),
        "{told:?}"
    );
    let journal = Journal::open(Location::Server(server.clone()), reader).await;
    let journal = journal.expect("healthy");
    assert_eq!(window(&journal, 50).await, shown);
    assert_eq!(append(&journal, &talk(301)).await, 301);
    let second = journal.add_person("Bob", "viewer", "x".to_owned(), false, 1);
    assert_eq!(second.await.expect("healthy"), Some(2));
    let link = journal.database.write(Durability::OnDisk, |transaction| {
        let link = "INSERT INTO link (hash, conversation, person, created_at, expires_at) VALUES (?1, 'c', 1, 0, 0)";
        transaction.execute(link, [vec![9_u8]])?;
        transaction.last_insert_rowid()
    });
    assert_eq!(link.await.expect("healthy"), 8);
    while journal.index_slice().await.expect("healthy") {}
    let found = searching::found(&journal, ID, "number").await;
    assert_eq!(found.len(), 50);
    let inspection = tokio::task::spawn_blocking(move || inspect(Location::Server(server)));
    let inspection = inspection.await.expect("no panic").expect("it is whole");
    assert_eq!(inspection.audit.expect("it is read").broken_at, None);
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn a_move_that_was_interrupted_is_continued() {
    let folder = TempDir::new().expect("a temporary folder");
    let file = Location::Folder(folder.path().to_owned());
    let journal = Journal::open(file, reader).await.expect("healthy");
    let meta = ConversationMeta {
        id: ID.to_owned(),
        ..ConversationMeta::default()
    };
    journal.describe(vec![meta]).await.expect("healthy");
    // Four transactions of eight MiB.
    let text = "long\0 ".repeat(100_000);
    let events: Vec<_> = (0..50).map(|id| says(id, &text)).collect();
    append(&journal, &events).await;
    for number in 0..20 {
        let entry = AuditEntry {
            detail: format!("{number}\0"),
            ..AuditEntry::default()
        };
        journal.note(entry).await.expect("healthy");
    }
    let (head, shown) = (journal.audit_head().await, window(&journal, 50).await);
    drop(journal);
    let target = TempDir::new().expect("a temporary folder");
    let server = server_of(target.path());
    for (table, stops_at) in [("event: ", 2), ("event: ", 1), ("audit: ", 1)] {
        let (from, to, mut told) = (folder.path().to_owned(), server.clone(), 0);
        let interrupted = tokio::task::spawn_blocking(move || {
            move_to_server(&from, to, |line| {
                told += i32::from(line.starts_with(table));
                assert!(told < stops_at, "it is interrupted");
            })
        });
        assert!(interrupted.await.is_err(), "{table}");
        let unfinished = Journal::open(Location::Server(server.clone()), reader).await;
        let unfinished = unfinished.expect_err("it is not whole");
        assert!(matches!(unfinished, JournalError::Open { .. }));
    }
    let moved = move_it(folder.path(), &server, |_| ()).await;
    let moved = moved.expect("it is continued");
    assert_eq!(moved.entries, 20);
    let journal = Journal::open(Location::Server(server), reader).await;
    let journal = journal.expect("healthy");
    assert_eq!(window(&journal, 50).await, shown);
    let verified = journal.verify_audit(None).await.expect("healthy");
    assert_eq!((verified.entries, verified.broken_at), (20, None));
    assert_eq!(
        journal.audit_head().await.expect("healthy"),
        head.expect("healthy")
    );
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn the_journal_of_a_former_version_is_not_moved_and_the_error_says_what_converts_it() {
    let folder = TempDir::new().expect("a temporary folder");
    drop(database_of_version(17, folder.path()));
    let target = TempDir::new().expect("a temporary folder");
    let server = server_of(target.path());
    let refused = move_it(folder.path(), &server, |_| ()).await;
    let JournalError::Broken(why) = refused.expect_err("it has to be converted") else {
        panic!("it says why");
    };
    assert!(why.to_string().contains("handrail user list"), "{why}");
    // Which does this.
    let file = Location::Folder(folder.path().to_owned());
    let converted = Journal::open_beside(file, reader).await;
    drop(converted.expect("it is converted"));
    let moved = move_it(folder.path(), &server, |_| ()).await;
    moved.expect("it is of this version");
}
