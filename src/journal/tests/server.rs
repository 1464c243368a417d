//! What only a server does: it goes away and comes back, and belongs to one Handrail. `cargo xtask test --postgres-only` runs
//! these tests, and those of the journal that run on both engines.

use super::super::database::{Database, Durability, SERVER_BASE};
use super::super::engine::{Access, Connection, Location, OnServer, Place};
use super::super::readers::Purpose;
use super::super::{ApprovalState, AuditEntry, JournalError, end_access};
use super::*;
use std::time::Duration;

/// Ends all other connections to the database, as a restart of the server does.
async fn cut(journal: &Journal) {
    let sql = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    let cut = journal.database.find(sql, [], |row| row.get::<_, i64>(0));
    assert!(cut.await.expect("healthy") >= Some(1));
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn connections_that_were_lost_are_made_again() {
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
#[ignore = "needs a PostgreSQL"]
async fn a_change_whose_connection_is_lost_has_failed_and_the_next_one_is_stored() {
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
#[ignore = "needs a PostgreSQL"]
async fn a_database_has_one_server_at_a_time() {
    let (_journal, folder) = journal().await;
    let second = Journal::open(folder.path(), reader).await;
    let second = second.expect_err("it is taken").again();
    assert!(matches!(second, JournalError::Away(_)), "{second:?}");
    Journal::open_beside(folder.path(), reader)
        .await
        .expect("a short command may");
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn a_full_pool_is_said_in_time() {
    let folder = TempDir::new().expect("a temporary folder");
    let database = Database::open(folder.path()).await.expect("it is made");
    let mut permits = Vec::new();
    while let Ok(Ok(permit)) = tokio::time::timeout(
        Duration::from_millis(100),
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
    assert_eq!(draft, "a\0b");
}

/// A connection of somebody else to the database of a folder.
fn stranger(folder: &std::path::Path) -> Connection {
    let server = OnServer::default().database_of(folder);
    let connected = Place::Server(server).connect(Access::Write);
    connected.expect("the server runs")
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn a_change_that_waited_too_long_for_its_turn_has_failed_and_the_next_one_is_stored() {
    let folder = TempDir::new().expect("a temporary folder");
    let server = OnServer {
        patience: Some(Duration::from_secs(1)),
        ..OnServer::default()
    };
    let server = Location::Server(server.database_of(folder.path()));
    let journal = Journal::open(server, reader).await.expect("healthy");
    let process = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 1751215717 AND granted
                     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    let server_of = || async {
        let found = journal
            .database
            .find(process, [], |row| row.get::<_, i64>(0));
        found.await.expect("healthy").expect("one serves")
    };
    let before = server_of().await;
    let mut other = stranger(folder.path());
    for cancels in [false, true] {
        let holding = other.begin_change(true).expect("healthy");
        let waiting = journal.keep_setting("waits", "");
        let canceled = async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            if cancels {
                let sql = format!("SELECT pg_cancel_backend({before})");
                holding.execute_batch(&sql).expect("healthy");
            }
        };
        let (refused, ()) = tokio::join!(waiting, canceled);
        assert!(matches!(refused, Err(JournalError::Away(_))), "{refused:?}");
        holding.finish().expect("healthy");
        let kept = journal.keep_setting("kept", "").await;
        kept.expect("nobody is in the way");
    }
    assert_eq!(server_of().await, before, "the connection was not lost");
    assert_eq!(journal.setting("waits").await.expect("healthy"), None);
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn a_database_that_another_process_serves_is_not_converted() {
    let folder = TempDir::new().expect("a temporary folder");
    let other = stranger(folder.path());
    other.lock_serving().expect("nobody serves");
    let refused = Journal::open_beside(folder.path(), reader).await;
    let refused = refused.expect_err("another version may serve it");
    assert!(matches!(refused, JournalError::Open { .. }), "{refused:?}");
    assert_eq!(other.schema_version().expect("healthy"), 0);
    other.unlock_serving().expect("healthy");
    drop(other);
    journal_in(folder.path()).await;
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn a_database_that_another_version_has_converted_meanwhile_is_not_used_any_more() {
    let (journal, folder) = journal().await;
    cut(&journal).await;
    let other = stranger(folder.path());
    let version = |change: &str| {
        let sql = format!("UPDATE schema_version SET version = version {change} 1");
        other.execute_batch(&sql).expect("healthy");
    };
    version("+");
    let refused = journal.keep_setting("kept", "").await;
    assert!(
        matches!(refused, Err(JournalError::Broken(_))),
        "{refused:?}"
    );
    version("-");
    let kept = journal.keep_setting("kept", "").await;
    kept.expect("it is the own version again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
#[ignore = "needs a PostgreSQL"]
async fn a_slow_answer_holds_up_nobody_else() {
    let (journal, folder) = journal().await;
    let mut other = stranger(folder.path());
    let holding = other.begin_change(true).expect("healthy");
    holding
        .execute_batch("LOCK TABLE sharing IN ACCESS EXCLUSIVE MODE")
        .expect("healthy");
    let slow = tokio::spawn(async move { journal.sharing(ID).map(drop) });
    tokio::time::sleep(Duration::from_millis(200)).await;
    let quick = tokio::time::timeout(Duration::from_secs(2), tokio::spawn(async {}));
    let quick = quick.await;
    holding.finish().expect("healthy");
    quick.expect("the thread is free").expect("no panic");
    slow.await.expect("no panic").expect("healthy");
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn the_bytes_of_a_large_table_are_estimated() {
    let (journal, _folder) = journal().await;
    append(&journal, &talk(3_000)).await;
    let counted = journal.database.read(|transaction| {
        let all = transaction.used_bytes(1_000_000)?;
        let sampled = transaction.used_bytes(60)?;
        Ok((all, sampled, transaction.used_bytes(60)?))
    });
    let (all, sampled, again) = counted.await.expect("healthy");
    assert!(all > 300_000, "{all}");
    assert!(
        sampled != all && (all - sampled).abs() < all / 3,
        "{sampled} of {all}"
    );
    assert_eq!(sampled, again);
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn whatever_lets_somebody_in_ends_in_a_database_that_was_restored() {
    let (journal, folder) = journal().await;
    let added = journal.add_person("Ada", "owner", "x".to_owned(), true, 1);
    added.await.expect("healthy");
    // What `handrail restore` ends in a file.
    let filled = [
        "INSERT INTO login (hash, person, device, address, begun_at, seen_at) VALUES ('a', 1, '', '', 0, 0)",
        "INSERT INTO access_token (hash, person, name, role, created_at, expires_at) VALUES ('a', 1, '', 'owner', 0, 0)",
        "INSERT INTO link (hash, conversation, person, created_at, expires_at) VALUES ('a', 'c', 1, 0, 0)",
        "INSERT INTO invitation (hash, person, role, name, created_at, expires_at) VALUES ('a', 1, 'owner', '', 0, 0)",
        "INSERT INTO recovery_code (hash, person) VALUES ('a', 1)",
        "INSERT INTO known_device (hash, person, seen_at) VALUES ('a', 1, 0)",
        "INSERT INTO amendment (conversation, token, person, maker, action, made_at, expires_at) VALUES (1, 't', 1, '', '', 0, 0)",
        "INSERT INTO rule (person, maker, scope, conditions, made_at) VALUES (1, '', '', '{}', 0)",
    ];
    let other = stranger(folder.path());
    other.execute_batch(&filled.join(";")).expect("it is SQL");
    let server = OnServer::default().database_of(folder.path());
    let restored = |server| {
        let entry = AuditEntry::default();
        tokio::task::spawn_blocking(move || end_access(Location::Server(server), &entry))
    };
    let refused = restored(server.clone()).await.expect("no panic");
    assert!(refused.is_err(), "it is served");
    drop(journal);
    let ended = restored(server).await.expect("no panic").expect("healthy");
    assert_eq!(ended, 4);
    for table in [
        "login",
        "access_token",
        "link",
        "invitation",
        "recovery_code",
        "known_device",
        "amendment",
    ] {
        let count = format!("SELECT count(*) FROM {table}");
        let count = other.one::<i64>(&count, []);
        assert_eq!(count.expect("healthy"), 0, "{table}");
    }
    let journal = journal_in(folder.path()).await;
    assert!(journal.rules_are_stopped().await.expect("healthy"));
    assert_eq!(journal.audit_head().await.expect("healthy").0, 1);
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn a_database_of_the_first_version_on_a_server_is_converted_with_its_rows() {
    let folder = TempDir::new().expect("a temporary folder");
    let first = stranger(folder.path());
    for sql in [
        "CREATE SCHEMA handrail",
        SERVER_BASE,
        "INSERT INTO conversation (id, backend, title, runtime, repository, created_at, updated_at)
         VALUES ('old', '', '', '', 'a/b', 1, 1)",
        "INSERT INTO event (conversation, seq, key, answers_key, pos, kind, at, source, received_at, raw)
         SELECT number, 1, 'key', 'other', 1, 'message', 1, 'agent', 1, '{}' FROM conversation",
        "INSERT INTO approval (conversation, token, question, shown, asked_at, state)
         SELECT number, 'token', '', '[]', 1, 'open' FROM conversation",
        "INSERT INTO row_author (conversation, row, name) SELECT number, 1, 'ada' FROM conversation",
    ] {
        first.execute_batch(sql).expect("healthy");
    }
    drop(first);
    let journal = Journal::open(folder.path(), reader).await;
    let journal = journal.expect("it is converted");
    let kept = journal.approval("old", "token").await.expect("healthy");
    assert_eq!(kept.map(|one| one.state), Some(ApprovalState::Open));
    let new = ConversationMeta {
        id: ID.to_owned(),
        ..ConversationMeta::default()
    };
    journal.describe(vec![new]).await.expect("healthy");
    let twice =
        "INSERT INTO event (conversation, seq, key, pos, kind, at, source, received_at, raw)
                 SELECT number, 2, 'key', 2, 'message', 1, 'agent', 1, '{}' FROM conversation WHERE id = 'old'";
    let twice = journal.database.execute(Durability::OnDisk, twice, []);
    assert!(twice.await.is_err(), "a key is there once");
    assert_eq!(append(&journal, &talk(4)).await, 4);
    assert_eq!(append(&journal, &talk(4)).await, 4, "the same again");
}
