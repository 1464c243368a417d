//! How far people have read.

use super::*;
use crate::conversation::TOO_MANY_CONVERSATIONS;
use crate::journal::database::{Durability, database_of_version};
use crate::journal::engine;
use crate::journal::{Seen, SeenBy};

fn seen_by(person: i64, seq: i64, since: i64) -> SeenBy {
    let conversation = ID.to_owned();
    let seen = Seen {
        seq,
        since,
        at: seq,
    };
    SeenBy {
        person,
        conversation,
        seen,
    }
}

async fn seq_of(journal: &Journal, person: i64) -> Option<i64> {
    let seen = journal.seen(person, ID).await.expect("healthy");
    let among = journal
        .seen_among(person, vec![ID.to_owned(), "x".to_owned()])
        .await;
    let among = among.expect("healthy").get(ID).copied();
    assert_eq!(among, seen.map(|seen| seen.seq));
    among
}

#[tokio::test]
async fn nobody_reads_backwards_or_beyond_the_end() {
    let (journal, _folder) = journal().await;
    let newest = append(&journal, &talk(20)).await;
    assert_eq!(seq_of(&journal, 1).await, None);
    for (seq, expected) in [(8, 8), (5, 8), (newest + 9, newest)] {
        let kept = journal.keep_seen(vec![seen_by(1, seq, 2)]).await;
        kept.expect("healthy");
        assert_eq!(seq_of(&journal, 1).await, Some(expected));
    }
    assert_eq!(seq_of(&journal, 2).await, None, "another person");
    let unknown = SeenBy {
        conversation: "unknown".to_owned(),
        ..seen_by(1, 3, 0)
    };
    journal
        .keep_seen(vec![unknown])
        .await
        .expect("it is left out");
}

#[tokio::test]
async fn what_was_read_goes_with_the_conversation_and_with_the_person() {
    let (journal, _folder) = journal().await;
    append(&journal, &talk(20)).await;
    let ada = journal
        .add_person("ada", "owner", String::new(), false, 0)
        .await;
    let ada = ada.expect("healthy").expect("the name is free");
    let kept = journal.keep_seen(vec![seen_by(0, 4, 0), seen_by(ada, 4, 0)]);
    kept.await.expect("healthy");
    let gone = journal
        .database
        .write(Durability::Ordinary, move |transaction| {
            transaction.execute("DELETE FROM person WHERE number = ?1", [ada])
        });
    gone.await.expect("healthy");
    assert_eq!(seq_of(&journal, ada).await, None);
    assert_eq!(seq_of(&journal, 0).await, Some(4));
    journal.forget(ID).await.expect("healthy");
    let left = journal
        .database
        .read(|transaction| transaction.one::<i64>("SELECT count(*) FROM seen", []));
    assert_eq!(left.await.expect("healthy"), 0);
}

#[tokio::test]
async fn a_database_of_before_has_nothing_unread() {
    // It is about the file.
    let _file = crate::journal::engine::in_a_file();
    let folder = TempDir::new().expect("a temporary folder");
    let old = database_of_version(17, folder.path());
    old.execute_batch(
        "INSERT INTO conversation (id, backend, title, runtime, created_at, updated_at, seq)
           VALUES ('c0ffee', 'b', '', '', 0, 0, 7);
         INSERT INTO timeline_row VALUES (1, 5, 5, 'message', 6)",
    )
    .expect("it is SQL");
    drop(old);
    let journal = journal_in(folder.path()).await;
    assert_eq!(seq_of(&journal, 0).await, None);
    let known = journal.conversation(ID).await.expect("healthy");
    assert_eq!(known.expect("it is there").newest_row, 6);
    journal
        .keep_seen(vec![seen_by(0, 7, 0)])
        .await
        .expect("healthy");
    assert_eq!(seq_of(&journal, 0).await, Some(7));
}

#[tokio::test]
async fn an_idle_conversation_that_was_stopped_for_another_one_has_nothing_new() {
    let (journal, _folder) = journal().await;
    let newest = async |journal: &Journal| {
        let known = journal.conversation(ID).await.expect("healthy");
        known.expect("it is there").newest_row
    };
    let stopped = || serde_json::json!({"status_update": true, "type": "error", "id": TOO_MANY_CONVERSATIONS, "message": "Too many"});
    append(&journal, &[says(1, "hello"), answers(2, "Hi")]).await;
    append(&journal, &[state(3, "awaiting_user_input"), stopped()]).await;
    assert_eq!(newest(&journal).await, 2);
    let seen = append(&journal, &[says(4, "Go on"), state(5, "running")]).await;
    assert_eq!(newest(&journal).await, seen - 1);
    // What was at work is news.
    let seen = append(&journal, &[stopped()]).await;
    assert_eq!(newest(&journal).await, seen);
}

#[tokio::test]
async fn what_was_read_and_what_is_new_are_found_by_an_index() {
    // It is about the file.
    let _file = crate::journal::engine::in_a_file();
    let (journal, _folder) = journal().await;
    for sql in [
        "SELECT seen.seq FROM conversation JOIN seen ON seen.conversation = conversation.number AND seen.person = 1
         WHERE conversation.id = 'a'",
        "SELECT max(timeline_row.seq) FROM timeline_row WHERE timeline_row.conversation = 1",
        "SELECT timeline_row.seq FROM timeline_row WHERE timeline_row.conversation = 1 ORDER BY timeline_row.seq DESC LIMIT 1 OFFSET 1",
    ] {
        let plan = journal.database.read(move |transaction| {
            let mut statement = transaction.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
            let rows = statement.query_map([], |row| row.get::<_, String>(3))?;
            rows.collect::<engine::Result<Vec<_>>>()
        });
        let plan = plan.await.expect("it is SQL");
        assert!(plan.iter().all(|step| step.contains("SEARCH")), "{plan:#?}");
    }
}

#[tokio::test]
async fn the_rows_since_an_event_are_found_from_the_end() {
    let (journal, _folder) = journal().await;
    append(&journal, &talk(40)).await;
    let new = async |since, limit| {
        let new = journal.new_rows(ID, since, limit).await;
        new.expect("healthy").expect("it is there")
    };
    let all = window(&journal, 1000).await.page.rows;
    let later = new(20, 1000).await;
    let expected: Vec<_> = all.iter().filter(|row| row.id > 20).collect();
    assert_eq!(later.count, expected.len());
    assert_eq!(later.first, expected.first().map(|row| (row.pos, row.id)));
    assert!(later.is_whole);
    assert!(later.rows.iter().all(|row| row.seq > 20) && later.rows.len() >= expected.len());
    let few = new(0, 3).await;
    assert_eq!((few.count, few.rows.len(), few.is_whole), (3, 3, false));
    assert_eq!(few.first, Some((all[0].pos, all[0].id)));
    assert_eq!(new(40, 1000).await.count, 0);
    assert_eq!(new(i64::MAX, 1000).await.first, None);
    let none = journal.new_rows("unknown", 0, 9).await;
    assert_eq!(none.expect("healthy"), None);
}

#[tokio::test]
async fn a_step_that_ended_later_is_among_what_is_new() {
    let (journal, _folder) = journal().await;
    let seen = append(&journal, &[says(1, "hello"), runs(2, "make")]).await;
    append(&journal, &[prints(3, 2, "done"), answers(4, "It is made.")]).await;
    let new = journal.new_rows(ID, seen, 100).await.expect("healthy");
    let new = new.expect("it is there");
    assert_eq!((new.count, new.rows.len()), (1, 2));
    assert_eq!(new.rows[0].kind(), Kind::Shell);
}
