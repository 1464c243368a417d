//! Guarantees of the journal: events are stored once and in order, however often they arrive, and survive a crash.

mod audit;
mod clocks;
mod comments;
mod conversion;
mod growing;
mod idempotency;
mod long_names;
#[cfg(unix)]
mod lost_commits;
mod measure;
mod moving;
mod notices;
mod outline;
mod reading;
mod replaying;
pub(crate) mod sample;
mod searching;
mod server;
mod transactions;
mod unanswered;
mod unread;

use self::sample::*;
use super::{ConversationMeta, Held, Journal, Window};
use crate::conversation::{CallState, Card, Kind, Row, Session, Timeline};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

const ID: &str = "c0ffee";

/// A journal with one empty conversation, and its folder.
async fn journal() -> (Journal, TempDir) {
    let folder = TempDir::new().expect("a temporary folder");
    let journal = journal_in(folder.path()).await;
    let meta = ConversationMeta {
        id: ID.to_owned(),
        backend: "b".to_owned(),
        ..ConversationMeta::default()
    };
    journal
        .describe(vec![meta])
        .await
        .expect("a new conversation");
    (journal, folder)
}

/// Changes the database as only a person could who has it in their hands.
async fn tamper(journal: &Journal, sql: &str) {
    let connection = journal.database.connection().await;
    let table = sql
        .strip_prefix("DROP TRIGGER audit")
        .map_or("", |_| " ON audit");
    let table = if connection.is_postgres() { table } else { "" };
    let tampered = connection.execute_batch(&format!("{sql}{table}"));
    tampered.expect("nothing keeps them from it");
}

async fn append(journal: &Journal, events: &[Value]) -> i64 {
    let entries = events.iter().map(entry).collect();
    journal
        .append(ID, entries, false, 1)
        .await
        .expect("a healthy journal")
        .seq
}

async fn window(journal: &Journal, limit: u32) -> Window {
    journal
        .window(ID, limit)
        .await
        .expect("a healthy journal")
        .expect("the conversation is known")
}

/// Rows without the fields that depend on the order of arrival.
fn without_orders(rows: Vec<Row>) -> Vec<Row> {
    let without_order = |row: Row| {
        let card = match row.card {
            Card::Call(mut call) => {
                call.executions
                    .iter_mut()
                    .for_each(|execution| execution.seq = 0);
                Card::Call(call)
            }
            Card::Message { message, .. } => Card::Message { seq: 0, message },
            card => card,
        };
        Row {
            id: 0,
            seq: 0,
            card,
            ..row
        }
    };
    rows.into_iter().map(without_order).collect()
}

#[tokio::test]
async fn what_arrives_twice_is_kept_once() {
    let (journal, _folder) = journal().await;
    assert_eq!(append(&journal, &talk(8)).await, 8);
    let again = journal
        .append(ID, talk(8).iter().map(entry).collect(), false, 1)
        .await
        .expect("a healthy journal");
    assert_eq!(
        (again.seq, again.new.len(), again.rows.rows.len()),
        (8, 0, 0)
    );
}

#[tokio::test]
async fn what_is_held_of_a_log_counts_only_while_it_is_that_of_the_log() {
    let (journal, _folder) = journal().await;
    let seq = append(&journal, &talk(4)).await;
    let append_after = async |title: &str, id: i64| {
        let mut session = Session::default();
        title.clone_into(&mut session.title);
        let entries = vec![entry(&talk(id + 1)[id as usize])];
        let held = Some(Held { seq, session });
        let appended = journal.append_after(ID, held, entries, false, 1).await;
        let appended = appended.expect("a healthy journal");
        (appended.seq, appended.session.title)
    };
    assert_eq!(append_after("held", 4).await, (5, "held".to_owned()));
    assert_eq!(append_after("outdated", 5).await, (6, "held".to_owned()));
}

#[tokio::test]
async fn a_frame_without_an_id_is_kept_each_time() {
    let (journal, _folder) = journal().await;
    let frame = json!({ "status_update": true, "type": "info", "id": "STATUS$STARTING_RUNTIME", "message": "" });
    append(&journal, &[frame.clone(), frame]).await;
    let events = journal.events(ID, 0, 10).await.expect("a healthy journal");
    assert_eq!(events.len(), 2);
}

#[tokio::test]
async fn what_is_forgotten_leaves_nothing_behind() {
    let (journal, _folder) = journal().await;
    append(&journal, &talk(20)).await;
    journal
        .keep_draft(ID, 0, "half a sent")
        .await
        .expect("healthy");
    journal.pin(ID, 0, true).await.expect("healthy");
    journal.forget(ID).await.expect("healthy");
    assert!(journal.pins(0).await.expect("healthy").is_empty());
    assert_eq!(journal.window(ID, 9).await.expect("healthy"), None);
    assert_eq!(journal.draft(ID, 0).await.expect("healthy"), "");
    let meta = ConversationMeta {
        id: ID.to_owned(),
        ..ConversationMeta::default()
    };
    journal.describe(vec![meta]).await.expect("healthy");
    assert_eq!(
        searching::found(&journal, ID, "number").await,
        Vec::<i64>::new()
    );
    assert_eq!(append(&journal, &talk(2)).await, 2);
}

#[tokio::test]
async fn each_person_has_pins_of_their_own() {
    let (journal, _folder) = journal().await;
    for (person, pinned) in [(1, true), (1, true), (2, true), (2, false)] {
        journal.pin(ID, person, pinned).await.expect("healthy");
    }
    assert_eq!(journal.pins(1).await.expect("healthy"), [ID]);
    assert!(journal.pins(2).await.expect("healthy").is_empty());
}

#[tokio::test]
async fn the_log_is_there_after_a_restart() {
    let (journal, folder) = journal().await;
    append(&journal, &talk(30)).await;
    let before = window(&journal, 50).await;
    drop(journal);
    let journal = journal_in(folder.path()).await;
    assert_eq!(window(&journal, 50).await, before);
    assert_eq!(append(&journal, &talk(31)).await, 31);
}

#[cfg(unix)]
#[tokio::test]
async fn only_its_owner_can_read_the_journal() {
    // It is about the file.
    let _file = crate::journal::engine::in_a_file();
    use std::os::unix::fs::PermissionsExt;
    let outer = TempDir::new().expect("a temporary folder");
    let folder = outer.path().join("data");
    let journal = journal_in(&folder).await;
    journal
        .keep_setting("connection", "secret")
        .await
        .expect("healthy");
    let mode = |path: &std::path::Path| {
        std::fs::metadata(path)
            .expect("it is there")
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode(&folder), 0o700);
    for file in std::fs::read_dir(&folder).expect("it is there") {
        assert_eq!(mode(&file.expect("it is there").path()), 0o600);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Batches of any size, with duplicates and out of order, give the same rows as the log in order.
    #[test]
    fn order_repetition_and_batches_do_not_matter(
        order in proptest::collection::vec(0..60_usize, 60..150),
        batch in 1..40_usize,
    ) {
        let events = talk(60);
        let mut arriving: Vec<Value> = order.iter().map(|at| events[*at].clone()).collect();
        arriving.extend(events.iter().cloned());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let rows = runtime.block_on(async {
            let (journal, _folder) = journal().await;
            for batch in arriving.chunks(batch) {
                append(&journal, batch).await;
            }
            window(&journal, 1000).await.page.rows
        });
        let whole = Timeline::of(arriving.iter().map(|event| entry(event).item)).rows();
        prop_assert_eq!(&rows, &whole);
        let ordered = Timeline::of(events.iter().map(|event| entry(event).item)).rows();
        prop_assert_eq!(without_orders(rows).len(), without_orders(ordered).len());
    }
}
