//! What only a server does: it goes away and comes back, belongs to one Handrail, and gets the journal of a file. These tests
//! run when `HANDRAIL_TEST_DATABASE` names a server, as `cargo xtask test` does; the others run on both engines.

use super::super::database::{Database, Durability};
use super::super::engine::{Location, on_server};
use super::super::readers::Purpose;
use super::super::{AuditEntry, JournalError, inspect, move_to_server};
use super::*;

/// Ends all other connections to the database, as a restart of the server does.
async fn cut(journal: &Journal) {
    let sql = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    let cut = journal.database.find(sql, [], |row| row.get::<_, i64>(0));
    assert!(cut.await.expect("healthy") >= Some(1));
}

#[tokio::test]
async fn connections_that_were_lost_are_made_again() {
    if !on_server() {
        return;
    }
    let (journal, _folder) = journal().await;
    append(&journal, &talk(4)).await;
    for _ in 0..3 {
        cut(&journal).await;
        assert_eq!(append(&journal, &talk(8)).await, 8);
        assert_eq!(window(&journal, 9).await.page.rows.len(), 6);
        assert!(journal.sharing(ID).expect("healthy").is_some());
    }
}

#[tokio::test]
async fn a_change_whose_connection_is_lost_has_failed_and_the_next_one_is_stored() {
    if !on_server() {
        return;
    }
    let (journal, _folder) = journal().await;
    let lost = journal.database.write(Durability::OnDisk, |transaction| {
        transaction.execute("INSERT INTO setting (key, value) VALUES ('lost', '')", [])?;
        transaction.execute("SELECT pg_terminate_backend(pg_backend_pid())", [])
    });
    let lost = lost.await;
    assert!(matches!(lost, Err(JournalError::Away(_))), "{lost:?}");
    journal.keep_setting("kept", "").await.expect("it is back");
    assert_eq!(journal.setting("lost").await.expect("healthy"), None);
}

#[tokio::test]
async fn a_database_has_one_server_at_a_time() {
    if !on_server() {
        return;
    }
    let (_journal, folder) = journal().await;
    let second = Journal::open(folder.path(), reader).await;
    let second = second.expect_err("it is taken").again();
    assert!(matches!(second, JournalError::Away(_)), "{second:?}");
    Journal::open_beside(folder.path(), reader)
        .await
        .expect("a short command may");
}

#[tokio::test]
async fn a_full_pool_is_said_in_time() {
    if !on_server() {
        return;
    }
    let folder = TempDir::new().expect("a temporary folder");
    let database = Database::open(folder.path()).await.expect("it is made");
    let mut permits = Vec::new();
    while let Ok(Ok(permit)) = tokio::time::timeout(
        std::time::Duration::from_millis(100),
        database.readers().permit(Purpose::Page),
    )
    .await
    {
        permits.push(permit);
    }
    assert_eq!(permits.len(), 4);
    tokio::time::pause();
    let waiting = database.readers().permit(Purpose::Page).await;
    assert!(matches!(waiting, Err(JournalError::Away(_))));
}

#[tokio::test]
async fn a_text_with_a_nul_is_stored() {
    let (journal, _folder) = journal().await;
    let mut events = talk(2);
    events.push(says(2, "before\0after"));
    assert_eq!(append(&journal, &events).await, 3);
    journal.keep_draft(ID, 0, "a\0b").await.expect("healthy");
    let draft = journal.draft(ID, 0).await.expect("healthy");
    assert_eq!(draft.replace('\u{FFFD}', "\0"), "a\0b");
}

#[tokio::test]
async fn the_journal_of_a_file_is_moved_with_all_that_it_has() {
    if !on_server() {
        return;
    }
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
    drop(journal);
    let target = TempDir::new().expect("a temporary folder");
    let Location::Server(server) = Location::from(target.path()) else {
        panic!("tests run on a server");
    };
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
    while journal.index_slice().await.expect("healthy") {}
    let found = searching::found(&journal, ID, "number").await;
    assert_eq!(found.len(), 50);
    let inspection = tokio::task::spawn_blocking(move || inspect(Location::Server(server)));
    let inspection = inspection.await.expect("no panic").expect("it is whole");
    assert_eq!(inspection.audit.expect("it is read").broken_at, None);
}
