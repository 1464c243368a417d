//! What the journal promises: once, in order, whatever arrives how often, and through a crash.

mod measure;
mod transactions;

use super::sample::*;
use super::{Described, Journal, JournalError, Window};
use crate::conversation::{CallState, Card, Kind, Row, Timeline};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

const ID: &str = "c0ffee";

/// A journal with one empty conversation, and the folder it lives in.
async fn journal() -> (Journal, TempDir) {
    let folder = TempDir::new().expect("a temporary folder");
    let journal = journal_in(folder.path()).await;
    let described = Described {
        id: ID.to_owned(),
        backend: "b".to_owned(),
        ..Described::default()
    };
    journal
        .describe(vec![described])
        .await
        .expect("a new conversation");
    (journal, folder)
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

/// Rows without what depends on the order of arrival.
fn settled(rows: Vec<Row>) -> Vec<Row> {
    let settle = |row: Row| {
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
    rows.into_iter().map(settle).collect()
}

#[tokio::test]
async fn what_arrives_twice_is_kept_once() {
    let (journal, _folder) = journal().await;
    assert_eq!(append(&journal, &talk(8)).await, 8);
    let again = journal
        .append(ID, talk(8).iter().map(entry).collect(), false, 1)
        .await
        .expect("a healthy journal");
    assert_eq!((again.seq, again.new.len(), again.rows.len()), (8, 0, 0));
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
async fn a_window_reads_like_the_whole_log() {
    let (journal, _folder) = journal().await;
    append(&journal, &talk(100)).await;
    let whole = Timeline::of(talk(100).iter().map(|event| entry(event).item)).rows();
    let window = window(&journal, 10).await;
    assert_eq!(window.page.rows, whole[whole.len() - 10..]);
    assert!(window.page.older);
    let oldest = &window.page.rows[0];
    let before = journal
        .rows(ID, Some((oldest.pos, oldest.id)), None, 1000)
        .await
        .expect("a healthy journal");
    assert_eq!(before.rows, whole[..whole.len() - 10]);
    assert!(!before.older);
}

#[tokio::test]
async fn a_page_can_be_of_one_kind() {
    let (journal, _folder) = journal().await;
    append(&journal, &talk(100)).await;
    let page = journal
        .rows(ID, None, Some(Kind::Shell), 7)
        .await
        .expect("a healthy journal");
    assert_eq!(page.rows.len(), 7);
    assert!(page.rows.iter().all(|row| row.kind() == Kind::Shell));
}

#[tokio::test]
async fn a_result_changes_its_row_for_who_saw_the_call() {
    let (journal, _folder) = journal().await;
    let seq = append(&journal, &[says(1, "hello"), runs(2, "ls")]).await;
    append(&journal, &[prints(3, 2, "a.txt")]).await;
    let changed = journal
        .changed_since(ID, seq, 10)
        .await
        .expect("a healthy journal")
        .expect("a good cursor");
    assert_eq!(changed.rows.len(), 1);
    assert!(matches!(&changed.rows[0].card, Card::Call(call) if call.executions.len() == 1));
}

#[tokio::test]
async fn a_row_that_an_event_elsewhere_changes_is_changed() {
    let (journal, _folder) = journal().await;
    let seq = append(
        &journal,
        &[state(1, "awaiting_user_confirmation"), asks(2, "ls")],
    )
    .await;
    let waiting =
        |row: &Row| matches!(&row.card, Card::Call(call) if call.state == CallState::Waiting);
    assert!(waiting(&window(&journal, 9).await.page.rows[0]));
    append(&journal, &[says(3, "no, something else")]).await;
    let changed = journal
        .changed_since(ID, seq, 10)
        .await
        .expect("a healthy journal")
        .expect("a good cursor");
    let row = changed
        .rows
        .iter()
        .find(|row| row.pos == 2)
        .expect("the question was dropped");
    assert!(!waiting(row));
    assert!(row.seq > seq);
}

#[tokio::test]
async fn a_cursor_from_the_future_or_too_far_back_is_a_gap() {
    let (journal, _folder) = journal().await;
    let seq = append(&journal, &talk(40)).await;
    assert_eq!(
        journal
            .changed_since(ID, seq + 1, 10)
            .await
            .expect("healthy"),
        None
    );
    assert_eq!(
        journal.changed_since(ID, -1, 10).await.expect("healthy"),
        None
    );
    assert_eq!(
        journal.changed_since(ID, 0, 10).await.expect("healthy"),
        None
    );
    assert_eq!(
        journal
            .changed_since("other", 0, 10)
            .await
            .expect("healthy"),
        None
    );
}

#[tokio::test]
async fn words_are_found_where_they_are_and_nowhere_else() {
    let (journal, _folder) = journal().await;
    append(
        &journal,
        &[
            says(1, "Fix the flux capacitor"),
            runs(2, "grep -rn \"flux\" src"),
            answers(3, "Done."),
        ],
    )
    .await;
    let found =
        |text: &'static str| async { journal.search(ID, text, 50).await.expect("healthy").len() };
    assert_eq!(found("flux").await, 2);
    assert_eq!(found("capac flux").await, 1);
    assert_eq!(found("\"* OR flux").await, 0);
    assert_eq!(found("  ").await, 0);
    let other = Described {
        id: "other".to_owned(),
        ..Described::default()
    };
    journal.describe(vec![other]).await.expect("healthy");
    assert_eq!(
        journal.search("other", "flux", 50).await.expect("healthy"),
        []
    );
}

#[tokio::test]
async fn a_picture_is_served_by_event_and_number() {
    let (journal, _folder) = journal().await;
    append(
        &journal,
        &[browses(1, "data:image/png;base64,iVBORw0KGgo=")],
    )
    .await;
    let picture = journal
        .picture(ID, 1, 0)
        .await
        .expect("healthy")
        .expect("the page has a picture");
    assert_eq!(picture.media_type, "image/png");
    assert_eq!(journal.picture(ID, 1, 1).await.expect("healthy"), None);
    assert_eq!(journal.picture(ID, 2, 0).await.expect("healthy"), None);
}

#[tokio::test]
async fn what_is_forgotten_leaves_nothing_behind() {
    let (journal, _folder) = journal().await;
    append(&journal, &talk(20)).await;
    journal
        .keep_draft(ID, 0, "half a sent")
        .await
        .expect("healthy");
    journal.forget(ID).await.expect("healthy");
    assert_eq!(journal.window(ID, 9).await.expect("healthy"), None);
    assert_eq!(journal.draft(ID, 0).await.expect("healthy"), "");
    let described = Described {
        id: ID.to_owned(),
        ..Described::default()
    };
    journal.describe(vec![described]).await.expect("healthy");
    assert_eq!(journal.search(ID, "number", 50).await.expect("healthy"), []);
    assert_eq!(append(&journal, &talk(2)).await, 2);
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

#[tokio::test]
async fn a_journal_of_a_newer_version_is_left_alone() {
    let (journal, folder) = journal().await;
    drop(journal);
    let file = rusqlite::Connection::open(folder.path().join("handrail.db")).expect("it is there");
    file.pragma_update(None, "user_version", 99)
        .expect("it can be written");
    drop(file);
    let error = Journal::open(folder.path(), reader)
        .await
        .expect_err("it is newer");
    assert!(
        matches!(error, JournalError::Newer { found: 99, .. }),
        "{error}"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn only_its_owner_can_read_the_journal() {
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

    /// Batches of any size, events twice and out of order: the rows are those of the log in order.
    #[test]
    fn order_repetition_and_batches_do_not_matter(
        order in proptest::collection::vec(0..60_usize, 60..150),
        batch in 1..40_usize,
    ) {
        let events = talk(60);
        let mut arriving: Vec<Value> = order.iter().map(|at| events[*at].clone()).collect();
        arriving.extend(events.iter().cloned());
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
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
        prop_assert_eq!(settled(rows).len(), settled(ordered).len());
    }
}
