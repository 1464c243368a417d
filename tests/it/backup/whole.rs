//! A backup is the journal at one moment, and nothing half is left of one that was killed.

use super::{
    append, backup, dump, dump_of_restored, handrail, journal, names, output, printed, refused,
};
use rusqlite::Connection;
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::task::spawn_blocking;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_while_events_arrive_is_the_journal_at_one_moment() {
    let folder = TempDir::new().expect("a temporary folder");
    let (data, to) = (folder.path().join("data"), folder.path().join("backups"));
    let writing = journal(&data).await;
    append(&writing, 0..500).await;
    let own = writing.clone();
    let arriving = tokio::spawn(async move {
        for first in (500..).step_by(5) {
            append(&own, first..first + 5).await;
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    });
    let made = [backup(&data, &to).await, backup(&data, &to).await];
    arriving.abort();
    let _ = arriving.await;
    let all = u32::try_from(dump(&data)["event"].len()).expect("a few thousand");
    let mut before = 500;
    for made in made {
        let restored = folder.path().join("restored");
        let path = made.to_str().expect("a text").to_owned();
        printed(&restored, &["restore", &path]).await;
        let database = Connection::open(restored.join("handrail.db")).expect("it exists");
        let prefix: (u32, u32, u32) = database
            .query_row(
                "SELECT count(*), max(seq), (SELECT seq FROM conversation) FROM event",
                [],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )
            .expect("a healthy database");
        assert!(prefix.0 == prefix.1 && prefix.1 == prefix.2, "{prefix:?}");
        assert!(
            (before..=all).contains(&prefix.0),
            "{before} {prefix:?} {all}"
        );
        before = prefix.0;
        // What is not there has arrived later.
        let whole = dump(&data)["event"].clone();
        for event in &dump(&restored)["event"] {
            assert!(whole.binary_search(event).is_ok(), "{event}");
        }
        fs::remove_dir_all(&restored).expect("it is ours");
    }
    assert!(all > before, "events arrived until the end");
}

#[tokio::test]
async fn an_archive_on_standard_output_is_a_backup() {
    let folder = TempDir::new().expect("a temporary folder");
    let data = folder.path().join("data");
    append(&journal(&data).await, 0..50).await;
    let output = output(&data, &["backup", "-"]).await;
    assert!(output.status.success());
    let file = folder.path().join("backup.tar");
    fs::write(&file, &output.stdout).expect("it can be written");
    assert!(
        !names(&data).iter().any(|name| name.starts_with('.')),
        "{:?}",
        names(&data)
    );
    let path = file.to_str().expect("a text");
    let text = printed(&data, &["verify", path]).await;
    assert!(text.contains("50 events"), "{text}");
    let restored = folder.path().join("restored");
    printed(&restored, &["restore", path]).await;
    assert_eq!(dump_of_restored(&restored), dump(&data));
    // Half an archive is none.
    let other = folder.path().join("other");
    fs::write(&file, &output.stdout[..output.stdout.len() / 2]).expect("it can be written");
    refused(&other, &["restore", path]).await;
    assert_eq!(names(&other), [""; 0]);
}

/// Starts a command and kills it after a while.
async fn killed_after(mut command: Command, delay: Duration) {
    spawn_blocking(move || {
        let mut child = command.spawn().expect("it is built");
        std::thread::sleep(delay);
        // It may have ended by itself.
        let _ = child.kill();
        child.wait().expect("it is our child");
    })
    .await
    .expect("it does not panic");
}

/// How often a command is killed, between its start and its end.
const KILLS: u32 = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_backup_leaves_nothing_half() {
    let folder = TempDir::new().expect("a temporary folder");
    let (data, to) = (folder.path().join("data"), folder.path().join("backups"));
    append(&journal(&data).await, 0..2_000).await;
    let begun = Instant::now();
    backup(&data, &to).await;
    let whole = begun.elapsed();
    for kill in 0..=KILLS {
        let path = to.to_str().expect("a text");
        killed_after(handrail(&data, &["backup", path]), whole * kill / KILLS).await;
        for name in names(&to).iter().filter(|name| !name.starts_with('.')) {
            let path = to.join(name);
            printed(&data, &["verify", path.to_str().expect("a text")]).await;
        }
    }
    backup(&data, &to).await;
    let left = names(&to);
    assert!(
        left.iter().all(|name| name.starts_with("handrail-")),
        "{left:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_restore_is_refused_until_it_is_repeated() {
    let folder = TempDir::new().expect("a temporary folder");
    let data = folder.path().join("data");
    append(&journal(&data).await, 0..2_000).await;
    printed(&data, &["tls", "init", "box.lan"]).await;
    let made = backup(&data, folder.path()).await;
    let made = made.to_str().expect("a text");
    let expected = dump(&data);
    let restored = folder.path().join("restored");
    let begun = Instant::now();
    printed(&restored, &["restore", made]).await;
    let whole = begun.elapsed();
    let mut was_interrupted = false;
    // Until a kill has met the middle, which is short.
    for kill in (0..=KILLS).cycle().take(40) {
        if kill == 0 && was_interrupted {
            break;
        }
        fs::remove_dir_all(&restored).expect("it is ours");
        killed_after(
            handrail(&restored, &["restore", made]),
            whole * kill / KILLS,
        )
        .await;
        let is_interrupted = restored.join("restoring").exists();
        was_interrupted |= is_interrupted;
        if is_interrupted {
            for arguments in [&["user", "list"] as &[_], &["backup", made], &["verify"]] {
                let text = refused(&restored, arguments).await;
                assert!(text.contains("interrupted"), "{arguments:?}: {text}");
            }
        }
        // Without it, nothing was begun, or all is done.
        if !restored.join("handrail.db").exists() || is_interrupted {
            printed(&restored, &["restore", made]).await;
        }
        assert_eq!(dump_of_restored(&restored), expected);
        assert!(restored.join("tls/key.pem").exists());
    }
    assert!(was_interrupted, "no kill met the middle");
}
