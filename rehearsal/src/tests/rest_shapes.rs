//! Every response has the fields recorded from the real server.

use super::files::upload;
use super::shapes::{compared, differences};
use super::{ready, start};
use reqwest::multipart::{Form, Part};
use serde_json::json;

#[tokio::test]
async fn answers_have_the_recorded_fields() {
    let server = start().await;
    let (id, mut client) = ready(&server).await;
    client.say("[[scenario:tools]]").await;
    while !client.text().await.contains("\"agent_state\":\"finished\"") {}
    let diff = format!("/api/conversations/{id}/git/diff?path=one.txt");
    let file = format!("/api/conversations/{id}/select-file?file=one.txt");
    let (settings, title) = (
        json!({ "llm_model": "a/b" }),
        json!({ "title": "Another title" }),
    );
    let secret = json!({ "name": "NAME", "value": "value", "description": "" });
    let form = Form::new().part("files", Part::text("hello\n").file_name("one.txt"));
    let uploaded = upload(&server, &id, form).await;
    let route = "POST /api/conversations/{id}/upload-files";
    let mut wrong = differences("v0_rest", route, &uploaded, &[]);
    for (route, path, body, ignored) in [
        ("GET /alive", "", None, &[][..]),
        ("GET /server_info", "", None, &[]),
        ("GET /api/options/agents", "", None, &[]),
        ("GET /api/options/config", "", None, &[]),
        ("GET /api/options/models", "", None, &[]),
        ("GET /api/options/security-analyzers", "", None, &[]),
        ("GET /api/settings", "", None, &[]),
        ("POST /api/settings", "", Some(settings), &[]),
        ("POST /api/secrets", "", Some(secret), &[]),
        ("GET /api/secrets", "", None, &[]),
        (
            "DELETE /api/secrets/DEMO_TOKEN2",
            "/api/secrets/NAME",
            None,
            &[],
        ),
        ("GET /api/conversations", "", None, &[]),
        ("GET /api/conversations/{id}", "", None, &[]),
        ("PATCH /api/conversations/{id}", "", Some(title), &[]),
        // The events themselves are compared in `scenarios`.
        (
            "GET /api/conversations/{id}/events",
            "",
            None,
            &["events[]"],
        ),
        ("GET /api/conversations/{id}/git/changes", "", None, &[]),
        (
            "GET /api/conversations/{id}/git/diff",
            diff.as_str(),
            None,
            &[],
        ),
        ("GET /api/conversations/{id}/list-files", "", None, &[]),
        (
            "GET /api/conversations/{id}/select-file",
            file.as_str(),
            None,
            &[],
        ),
        ("GET /api/conversations/{id}/microagents", "", None, &[]),
        ("POST /api/conversations/{id}/stop", "", None, &[]),
        (
            "POST /api/conversations/{id}/start",
            "",
            Some(json!({})),
            &[],
        ),
        ("POST /api/conversations", "", Some(json!({})), &[]),
    ] {
        let name = ("v0_rest", &*id);
        wrong.extend(compared(&server, name, (route, path), body, ignored).await);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
