//! An unusable journal: Handrail reports it in one sentence and destroys nothing.

use crate::process::{command, started_by};
use crate::stage::reader;
use handrail::journal::{ConversationMeta, Entry, Journal};
use rusqlite::Connection;
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use tokio::task::spawn_blocking;

/// Starts Handrail, which must fail to start, and returns its output.
async fn refused(data_dir: &Path) -> String {
    refused_by(program(data_dir)).await
}

fn program(data_dir: &Path) -> Command {
    command(data_dir, &["--backend", "http://127.0.0.1:9"])
}

async fn refused_by(mut program: Command) -> String {
    program.stderr(Stdio::piped());
    let ending = spawn_blocking(move || program.output());
    let ended = tokio::time::timeout(Duration::from_secs(20), ending).await;
    let output = ended
        .expect("it exits")
        .expect("starting does not panic")
        .expect("the program is built, and root has setpriv");
    assert!(!output.status.success());
    let message = String::from_utf8(output.stderr).expect("a text");
    assert!(!message.contains("panicked"), "{message}");
    assert!(
        message.starts_with("handrail: ") && message.trim_end().ends_with('.'),
        "{message}"
    );
    message
}

/// A journal with content; returns its file.
async fn filled(folder: &Path) -> std::path::PathBuf {
    let journal = Journal::open(folder, reader)
        .await
        .expect("it can be created");
    let described = ConversationMeta {
        id: "c0ffee".to_owned(),
        ..ConversationMeta::default()
    };
    journal
        .describe(vec![described])
        .await
        .expect("it can be written");
    let entries = (0..500).map(|id| {
        let raw = json!({ "id": id, "source": "user", "action": "message", "message": "",
            "timestamp": "2026-11-21T10:00:00.000000",
            "args": { "content": format!("word {id}").repeat(50), "image_urls": [], "file_urls": [] } });
        let raw = raw.to_string();
        Entry { item: reader(&raw), raw }
    });
    journal
        .append("c0ffee", entries.collect(), true, 1)
        .await
        .expect("it can be written");
    drop(journal);
    let file = folder.join("handrail.db");
    // Checkpoints the write-ahead log into the database file, as after a clean shutdown.
    let database = Connection::open(&file).expect("it exists");
    database
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .expect("it is not locked");
    file
}

#[tokio::test]
async fn a_journal_of_a_newer_version_is_not_changed() {
    let folder = TempDir::new().expect("a temporary folder");
    let file = filled(folder.path()).await;
    let database = Connection::open(&file).expect("it exists");
    database
        .pragma_update(None, "user_version", 99)
        .expect("it can be written");
    drop(database);
    let message = refused(folder.path()).await;
    assert!(
        message.contains("99")
            && message.contains("newer Handrail")
            && message.contains("--data-dir"),
        "{message}"
    );
    let database = Connection::open(&file).expect("it exists");
    let events: i64 = database
        .query_row("SELECT count(*) FROM event", [], |row| row.get(0))
        .expect("it is unchanged");
    assert_eq!(events, 500);
}

#[tokio::test]
async fn a_file_that_is_not_a_journal_is_not_changed() {
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join("handrail.db");
    fs::write(&file, "Dear diary, ".repeat(1000)).expect("it can be written");
    let message = refused(folder.path()).await;
    assert!(
        message.contains("handrail.db") && message.contains("not a database"),
        "{message}"
    );
    assert!(
        fs::read_to_string(&file)
            .expect("it exists")
            .starts_with("Dear diary")
    );
}

#[tokio::test]
async fn a_truncated_journal_is_refused() {
    let folder = TempDir::new().expect("a temporary folder");
    let file = filled(folder.path()).await;
    let bytes = fs::read(&file).expect("it exists");
    for kept in [bytes.len() / 2, 5000, 100] {
        fs::write(&file, &bytes[..kept]).expect("it can be written");
        let message = refused(folder.path()).await;
        assert!(message.contains("handrail.db"), "{kept}: {message}");
    }
}

#[tokio::test]
async fn an_unwritable_folder_is_named() {
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("it can be written");
    let message = refused(&file.join("data")).await;
    assert!(
        message.contains("file/data") && message.contains("Not a directory"),
        "{message}"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_read_only_folder_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().expect("a temporary folder");
    let data = folder.path().join("data");
    fs::create_dir(&data).expect("it can be created");
    fs::set_permissions(&data, fs::Permissions::from_mode(0o500)).expect("it belongs to this user");
    let mut program = program(&data);
    if fs::write(data.join("probe"), "").is_ok() {
        // Root may write everywhere, by a capability that this program takes away.
        let mut starter = Command::new("setpriv");
        starter.args(["--bounding-set", "-dac_override", "--"]);
        program = started_by(starter, &program);
    }
    let message = refused_by(program).await;
    assert!(
        message.contains("data") && message.to_lowercase().contains("denied"),
        "{message}"
    );
}
