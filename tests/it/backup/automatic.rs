//! Backups that nobody asks for: by the server, and before a conversion.

use super::{backup, handrail, journal, names, printed};
use crate::process::{Process, command};
use crate::stage::soon;
use rusqlite::Connection;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use tokio::task::spawn_blocking;

#[tokio::test]
async fn a_server_makes_backups_and_keeps_the_newest() {
    let folder = TempDir::new().expect("a temporary folder");
    let (data, to) = (folder.path().join("data"), folder.path().join("backups"));
    drop(journal(&data).await);
    let mut old = Vec::new();
    for _ in 0..2 {
        let made = backup(&data, &to).await;
        let long_ago = std::time::SystemTime::now() - Duration::from_secs(25 * 3600);
        let manifest = fs::File::options()
            .write(true)
            .open(made.join("manifest.json"));
        let set = manifest.and_then(|file| file.set_modified(long_ago));
        set.expect("it is ours");
        old.push(made);
    }
    let path = to.to_str().expect("a text");
    let options = [
        "--backup-every",
        "24h",
        "--backup-to",
        path,
        "--backup-keep",
        "2",
        "--backend",
        "http://127.0.0.1:9",
    ];
    let process = Process::of(command(&data, &options)).await;
    soon(
        "there is a new backup, and the oldest is gone",
        async || (!old[0].exists() && names(&to).len() == 2).then_some(()),
    )
    .await;
    assert!(old[1].exists());
    let newest = to.join(names(&to).pop().expect("there are two"));
    printed(&data, &["verify", newest.to_str().expect("a text")]).await;
    process.terminate();
    assert!(process.ended().await.success());
    // It is not due again after a restart.
    let process = Process::of(command(&data, &options)).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    drop(process);
    assert_eq!(
        names(&to).pop(),
        newest
            .file_name()
            .map(|name| name.to_str().expect("a text").to_owned())
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_journal_is_not_converted_without_room_for_its_copy() {
    let folder = TempDir::new().expect("a temporary folder");
    let old: &[u8] = include_bytes!("../../../src/journal/tests/version13.db.gz");
    let file = folder.path().join("handrail.db");
    let mut database = fs::File::create(&file).expect("it can be created");
    std::io::copy(&mut flate2::read::GzDecoder::new(old), &mut database).expect("it is unpacked");
    drop(database);
    let version = || -> i64 {
        let database = Connection::open(&file).expect("it exists");
        database
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .expect("healthy")
    };
    let mut starter = Command::new("env");
    starter.args(["--ignore-signal=XFSZ", "prlimit", "--fsize=40000", "--"]);
    let list = handrail(folder.path(), &["user", "list"]);
    let mut list = crate::process::started_by(starter, &list);
    list.stderr(Stdio::piped());
    let output = spawn_blocking(move || list.output()).await;
    let output = output
        .expect("it does not panic")
        .expect("there is prlimit");
    let text = String::from_utf8(output.stderr).expect("a text");
    assert!(!output.status.success());
    assert!(
        text.contains("not converted") && text.contains("make room"),
        "{text}"
    );
    assert_eq!(version(), 13);
    assert!(
        !names(folder.path())
            .iter()
            .any(|name| name.starts_with("before-"))
    );
    printed(folder.path(), &["user", "list"]).await;
    assert!(version() > 13);
    let copies: Vec<_> = names(folder.path())
        .into_iter()
        .filter(|name| name.starts_with("before-"))
        .collect();
    assert_eq!(copies, [format!("before-version-{}.db", version())]);
    let copy = Connection::open(folder.path().join(&copies[0])).expect("it exists");
    let kept: i64 = copy
        .query_row("SELECT count(*) FROM event", [], |row| row.get(0))
        .expect("healthy");
    assert_eq!(kept, 90);
}
