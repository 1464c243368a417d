//! The workspace through REST.

use serde_json::{Value, json};

use super::super::{Options, Rehearsal};
use super::{call, get, http, options, ready, start};

/// Uploads files into a conversation's workspace, and returns the response.
pub async fn upload(server: &Rehearsal, id: &str, form: reqwest::multipart::Form) -> Value {
    let url = format!(
        "http://{}/api/conversations/{id}/upload-files",
        server.addr()
    );
    let answer = http().post(url).multipart(form).send().await.unwrap();
    answer.json().await.unwrap()
}

#[tokio::test]
async fn files_are_listed_read_uploaded_and_compared() {
    let server = start().await;
    let (id, _client) = ready(&server).await;
    let base = format!("/api/conversations/{id}");
    let form = reqwest::multipart::Form::new()
        .part(
            "files",
            reqwest::multipart::Part::text("hello\n").file_name("one.txt"),
        )
        .part(
            "files",
            reqwest::multipart::Part::bytes(vec![0, 255]).file_name("bin.dat"),
        );
    let uploaded = upload(&server, &id, form).await;
    assert_eq!(
        uploaded["uploaded_files"],
        json!(["/workspace/one.txt", "/workspace/bin.dat"])
    );

    let (_, files) = get(&server, &format!("{base}/list-files")).await;
    assert_eq!(
        files,
        json!([".gitignore", "README.md", "bin.dat", "one.txt", "tally.py"])
    );
    let (_, one) = get(&server, &format!("{base}/select-file?file=one.txt")).await;
    assert_eq!(one["code"], "hello\n\n", "damaged as by the real server");
    assert_eq!(
        get(&server, &format!("{base}/select-file?file=bin.dat"))
            .await
            .0,
        415
    );
    assert_eq!(
        get(&server, &format!("{base}/select-file?file=nope"))
            .await
            .0,
        500
    );
    let (_, changes) = get(&server, &format!("{base}/git/changes")).await;
    assert_eq!(changes[1], json!({"status": "A", "path": "one.txt"}));
    let (_, diff) = get(&server, &format!("{base}/git/diff?path=one.txt")).await;
    assert_eq!(diff, json!({"modified": "hello", "original": ""}));
    let url = format!("http://{}{base}/zip-directory", server.addr());
    let archive = http().get(url).send().await.unwrap();
    assert_eq!(archive.headers()["content-type"], "application/zip");
    assert!(archive.bytes().await.unwrap().starts_with(b"PK"));
}

#[tokio::test]
async fn an_upload_beyond_the_limit_is_skipped_with_a_reason() {
    let server = Rehearsal::start(Options {
        storage_limit: 2_000,
        ..options()
    })
    .await
    .unwrap();
    let (id, _client) = ready(&server).await;
    let part = reqwest::multipart::Part::text("x".repeat(1_500)).file_name("large.txt");
    let mut answers = Vec::new();
    for part in [
        part,
        reqwest::multipart::Part::text("y".repeat(800)).file_name("more.txt"),
    ] {
        let form = reqwest::multipart::Form::new().part("files", part);
        answers.push(upload(&server, &id, form).await);
    }
    assert_eq!(
        answers[0]["uploaded_files"],
        json!(["/workspace/large.txt"])
    );
    assert_eq!(
        answers[1]["skipped_files"],
        json!([{"name": "more.txt", "reason": "No space left on device"}])
    );
}

#[tokio::test]
async fn a_stopped_conversation_has_no_files() {
    let server = start().await;
    let (id, _client) = ready(&server).await;
    call(
        &server,
        "POST",
        &format!("/api/conversations/{id}/stop"),
        None,
    )
    .await;
    for route in [
        "list-files",
        "select-file?file=README.md",
        "git/changes",
        "zip-directory",
    ] {
        let (status, body) = get(&server, &format!("/api/conversations/{id}/{route}")).await;
        assert_eq!(status, 404, "{route}");
        assert_eq!(body["detail"], format!("Conversation {id} not found"));
    }
}
