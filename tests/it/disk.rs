//! An unusable journal, or a full disk: Handrail reports it in one sentence and destroys nothing.
//!
//! Long because each way in which a journal cannot be used is made anew.

use crate::people::house::{House, PASSWORD};
use crate::process::{Process, Served, call, command, started_by};
use crate::stage::{reader, soon};
use handrail::api::PinConversation;
use handrail::journal::{ConversationMeta, Entry, Journal};
use reqwest::{StatusCode, header};
use rusqlite::Connection;
use serde_json::{Value, json};
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

#[tokio::test]
async fn a_folder_is_used_by_one_server_and_commands_run_beside_it() {
    let served = Served::start().await;
    let message = refused(served.folder.path()).await;
    assert!(
        message.contains("another Handrail uses it") && message.contains("--data-dir"),
        "{message}"
    );
    served.run(&["user", "list"]).await;
    served.run(&["audit", "verify"]).await;
    let (folder, id) = (served.folder.path().to_owned(), served.process.id());
    served.process.kill();
    // The system releases the lock of a process that was killed.
    let again = Process::of(program(&folder)).await;
    assert_ne!(again.id(), id);
}

#[tokio::test]
async fn an_expired_set_up_code_is_gone_and_a_new_one_is_a_command_away() {
    let served = Served::start().await;
    let client = crate::people::house::client();
    let house = House { served, client };
    let file = house.served.folder.path().join("set-up-code");
    let code = || fs::read_to_string(&file).expect("it is offered");
    let set_up = async |code: &str| {
        let form = [
            ("code", code.trim()),
            ("name", "owner"),
            ("password", PASSWORD),
        ];
        house.post("/set-up", None, &form).await
    };
    let expired = code();
    let long_ago = std::time::SystemTime::now() - Duration::from_secs(31 * 60);
    let opened = fs::File::options().write(true).open(&file);
    let set = opened.and_then(|file| file.set_modified(long_ago));
    set.expect("it belongs to this user");
    let refused = set_up(&expired).await;
    assert_eq!(refused.status(), StatusCode::NOT_FOUND);
    let text = refused.text().await.expect("text");
    assert!(text.contains("handrail set-up-code"), "{text}");
    assert!(!file.exists(), "nobody finds a code that is of no use");
    house.served.run(&["set-up-code"]).await;
    let new = code();
    assert_ne!(new, expired);
    assert_eq!(set_up(&expired).await.status(), StatusCode::NOT_FOUND);
    assert_eq!(set_up(&new).await.status(), StatusCode::SEE_OTHER);
    assert!(!file.exists());
}

/// The program under a limit for the size of files, which makes every write fail as on a full disk.
#[cfg(target_os = "linux")]
fn without_room(data_dir: &Path, backend: &str) -> Command {
    // The index of the log takes 32 KiB, whose room a process that was killed has left.
    let log = fs::metadata(data_dir.join("handrail.db-wal")).map_or(0, |log| log.len());
    let limit = if log > 0 { 40_000 } else { 4_096 };
    assert!(log == 0 || log > limit, "{log}");
    let mut starter = Command::new("env");
    starter.args(["--ignore-signal=XFSZ", "prlimit"]);
    starter.arg(format!("--fsize={limit}")).arg("--");
    started_by(starter, &command(data_dir, &["--backend", backend]))
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_stored_can_be_read_while_the_disk_is_full() {
    // After a kill the files beside the database are there, and after a stop they would have to be created.
    for is_killed in [true, false] {
        let house = House::new().await;
        let owner = house.log_in("owner").await;
        let id = house
            .create_conversation(&owner, "Say zebra [[scenario:hello]]")
            .await;
        let path = format!("/c/{id}");
        let page = async |house: &House, cookie: &str| {
            let page = house.page(&path, cookie).await;
            (page.status(), page.text().await.expect("text"))
        };
        soon("it is stored", async || {
            let page = page(&house, &owner).await;
            page.1.contains("Say zebra").then_some(())
        })
        .await;
        let House { served, client } = house;
        let (folder, rehearsal) = (served.folder, served.rehearsal);
        if is_killed {
            served.process.kill();
        } else {
            served.process.terminate();
            served.process.ended().await;
        }
        let backend = format!("http://{}", rehearsal.addr());
        let process = Process::of(without_room(folder.path(), &backend)).await;
        let served = Served {
            process,
            folder,
            rehearsal,
        };
        let house = House { served, client };
        let (status, text) = page(&house, &owner).await;
        assert_eq!(status, StatusCode::OK, "{text}");
        assert!(text.contains("Say zebra"), "an old session reads: {text}");
        let viewer = house.log_in("viewer").await;
        let (status, text) = page(&house, &viewer).await;
        assert!(status == StatusCode::OK && text.contains("Say zebra"));
        let fields = [("id", id.as_str()), ("title", "Another")];
        let refused = house.call("rename_conversation", &owner, &fields).await;
        assert_eq!(refused.status(), StatusCode::INSUFFICIENT_STORAGE);
        let text = refused.text().await.expect("text");
        assert!(text.contains("the disk is full"), "{text}");
        let ready = house.get("/readyz", None).await;
        assert_eq!(ready.status(), StatusCode::OK);
        let ready: Value = ready.json().await.expect("JSON");
        assert_eq!(ready["writable"], false, "{ready}");
        let left = house.post("/logout", Some(&viewer), &[]).await;
        assert_eq!(left.headers()[header::LOCATION], "/login");
        assert_ne!(page(&house, &viewer).await.0, StatusCode::OK);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_disk_that_is_nearly_full_is_said_and_its_reserve_is_not_used() {
    let folder = TempDir::new().expect("a temporary folder");
    filled(folder.path()).await;
    let serve = async |options: &[&str]| {
        let all = ["--trust-local", "--backend", "http://127.0.0.1:9"];
        Process::of(command(folder.path(), &[&all, options].concat())).await
    };
    let get = async |process: &Process, path: &str| {
        let page = reqwest::get(format!("http://{}{path}", process.address)).await;
        page.expect("a response").text().await.expect("text")
    };
    let pin = async |process: &Process| {
        let fields = [("id", "c0ffee"), ("pinned", "true")];
        call::<PinConversation>(process.address, &fields).await
    };
    // Less than all of any disk is free.
    let process = serve(&["--disk-low", "100%", "--disk-reserve", "0"]).await;
    let list = get(&process, "/").await;
    assert!(list.contains("disk is nearly full"), "{list}");
    let metrics = get(&process, "/metrics").await;
    for line in ["handrail_disk_low 1", "handrail_journal_writable 1"] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
    drop(process);
    let process = serve(&["--disk-low", "100%", "--disk-reserve", "100%"]).await;
    let list = get(&process, "/").await;
    assert!(list.contains("Handrail stores nothing any more"), "{list}");
    let page = get(&process, "/c/c0ffee").await;
    assert!(page.contains("word 499"), "it is read: {page}");
    let refused = pin(&process).await.expect_err("there is no room");
    assert!(refused.text.contains("nearly full"), "{refused:?}");
    let metrics = get(&process, "/metrics").await;
    assert!(metrics.contains("handrail_journal_writable 0"), "{metrics}");
    drop(process);
    let process = serve(&["--disk-low", "0", "--disk-reserve", "0"]).await;
    let list = get(&process, "/").await;
    assert!(!list.contains("disk is nearly full"), "{list}");
}
