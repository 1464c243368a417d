//! Backups: whole or absent, equal to the journal at one moment, and without what was revoked since.

mod automatic;
mod restored;
mod whole;

use crate::stage::reader;
use handrail::journal::{ConversationMeta, Entry, Journal};
use rusqlite::Connection;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tokio::task::spawn_blocking;

/// What lets somebody in, which a restored journal does not have.
pub const ACCESS: [&str; 6] = [
    "login",
    "access_token",
    "link",
    "invitation",
    "recovery_code",
    "known_device",
];

/// A command on a data folder.
pub fn handrail(data_dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_handrail"));
    command
        .args(arguments)
        .arg("--data-dir")
        .arg(data_dir)
        .env_clear()
        .env("HANDRAIL_LOG", "warn")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs a command to its end.
pub async fn output(data_dir: &Path, arguments: &[&str]) -> Output {
    let mut command = handrail(data_dir, arguments);
    let output = spawn_blocking(move || command.output()).await;
    output.expect("it does not panic").expect("it is built")
}

/// Runs a command that succeeds; returns what it printed.
pub async fn printed(data_dir: &Path, arguments: &[&str]) -> String {
    let output = output(data_dir, arguments).await;
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).expect("a text")
}

/// Runs a command that fails; returns all that it printed.
pub async fn refused(data_dir: &Path, arguments: &[&str]) -> String {
    let output = output(data_dir, arguments).await;
    assert!(!output.status.success(), "{arguments:?}");
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8(text).expect("a text")
}

pub async fn backup(data_dir: &Path, to: &Path) -> PathBuf {
    let to = to.to_str().expect("a text");
    let text = printed(data_dir, &["backup", to]).await;
    let path = text.trim().strip_prefix("Backup: ").expect("its path");
    PathBuf::from(path)
}

/// All rows of all tables but those for access, each table sorted. The shadow tables of the index are tables, too.
pub fn dump(folder: &Path) -> BTreeMap<String, Vec<String>> {
    let database = Connection::open(folder.join("handrail.db")).expect("it exists");
    let tables: Vec<String> = database
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
        .and_then(|mut tables| tables.query_map([], |row| row.get(0))?.collect())
        .expect("it is a database");
    let rows = |table: &String| {
        let mut statement = database
            .prepare(&format!("SELECT * FROM {table}"))
            .expect("a table");
        let columns = statement.column_count();
        let text = |row: &rusqlite::Row<'_>| {
            let values = (0..columns).map(|column| Ok(format!("{:?}", row.get_ref(column)?)));
            values.collect::<rusqlite::Result<Vec<_>>>()
        };
        let rows = statement.query_map([], text).expect("rows");
        let mut rows: Vec<_> = rows.map(|row| row.expect("a row").join(" ")).collect();
        rows.sort();
        rows
    };
    let tables = tables
        .iter()
        .filter(|table| !ACCESS.contains(&table.as_str()));
    tables.map(|table| (table.clone(), rows(table))).collect()
}

/// The dump of a restored journal without its entry about that.
pub fn dump_of_restored(folder: &Path) -> BTreeMap<String, Vec<String>> {
    let mut dump = dump(folder);
    let audit = dump.get_mut("audit").expect("a table");
    let before = audit.len();
    audit.retain(|entry| !entry.contains(&as_value("restore backup")));
    assert_eq!(audit.len(), before - 1, "there is one entry about it");
    dump
}

/// How a dump shows a text.
pub fn as_value(text: &str) -> String {
    format!("{:?}", rusqlite::types::ValueRef::Text(text.as_bytes()))
}

pub fn entry(id: usize) -> Entry {
    let raw = json!({ "id": id, "source": "user", "action": "message", "message": "",
        "timestamp": "2026-11-21T10:00:00.000000",
        "args": { "content": format!("word {id}").repeat(20), "image_urls": [], "file_urls": [] } });
    let raw = raw.to_string();
    Entry {
        item: reader(&raw),
        raw,
    }
}

/// A journal with a conversation.
pub async fn journal(folder: &Path) -> Journal {
    let journal = Journal::open(folder, reader).await.expect("it is made");
    let described = ConversationMeta {
        id: "c0ffee".to_owned(),
        ..ConversationMeta::default()
    };
    journal.describe(vec![described]).await.expect("healthy");
    journal
}

pub async fn append(journal: &Journal, ids: std::ops::Range<usize>) {
    let entries = ids.map(entry).collect();
    let appended = journal.append("c0ffee", entries, true, 1).await;
    appended.expect("healthy");
}

/// What a folder contains, without the lock of backups.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().into_string().expect("a text"));
    let mut names: Vec<_> = names.filter(|name| !name.ends_with(".lock")).collect();
    names.sort();
    names
}
