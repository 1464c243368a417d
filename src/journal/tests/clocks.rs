//! Times without a zone, which 0.x writes.

use super::*;

const MINUTE: i64 = 60_000;
/// Noon of 2026-11-21 in UTC.
const NOON: i64 = 1_795_262_400_000;

async fn created(journal: &Journal, id: &str, backend: &str, created_at: i64) {
    let meta = ConversationMeta {
        id: id.to_owned(),
        backend: backend.to_owned(),
        created_at,
        ..ConversationMeta::default()
    };
    journal.describe(vec![meta]).await.expect("healthy");
}

/// A message at a time of that day by the server's clock.
fn said(id: i64, time: &str) -> Value {
    let mut event = says(id, "hello");
    event["timestamp"] = format!("2026-11-21T{time}.000000").into();
    event
}

async fn add(journal: &Journal, id: &str, events: &[Value]) {
    let entries = events.iter().map(entry).collect();
    journal
        .append(id, entries, false, 1)
        .await
        .expect("healthy");
}

async fn times(journal: &Journal, id: &str) -> Vec<i64> {
    let window = journal.window(id, 10).await.expect("healthy");
    let rows = window.expect("it is there").page.rows;
    rows.iter().map(|row| (row.at - NOON) / MINUTE).collect()
}

#[tokio::test]
async fn a_server_in_another_zone_has_the_time_of_now() {
    let (journal, _folder) = journal().await;
    for (id, first, later) in [
        ("utc", "12:00:05", "12:10:00"),
        ("tokyo", "21:00:05", "21:10:00"),
        ("new york", "07:00:05", "07:10:00"),
        ("nepal", "17:45:05", "17:55:00"),
    ] {
        created(&journal, id, "b", NOON).await;
        add(&journal, id, &[said(1, first)]).await;
        add(&journal, id, &[said(2, later)]).await;
        assert_eq!(times(&journal, id).await, [0, 10], "{id}");
    }
    // Nothing tells the zone: it came much later, or was imported.
    created(&journal, "late", "b", NOON).await;
    add(&journal, "late", &[said(1, "21:07:00")]).await;
    assert_eq!(times(&journal, "late").await, [547]);
    created(&journal, "file", crate::conversation::IMPORTED, NOON).await;
    add(&journal, "file", &[said(1, "21:00:05")]).await;
    assert_eq!(times(&journal, "file").await, [540]);
}

#[tokio::test]
async fn a_clock_that_is_put_forward_during_a_conversation_is_followed() {
    let (journal, _folder) = journal().await;
    for (id, first, later) in [
        ("berlin", "13:00:05", ["15:10:00", "15:20:00"]),
        ("lord howe", "22:30:05", ["24:10:00", "24:20:00"]),
        ("utc", "12:00:05", ["13:10:00", "13:20:00"]),
    ] {
        created(&journal, id, "b", NOON).await;
        for (number, time, minutes) in [(1, first, 0), (2, later[0], 70), (3, later[1], 80)] {
            let (day, time) = match time.strip_prefix("24:") {
                Some(rest) => ("2026-11-22", format!("00:{rest}")),
                None => ("2026-11-21", time.to_owned()),
            };
            let mut event = says(number, "hello");
            event["timestamp"] = format!("{day}T{time}.000000").into();
            let received = NOON + minutes * MINUTE + 5_000;
            let entries = vec![entry(&event)];
            let added = journal.append(id, entries, false, received).await;
            added.expect("healthy");
        }
        assert_eq!(times(&journal, id).await, [0, 70, 80], "{id}");
    }
}

#[tokio::test]
async fn what_was_stored_before_the_zone_was_known_is_corrected() {
    // It is about the file.
    let _file = crate::journal::engine::in_a_file();
    let folder = TempDir::new().expect("a temporary folder");
    let old = crate::journal::database::database_of_version(13, folder.path());
    let mut put = old
        .prepare(
            "INSERT INTO event (conversation, seq, key, row, pos, kind, at, source, received_at, raw)
             VALUES (?1, ?2, ?2, ?2, ?2, 'message', ?3, 'human', 0, ?4)",
        )
        .expect("it is SQL");
    for (number, id, backend, hour) in [
        (1, "tokyo", "b", 9),
        (2, "utc", "b", 0),
        (3, "file", "Imported", 9),
    ] {
        old.execute(
            "INSERT INTO conversation (number, id, backend, title, runtime, created_at, updated_at, seq)
             VALUES (?1, ?2, ?3, '', '', ?4, ?4, 2)",
            crate::journal::engine::params![number, id, backend, NOON],
        )
        .expect("it is SQL");
        for (seq, minute) in [(1, 0), (2, 10)] {
            let time = format!("{:02}:{minute:02}:05", 12 + hour);
            let at = NOON + (hour * 60 + minute) * MINUTE + 5000;
            let raw = said(seq, &time).to_string();
            put.execute(crate::journal::engine::params![number, seq, at, raw])
                .expect("it is SQL");
            old.execute(
                "INSERT INTO timeline_row (conversation, id, pos, kind, seq) VALUES (?1, ?2, ?2, 'message', ?2)",
                crate::journal::engine::params![number, seq],
            )
            .expect("it is SQL");
        }
    }
    drop(put);
    drop(old);
    let journal = journal_in(folder.path()).await;
    assert_eq!(times(&journal, "tokyo").await, [0, 10]);
    assert_eq!(times(&journal, "utc").await, [0, 10]);
    assert_eq!(times(&journal, "file").await, [540, 550]);
    // What arrives later has the same zone.
    add(&journal, "tokyo", &[said(3, "21:20:00")]).await;
    assert_eq!(times(&journal, "tokyo").await, [0, 10, 20]);
    // The index is filled again.
    while journal.index_slice().await.expect("healthy") {}
    assert_eq!(searching::found(&journal, "tokyo", "hello").await.len(), 3);
}
