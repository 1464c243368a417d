//! Retention, killed in the middle of its work.

use crate::backup::{entry, printed};
use crate::process::{Process, call, command};
use crate::stage::reader;
use handrail::api::{AddRetentionRule, ApplyRetention};
use handrail::journal::{ConversationMeta, Journal};
use rusqlite::Connection;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

const EVENTS: u32 = 1_500;
/// How often retention is killed.
const KILLS: u64 = 4;

/// A journal with long conversations that nobody has used for years.
async fn filled(folder: &Path) {
    let journal = Journal::open(folder, reader).await.expect("it is made");
    for id in 0..KILLS {
        let meta = ConversationMeta {
            id: format!("old{id}"),
            backend: "Imported".to_owned(),
            updated_at: 1,
            ..ConversationMeta::default()
        };
        let id = meta.id.clone();
        journal.describe(vec![meta]).await.expect("healthy");
        let entries = (0..EVENTS as usize).map(entry).collect();
        let appended = journal.append(&id, entries, true, 1).await;
        appended.expect("healthy");
    }
}

/// The ids of the conversations, each with its newest seq and its number of events.
fn conversations(folder: &Path) -> Vec<(String, u32, u32)> {
    let database = Connection::open(folder.join("handrail.db")).expect("it exists");
    let sql = "SELECT id, seq, (SELECT count(*) FROM event WHERE conversation = number) FROM conversation";
    let mut statement = database.prepare(sql).expect("a table");
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    rows.expect("rows").map(|row| row.expect("a row")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_retention_leaves_each_conversation_whole_or_gone() {
    let folder = TempDir::new().expect("a temporary folder");
    let data = folder.path().join("data");
    filled(&data).await;
    let start = async || {
        let options = ["--trust-local", "--backend", "http://127.0.0.1:9"];
        Process::of(command(&data, &options)).await
    };
    let mut was_half = false;
    for kill in 0..=KILLS {
        let process = start().await;
        let address = process.address;
        if kill == 0 {
            let rule = [("days", "30")];
            call::<AddRetentionRule>(address, &rule)
                .await
                .expect("a rule");
        }
        // What a killed run has left is gone once the server serves.
        for (id, seq, events) in conversations(&data) {
            assert!(
                id.starts_with("old") && seq == EVENTS && events == EVENTS,
                "{id} {seq} {events}"
            );
        }
        let run = tokio::spawn(async move {
            let seen = [("seen", "100")];
            call::<ApplyRetention>(address, &seen).await
        });
        if kill == KILLS {
            run.await.expect("it does not panic").expect("it works");
            process.terminate();
            process.ended().await;
            break;
        }
        // In the middle of one, if it can be met.
        let is_half = || {
            conversations(&data)
                .iter()
                .any(|(id, ..)| id.starts_with("deleted"))
        };
        let met = async {
            while !is_half() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        let _ = tokio::time::timeout(Duration::from_millis(500), met).await;
        process.kill();
        run.abort();
        was_half |= is_half();
    }
    assert!(was_half, "no kill met the middle");
    assert_eq!(conversations(&data), []);
    let text = printed(&data, &["verify"]).await;
    assert!(text.contains("none changed"), "{text}");
    let text = printed(&data, &["retention"]).await;
    assert!(text.contains("would delete nothing now"), "{text}");
}
