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
use tokio_util::sync::CancellationToken;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_while_events_arrive_is_the_journal_at_one_moment() {
    let folder = TempDir::new().expect("a temporary folder");
    let (data, to) = (folder.path().join("data"), folder.path().join("backups"));
    let writing = journal(&data).await;
    append(&writing, 0..500).await;
    let (own, done) = (writing.clone(), CancellationToken::new());
    let is_done = done.clone();
    let begun = Instant::now();
    let arriving = tokio::spawn(async move {
        let mut next = 500;
        while !is_done.is_cancelled() {
            tokio::time::sleep(Duration::from_millis(5)).await;
            // 1,000 a second, however busy the machine is.
            let due = 500 + usize::try_from(begun.elapsed().as_millis()).expect("a few seconds");
            append(&own, next..due).await;
            next = due;
        }
    });
    let made = [backup(&data, &to).await, backup(&data, &to).await];
    let took = begun.elapsed();
    done.cancel();
    arriving.await.expect("it does not panic");
    let all = u32::try_from(dump(&data)["event"].len()).expect("a few thousand");
    assert!(
        u128::from(all) >= took.as_millis(),
        "{all} events in {took:?}"
    );
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
        // What is not there has arrived later; the rest is as in a journal in which nothing else has arrived.
        let (whole, restored_dump) = (dump(&data), dump(&restored));
        for event in &restored_dump["event"] {
            assert!(whole["event"].binary_search(event).is_ok(), "{event}");
        }
        let alone = folder.path().join("alone");
        let journal = journal(&alone).await;
        append(&journal, 0..prefix.0 as usize).await;
        drop(journal);
        let alone_dump = dump(&alone);
        for table in ["timeline_row", "mark", "row_author", "outbox", "approval"] {
            assert_eq!(restored_dump[table], alone_dump[table], "{table}");
        }
        fs::remove_dir_all(&alone).expect("it is ours");
        printed(&restored, &["verify"]).await;
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

/// A database of version 13, which the rehearsal has made.
const OLD: &[u8] = include_bytes!("../../../src/journal/tests/version13.db.gz");

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_conversion_leaves_the_database_as_it_was_or_converts_it() {
    let folder = TempDir::new().expect("a temporary folder");
    let old = folder.path().join("old.db");
    let mut file = fs::File::create(&old).expect("it is made");
    std::io::copy(&mut flate2::read::GzDecoder::new(OLD), &mut file).expect("it is unpacked");
    // So long that a kill meets the middle.
    let more = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 200)
      INSERT INTO event (conversation, seq, pos, kind, at, source, received_at, raw)
      SELECT conversation, 1000 * x + seq, 1000 * x + pos, kind, at, source, received_at, raw FROM event, n";
    let database = Connection::open(&old).expect("it exists");
    database.execute_batch(more).expect("it can be written");
    drop(database);
    let state = |folder: &std::path::Path| -> (i64, i64, String) {
        let database = Connection::open(folder.join("handrail.db")).expect("it exists");
        let version = database.pragma_query_value(None, "user_version", |row| row.get(0));
        let events = database.query_row("SELECT count(*) FROM event", [], |row| row.get(0));
        let check = database.query_row("PRAGMA integrity_check", [], |row| row.get(0));
        (
            version.expect("healthy"),
            events.expect("a table"),
            check.expect("healthy"),
        )
    };
    let data = folder.path().join("data");
    let fresh = || {
        let _ = fs::remove_dir_all(&data);
        fs::create_dir(&data).expect("it is ours");
        fs::copy(&old, data.join("handrail.db")).expect("it can be copied");
    };
    fresh();
    let before = state(&data);
    let begun = Instant::now();
    printed(&data, &["user", "list"]).await;
    let (whole, converted) = (begun.elapsed(), state(&data));
    assert!(
        before.0 == 13 && converted.0 > 13,
        "{before:?} {converted:?}"
    );
    let mut was_old = false;
    for kill in 1..KILLS {
        fresh();
        killed_after(handrail(&data, &["user", "list"]), whole * kill / KILLS).await;
        let left = state(&data);
        assert!(left == before || left == converted, "{left:?}");
        was_old |= left == before;
        // A copy that has its name is whole.
        for name in names(&data)
            .iter()
            .filter(|name| name.starts_with("before-version") && name.ends_with(".db"))
        {
            let copy = Connection::open(data.join(name)).expect("it exists");
            let events: i64 = copy
                .query_row("SELECT count(*) FROM event", [], |row| row.get(0))
                .expect("a table");
            assert_eq!(events, before.1);
        }
        printed(&data, &["user", "list"]).await;
        assert_eq!(state(&data), converted);
    }
    assert!(was_old, "no kill met the conversion");
}
