//! What is restored, what it lets in, and what is refused.

use super::{ACCESS, append, backup, dump, dump_of_restored, journal, names, printed, refused};
use crate::people::house::{House, PASSWORD};
use crate::process::{Process, command, run_in};
use crate::stage::soon;
use reqwest::StatusCode;
use rusqlite::Connection;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restored_server_is_the_same_but_lets_nobody_in_who_was_in() {
    let house = House::new().await;
    let owner = house.log_in("owner").await;
    let id = house
        .create_conversation(&owner, "Say zebra [[scenario:hello]]")
        .await;
    let visitor = house.visit(&owner, &id).await;
    let token = [("name", "script"), ("role", "viewer"), ("days", "7")];
    assert_eq!(house.call("make_token", &owner, &token).await.status(), 200);
    let invitation = [("role", "viewer"), ("days", "7")];
    let made = house.call("make_invitation", &owner, &invitation).await;
    assert_eq!(made.status(), 200);
    run_in(house.served.folder.path(), &["tls", "init", "box.lan"]).await;
    let data = house.served.folder.path().to_owned();
    let to = TempDir::new().expect("a temporary folder");
    let count = |folder: &Path, table: &str| -> i64 {
        let database = Connection::open(folder.join("handrail.db")).expect("it exists");
        let sql = format!("SELECT count(*) FROM {table}");
        database
            .query_row(&sql, [], |row| row.get(0))
            .expect("a table")
    };
    for table in ["login", "access_token", "link", "invitation"] {
        assert!(count(&data, table) > 0, "{table}");
    }
    // The index and the line of the list follow behind the events.
    let (made, expected) = soon("the journal rests", async || {
        let before = dump(&data);
        let made = backup(&data, to.path()).await;
        (before == dump(&data) && before["event"].len() > 3).then_some((made, before))
    })
    .await;
    let text = printed(&data, &["verify", made.to_str().expect("a text")]).await;
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(
        text.contains("all hashes match") && text.contains("none changed"),
        "{text}"
    );

    let restored = to.path().join("restored");
    let text = printed(&restored, &["restore", made.to_str().expect("a text")]).await;
    assert!(text.contains("have ended"), "{text}");
    assert_eq!(dump_of_restored(&restored), expected);
    for table in ACCESS {
        assert_eq!(count(&restored, table), 0, "{table}");
    }
    let key = fs::read(restored.join("tls/key.pem")).expect("it was restored");
    assert_eq!(
        key,
        fs::read(data.join("tls/key.pem")).expect("it is there")
    );
    #[cfg(unix)]
    for file in ["handrail.db", "tls/key.pem"] {
        use std::os::unix::fs::PermissionsExt;
        let data = fs::metadata(restored.join(file)).expect("it is there");
        assert_eq!(data.permissions().mode() & 0o077, 0, "{file}");
    }
    let again = refused(&restored, &["restore", made.to_str().expect("a text")]).await;
    assert!(again.contains("not empty"), "{again}");

    let backend = format!("http://{}", house.served.rehearsal.addr());
    let process = Process::of(command(&restored, &["--backend", &backend])).await;
    let ask = async |path: &str, cookie: &str| {
        let request = house
            .client
            .get(format!("http://{}{path}", process.address));
        let answer = request
            .header("cookie", cookie)
            .header("accept", "application/json");
        answer.send().await.expect("a response").status()
    };
    let path = format!("/c/{id}");
    assert_eq!(
        house.get(&path, Some(&visitor)).await.status(),
        StatusCode::OK
    );
    for cookie in [&owner, &visitor] {
        assert_eq!(ask(&path, cookie).await, StatusCode::UNAUTHORIZED);
    }
    let log_in = house
        .client
        .post(format!("http://{}/login", process.address))
        .header("origin", format!("http://{}", process.address))
        .form(&[("name", "owner"), ("password", PASSWORD)]);
    let answer = log_in.send().await.expect("a response");
    assert_eq!(answer.status(), StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn what_was_damaged_or_is_newer_is_not_restored() {
    let folder = TempDir::new().expect("a temporary folder");
    let data = folder.path().join("data");
    append(&journal(&data).await, 0..50).await;
    let made = backup(&data, folder.path()).await;
    let path = made.to_str().expect("a text");
    let restored = folder.path().join("restored");
    let file = made.join("handrail.db");
    let bytes = fs::read(&file).expect("it is there");
    for at in [bytes.len() / 3, bytes.len() - 1] {
        let mut tampered = bytes.clone();
        tampered[at] ^= 1;
        fs::write(&file, &tampered).expect("it can be written");
        for command in ["verify", "restore"] {
            let text = refused(&restored, &[command, path]).await;
            assert!(
                text.contains("handrail.db does not match its hash"),
                "{text}"
            );
        }
        assert_eq!(names(&restored), [""; 0]);
    }
    fs::write(&file, &bytes).expect("it can be written");

    // A backup of a newer version is whole.
    let database = Connection::open(data.join("handrail.db")).expect("it exists");
    database
        .pragma_update(None, "user_version", 99)
        .expect("it can be written");
    let newer = backup(&data, folder.path()).await;
    let text = refused(&restored, &["restore", newer.to_str().expect("a text")]).await;
    assert!(
        text.contains("newer Handrail") && text.contains("99"),
        "{text}"
    );
    assert_eq!(names(&restored), [""; 0]);

    // An entry of the audit log that was changed in a data folder.
    let data = folder.path().join("audited");
    run_in(&data, &["user", "add", "ada", "--role", "owner"]).await;
    printed(&data, &["verify"]).await;
    let database = Connection::open(data.join("handrail.db")).expect("it exists");
    let changed =
        "DROP TRIGGER audit_is_not_changed; UPDATE audit SET name = 'eve' WHERE number = 1";
    database.execute_batch(changed).expect("it can be written");
    let text = refused(&data, &["verify"]).await;
    assert!(text.contains("entry 1 of 2 does not match"), "{text}");
}
