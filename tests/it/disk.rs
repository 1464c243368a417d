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
        .expect("it does not serve")
        .expect("starting does not panic")
        .expect("the program is built, and root has setpriv");
    assert!(!output.status.success());
    let said = String::from_utf8(output.stderr).expect("it is text");
    assert!(!said.contains("panicked"), "{said}");
    assert!(
        said.starts_with("handrail: ") && said.trim_end().ends_with('.'),
        "{said}"
    );
    said
}

/// A journal with content; returns its file.
async fn filled(folder: &Path) -> std::path::PathBuf {
    let journal = Journal::open(folder, reader).await.expect("it can be made");
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
    let database = Connection::open(&file).expect("it is there");
    database
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .expect("nobody else has it");
    file
}

#[tokio::test]
async fn a_journal_of_a_newer_version_is_left_alone() {
    let folder = TempDir::new().expect("a temporary folder");
    let file = filled(folder.path()).await;
    let database = Connection::open(&file).expect("it is there");
    database
        .pragma_update(None, "user_version", 99)
        .expect("it can be written");
    drop(database);
    let said = refused(folder.path()).await;
    assert!(
        said.contains("99") && said.contains("newer Handrail") && said.contains("--data-dir"),
        "{said}"
    );
    let database = Connection::open(&file).expect("it is there");
    let events: i64 = database
        .query_row("SELECT count(*) FROM event", [], |row| row.get(0))
        .expect("it is as it was");
    assert_eq!(events, 500);
}

#[tokio::test]
async fn a_file_that_is_no_journal_is_left_alone() {
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join("handrail.db");
    fs::write(&file, "Dear diary, ".repeat(1000)).expect("it can be written");
    let said = refused(folder.path()).await;
    assert!(
        said.contains("handrail.db") && said.contains("not a database"),
        "{said}"
    );
    assert!(
        fs::read_to_string(&file)
            .expect("it is there")
            .starts_with("Dear diary")
    );
}

#[tokio::test]
async fn a_truncated_journal_is_refused() {
    let folder = TempDir::new().expect("a temporary folder");
    let file = filled(folder.path()).await;
    let bytes = fs::read(&file).expect("it is there");
    for kept in [bytes.len() / 2, 5000, 100] {
        fs::write(&file, &bytes[..kept]).expect("it can be written");
        let said = refused(folder.path()).await;
        assert!(said.contains("handrail.db"), "{kept}: {said}");
    }
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_is_named() {
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("it can be written");
    let said = refused(&file.join("data")).await;
    assert!(
        said.contains("file/data") && said.contains("Not a directory"),
        "{said}"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_read_only_folder_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().expect("a temporary folder");
    let data = folder.path().join("data");
    fs::create_dir(&data).expect("it can be made");
    fs::set_permissions(&data, fs::Permissions::from_mode(0o500)).expect("it is ours");
    let mut program = program(&data);
    if fs::write(data.join("probe"), "").is_ok() {
        // Root may write everywhere, by a capability that this program takes away.
        let mut starter = Command::new("setpriv");
        starter.args(["--bounding-set", "-dac_override", "--"]);
        program = started_by(starter, &program);
    }
    let said = refused_by(program).await;
    assert!(
        said.contains("data") && said.to_lowercase().contains("denied"),
        "{said}"
    );
}
