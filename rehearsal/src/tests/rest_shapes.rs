//! Every response has the fields recorded from the real server.

use super::files::upload;
use super::shapes::differences;
use super::{call, ready, start};
use reqwest::multipart::{Form, Part};
use serde_json::json;

#[tokio::test]
async fn answers_have_the_recorded_fields() {
    let server = start().await;
    let (id, mut client) = ready(&server).await;
    client.say("[[scenario:tools]]").await;
    while !client.text().await.contains("\"agent_state\":\"finished\"") {}
    let of = |route: &str| format!("/api/conversations/{id}{route}");
    let secret = json!({ "name": "NAME", "value": "value", "description": "" });
    let form = Form::new().part("files", Part::text("hello\n").file_name("one.txt"));
    let uploaded = upload(&server, &id, form).await;
    let route = "POST /api/conversations/{id}/upload-files";
    let mut wrong = differences("v0_rest", route, &uploaded, &[]);
    for (method, route, path, body, ignored) in [
        ("GET", "/alive", "/alive".to_owned(), None, &[][..]),
        ("GET", "/server_info", "/server_info".to_owned(), None, &[]),
        (
            "GET",
            "/api/options/agents",
            "/api/options/agents".to_owned(),
            None,
            &[],
        ),
        (
            "GET",
            "/api/options/config",
            "/api/options/config".to_owned(),
            None,
            &[],
        ),
        (
            "GET",
            "/api/options/models",
            "/api/options/models".to_owned(),
            None,
            &[],
        ),
        (
            "GET",
            "/api/options/security-analyzers",
            "/api/options/security-analyzers".to_owned(),
            None,
            &[],
        ),
        (
            "GET",
            "/api/settings",
            "/api/settings".to_owned(),
            None,
            &[],
        ),
        (
            "POST",
            "/api/settings",
            "/api/settings".to_owned(),
            Some(json!({ "llm_model": "a/b" })),
            &[],
        ),
        (
            "POST",
            "/api/secrets",
            "/api/secrets".to_owned(),
            Some(secret),
            &[],
        ),
        ("GET", "/api/secrets", "/api/secrets".to_owned(), None, &[]),
        (
            "DELETE",
            "/api/secrets/DEMO_TOKEN2",
            "/api/secrets/NAME".to_owned(),
            None,
            &[],
        ),
        (
            "GET",
            "/api/conversations",
            "/api/conversations".to_owned(),
            None,
            &[],
        ),
        ("GET", "/api/conversations/{id}", of(""), None, &[]),
        (
            "PATCH",
            "/api/conversations/{id}",
            of(""),
            Some(json!({ "title": "Another title" })),
            &[],
        ),
        // The events themselves are compared in `scenarios`.
        (
            "GET",
            "/api/conversations/{id}/events",
            of("/events"),
            None,
            &["events[]"],
        ),
        (
            "GET",
            "/api/conversations/{id}/git/changes",
            of("/git/changes"),
            None,
            &[],
        ),
        (
            "GET",
            "/api/conversations/{id}/git/diff",
            of("/git/diff?path=one.txt"),
            None,
            &[],
        ),
        (
            "GET",
            "/api/conversations/{id}/list-files",
            of("/list-files"),
            None,
            &[],
        ),
        (
            "GET",
            "/api/conversations/{id}/select-file",
            of("/select-file?file=one.txt"),
            None,
            &[],
        ),
        (
            "GET",
            "/api/conversations/{id}/microagents",
            of("/microagents"),
            None,
            &[],
        ),
        (
            "POST",
            "/api/conversations/{id}/stop",
            of("/stop"),
            None,
            &[],
        ),
        (
            "POST",
            "/api/conversations/{id}/start",
            of("/start"),
            Some(json!({})),
            &[],
        ),
        (
            "POST",
            "/api/conversations",
            "/api/conversations".to_owned(),
            Some(json!({})),
            &[],
        ),
    ] {
        let (status, answer) = call(&server, method, &path, body).await;
        assert!(
            (200..300).contains(&status),
            "{method} {path}: {status} {answer}"
        );
        wrong.extend(differences(
            "v0_rest",
            &format!("{method} {route}"),
            &answer,
            ignored,
        ));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
