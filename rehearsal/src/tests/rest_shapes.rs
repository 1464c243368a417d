//! Every response has the fields recorded from the real server.

use super::shapes::differences;
use super::{call, ready, start};
use serde_json::json;

#[tokio::test]
async fn answers_have_the_recorded_fields() {
    let server = start().await;
    let (id, mut client) = ready(&server).await;
    client.say("[[scenario:tools]]").await;
    while !client.text().await.contains("\"agent_state\":\"finished\"") {}
    let of = |route: &str| format!("/api/conversations/{id}{route}");
    let secret = json!({ "name": "NAME", "value": "value", "description": "" });
    let mut wrong = Vec::new();
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
            "GET",
            "/api/conversations",
            "/api/conversations".to_owned(),
            None,
            &[],
        ),
        ("GET", "/api/conversations/{id}", of(""), None, &[]),
        (
            "GET",
            "/api/conversations/{id}/config",
            of("/config"),
            None,
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
            "/api/conversations/{id}/trajectory",
            of("/trajectory"),
            None,
            &["trajectory[]"],
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
            "/api/conversations/{id}/list-files",
            of("/list-files"),
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
            "GET",
            "/api/conversations/{id}/vscode-url",
            of("/vscode-url"),
            None,
            &[],
        ),
        (
            "GET",
            "/api/conversations/{id}/web-hosts",
            of("/web-hosts"),
            None,
            &["hosts."],
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
