//! `handrail doctor`: each broken set-up gets its sentence, and a good one none.

use crate::operating::ask;
use crate::process::{Process, command, run_in};
use crate::stage::quick;
use handrail::backend::rehearsal::Rehearsal;
use rusqlite::Connection;
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// What the doctor says of a set-up on a free port, and whether all is well.
async fn examined(data_dir: &Path, options: &[&str]) -> (bool, String) {
    examined_at("127.0.0.1:0", data_dir, options).await
}

async fn examined_at(address: &str, data_dir: &Path, options: &[&str]) -> (bool, String) {
    let options = [&["--listen", address], options].concat();
    let output = ask(&options, &["doctor"], data_dir).await;
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8(text).expect("a text"),
    )
}

/// Fails unless exactly one part is wrong, whose line has all of these words.
#[track_caller]
fn assert_wrong((is_well, text): (bool, String), words: &[&str]) {
    let wrong: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("WRONG"))
        .collect();
    assert!(!is_well, "{text}");
    assert_eq!(wrong.len(), 1, "{text}");
    for word in words {
        assert!(wrong[0].contains(word), "{word}: {text}");
    }
    assert!(text.contains("one part of this set-up is wrong"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_good_set_up_is_well_before_the_start_and_while_it_serves() {
    let folder = TempDir::new().expect("a temporary folder");
    let data = folder.path().join("data");
    let rehearsal = Rehearsal::start(quick()).await.expect("a free port");
    let backend = format!("http://{}", rehearsal.addr());
    let (is_well, text) = examined(&data, &["--backend", &backend]).await;
    assert!(
        is_well && text.contains("0.x") && text.contains("does not exist yet"),
        "{text}"
    );
    assert!(!data.exists(), "nothing is created");
    let process = Process::of(command(&data, &["--trust-local", "--backend", &backend])).await;
    let address = process.address.to_string();
    let (is_well, text) = examined_at(&address, &data, &["--backend", &backend]).await;
    assert!(
        is_well && text.contains("Handrail serves on") && text.contains("a server uses"),
        "{text}"
    );
}

#[tokio::test]
async fn a_taken_port_is_named() {
    let folder = TempDir::new().expect("a temporary folder");
    let other = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = other.local_addr().expect("it is bound").to_string();
    drop(std::thread::spawn(move || {
        // Whoever is connected is let go at once.
        while let Ok((connection, _)) = other.accept() {
            drop(connection);
        }
    }));
    let output = ask(&["--listen", &address], &["doctor"], folder.path()).await;
    let text = String::from_utf8(output.stdout).expect("a text");
    assert!(
        text.contains("WRONG  port") && text.contains("taken by another program"),
        "{text}"
    );
    let (_, text) = examined_at("192.0.2.1:4100", folder.path(), &[]).await;
    assert!(
        text.contains("does not have the address 192.0.2.1"),
        "{text}"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_that_is_open_unwritable_or_a_file_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().expect("a temporary folder");
    let data = folder.path().join("data");
    run_in(&data, &["user", "list"]).await;
    let mode =
        |mode| fs::set_permissions(&data, fs::Permissions::from_mode(mode)).expect("it is ours");
    mode(0o755);
    assert_wrong(examined(&data, &[]).await, &["folder", "chmod 700"]);
    mode(0o700);
    let file = folder.path().join("file");
    fs::write(&file, "").expect("it can be written");
    let (_, text) = examined(&file.join("data"), &[]).await;
    assert!(text.contains("is a file, not a folder"), "{text}");
    mode(0o500);
    let mut doctor = Command::new("setpriv");
    // Root may write everywhere, by a capability that this program takes away.
    doctor.args([
        "--bounding-set",
        "-dac_override",
        "--",
        env!("CARGO_BIN_EXE_handrail"),
    ]);
    doctor
        .args(["--listen", "127.0.0.1:0", "doctor", "--data-dir"])
        .arg(&data);
    let output = doctor.env_clear().output().expect("root has setpriv");
    let text = String::from_utf8(output.stdout).expect("a text");
    mode(0o700);
    assert!(
        text.contains("cannot create files in") && text.contains("chown"),
        "{text}"
    );
}

#[tokio::test]
async fn a_database_that_is_newer_half_restored_or_none_is_named() {
    let folder = TempDir::new().expect("a temporary folder");
    let data = folder.path().join("data");
    run_in(&data, &["user", "list"]).await;
    let file = data.join("handrail.db");
    let database = Connection::open(&file).expect("it exists");
    let version = |version: i64| {
        database
            .pragma_update(None, "user_version", version)
            .expect("it can be written");
    };
    let own: i64 = database
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .expect("healthy");
    version(99);
    assert_wrong(
        examined(&data, &[]).await,
        &["database", "99", "newer Handrail"],
    );
    version(own - 1);
    let (is_well, text) = examined(&data, &[]).await;
    assert!(is_well && text.contains("converts it"), "{text}");
    version(own);
    // A clock that was put back.
    let later = "INSERT INTO audit VALUES (1, unixepoch() * 1000 + 3600000, 0, '', '', '', '', '', '', '', 0, '')";
    database.execute_batch(later).expect("it can be written");
    assert_wrong(
        examined(&data, &[]).await,
        &["clock", "behind", "time service"],
    );
    drop(database);
    fs::create_dir(data.join("restoring")).expect("it is ours");
    let (_, text) = examined(&data, &[]).await;
    assert!(
        text.contains("WRONG  database") && text.contains("same handrail restore"),
        "{text}"
    );
    fs::remove_dir(data.join("restoring")).expect("it is ours");
    for end in ["-wal", "-shm"] {
        let _ = fs::remove_file(data.join(format!("handrail.db{end}")));
    }
    fs::write(&file, "Dear diary, ".repeat(1000)).expect("it can be written");
    assert_wrong(
        examined(&data, &[]).await,
        &["database", "handrail restore"],
    );
}

#[tokio::test]
async fn certificates_that_are_missing_or_expired_and_missing_keys_are_named() {
    let folder = TempDir::new().expect("a temporary folder");
    let data = folder.path().join("data");
    run_in(&data, &["user", "list"]).await;
    assert_wrong(
        examined(&data, &["--tls"]).await,
        &["TLS", "handrail tls init"],
    );
    run_in(&data, &["tls", "init", "box.lan"]).await;
    let (is_well, text) = examined(&data, &["--tls"]).await;
    assert!(is_well && text.contains("more days"), "{text}");
    let key = rcgen::KeyPair::generate().expect("a key");
    let mut about = rcgen::CertificateParams::new(["box.lan".to_owned()]).expect("a name");
    about.not_after = rcgen::date_time_ymd(2020, 1, 1);
    let expired = about.self_signed(&key).expect("a certificate");
    fs::write(data.join("tls/certificate.pem"), expired.pem()).expect("it can be written");
    fs::write(data.join("tls/key.pem"), key.serialize_pem()).expect("it can be written");
    assert_wrong(examined(&data, &["--tls"]).await, &["TLS", "expired"]);
    let missing = examined(&data, &["--metrics-token-file", "/nowhere/token"]).await;
    assert_wrong(missing, &["files", "/nowhere/token"]);
}

#[tokio::test]
async fn a_backend_that_is_none_or_does_not_answer_is_named() {
    let folder = TempDir::new().expect("a temporary folder");
    let data = folder.path().join("data");
    run_in(&data, &["user", "list"]).await;
    let nobody = examined(&data, &["--backend", "http://127.0.0.1:9"]).await;
    assert_wrong(nobody, &["backend", "127.0.0.1:9", "Is it running"]);
    let page = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a free port");
    let address = format!("http://{}", page.local_addr().expect("it is bound"));
    let serving = tokio::spawn(async move {
        while let Ok((mut connection, _)) = page.accept().await {
            let html = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 13\r\nconnection: close\r\n\r\n<html></html>";
            let mut head = [0; 2048];
            let _ = connection.read(&mut head).await;
            let _ = connection.write_all(html).await;
        }
    });
    assert_wrong(
        examined(&data, &["--backend", &address]).await,
        &["backend", "web page"],
    );
    serving.abort();
    let (is_well, text) = examined(&data, &[]).await;
    assert!(is_well && text.contains("rehearsal"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_reaches_the_server_from_its_public_address_is_told() {
    let folder = TempDir::new().expect("a temporary folder");
    let data = folder.path().join("data");
    let rehearsal = Rehearsal::start(quick()).await.expect("a free port");
    let backend = format!("http://{}", rehearsal.addr());
    let serve = async |options: &[&str]| {
        Process::of(command(
            &data,
            &[&["--backend", &backend], options].concat(),
        ))
        .await
    };
    let examined = async |options: &[&str], url: &str| {
        let options = [&["--listen", "127.0.0.1:0", "--backend", &backend], options].concat();
        let output = ask(&options, &["doctor", "--url", url], &data).await;
        let text = [output.stdout, output.stderr].concat();
        (
            output.status.success(),
            String::from_utf8(text).expect("a text"),
        )
    };
    let process = serve(&["--base", "/tools/"]).await;
    let url = format!("http://{}/tools/", process.address);
    let (is_well, text) = examined(&["--base", "/tools/"], &url).await;
    for words in [
        "no proxy is in between",
        "WebSockets get through",
        "answers arrive as they are sent",
    ] {
        assert!(is_well && text.contains(words), "{words}: {text}");
    }
    let other = format!("http://{}/else/", process.address);
    assert_wrong(
        examined(&["--base", "/tools/"], &other).await,
        &["proxy", "--base"],
    );
    assert_wrong(
        examined(&["--base", "/tools/"], "http://127.0.0.1:9/").await,
        &["proxy", "cannot be reached"],
    );
    let left: Vec<_> = fs::read_dir(&data)
        .expect("it is ours")
        .filter(|file| {
            let name = file.as_ref().expect("it is ours").file_name();
            name.to_string_lossy().starts_with("doctor-")
        })
        .collect();
    assert!(left.is_empty(), "{left:?}");
    // Nobody else is answered.
    let path = format!("{url}doctor/{}", "x".repeat(32));
    let answer = reqwest::get(path).await.expect("a response");
    assert_eq!(answer.status(), 404);
    drop(process);
    let process = serve(&["--trusted-proxy", "127.0.0.1"]).await;
    let url = format!("http://{}", process.address);
    let options = ["--trusted-proxy", "127.0.0.1"];
    assert_wrong(
        examined(&options, &url).await,
        &["proxy", "X-Forwarded-For"],
    );
}
