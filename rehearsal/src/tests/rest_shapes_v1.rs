//! Responses of 1.x have the fields recorded from the real server: those to commands, uploads and changes of the
//! settings, and those about a single event or file.
//!
//! The other responses are compared in `agent_server/tests/shapes.rs`.

use super::super::{Dialect, Options, Rehearsal};
use super::shapes::{self, differences};
use super::{call, get, http, options};
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

/// The real server returns these fields of an event as null; the rehearsal leaves them out, as both do elsewhere.
const NULLS: &[&str] = &[
    "critic_result",
    "llm_message.name",
    "llm_message.reasoning_content",
    "llm_message.responses_reasoning_item",
    "llm_message.tool_call",
    "llm_response_id",
    "sender",
];
/// Handrail does not read these fields, so the rehearsal leaves them out.
const UNREAD: [&str; 4] = [
    " lacks agent_settings.",
    " lacks conversation_settings.",
    " lacks active_",
    " lacks misc_settings",
];

async fn start() -> Rehearsal {
    let options = Options {
        dialect: Dialect::AgentServer,
        ..options()
    };
    Rehearsal::start(options)
        .await
        .expect("loopback has a free port")
}

/// Sends a request, and returns how its response differs from those that were recorded for its route.
async fn compared(
    server: &Rehearsal,
    id: &str,
    route: (&str, &str),
    body: Option<Value>,
    ignored: &[&str],
) -> Vec<String> {
    let mut wrong = shapes::compared(server, ("v1_rest", id), route, body, ignored).await;
    wrong.retain(|wrong| !UNREAD.iter().any(|field| wrong.contains(field)));
    wrong
}

#[tokio::test]
async fn the_answers_to_commands_have_the_recorded_fields() {
    let server = start().await;
    let (_, info) = call(&server, "POST", "/api/conversations", Some(json!({}))).await;
    let id = info["id"].as_str().expect("an id");
    let content = json!([{ "type": "text", "text": "hello" }]);
    let mut wrong = Vec::new();
    // The run comes last: the other routes may wait for its steps.
    for (route, body) in [
        (
            "events",
            json!({ "role": "user", "content": content, "run": false }),
        ),
        (
            "events/respond_to_confirmation",
            json!({ "accept": false, "reason": "no" }),
        ),
        (
            "confirmation_policy",
            json!({ "policy": { "kind": "AlwaysConfirm" } }),
        ),
        (
            "security_analyzer",
            json!({ "security_analyzer": { "kind": "LLMSecurityAnalyzer" } }),
        ),
        ("switch_profile", json!({ "profile_name": "second" })),
        ("run", json!({})),
    ] {
        let route = format!("POST /api/conversations/{{id}}/{route}");
        wrong.extend(compared(&server, id, (&route, ""), Some(body), &[]).await);
    }
    let messages = format!("/api/conversations/{id}/events/search?kind=MessageEvent");
    let (_, page) = get(&server, &messages).await;
    let message = page["items"][0]["id"].as_str().expect("an id");
    let path = format!("/api/conversations/{id}/events/{message}");
    let route = "GET /api/conversations/{id}/events/{id}";
    wrong.extend(compared(&server, id, (route, &path), None, NULLS).await);
    let count = ("GET /api/conversations/count", "");
    wrong.extend(compared(&server, id, count, None, &[]).await);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn the_answers_about_files_and_settings_have_the_recorded_fields() {
    let server = start().await;
    let (_, info) = call(&server, "POST", "/api/conversations", Some(json!({}))).await;
    let folder = info["workspace"]["working_dir"].as_str();
    let folder = folder.expect("a folder");
    let form = Form::new().part("file", Part::text("hello\n").file_name("one.txt"));
    let url = format!("http://{}/api/file/upload", server.addr());
    let sent = http().post(format!("{url}?path={folder}/one.txt"));
    let uploaded = sent.multipart(form).send().await.expect("an answer");
    let uploaded: Value = uploaded.json().await.expect("JSON");
    let mut wrong = differences("v1_rest", "POST /api/file/upload", &uploaded, &[]);
    let diff = format!("/api/git/diff?path={folder}/one.txt");
    let unreachable = json!({ "command": "/no/such/mcp", "args": [] });
    let broken = json!({ "name": "broken", "server": unreachable, "timeout": 5 });
    let settings = json!({ "conversation_settings_diff": { "confirmation_mode": false } });
    let secret = json!({ "name": "NAME", "value": "value", "description": "" });
    let deleted = "/api/settings/secrets/NAME";
    for (route, path, body) in [
        ("GET /api/git/diff", diff.as_str(), None),
        ("POST /api/mcp/test", "", Some(broken)),
        ("PATCH /api/settings", "", Some(settings)),
        ("PUT /api/settings/secrets", "", Some(secret)),
        ("DELETE /api/settings/secrets/DEMO_SECRET", deleted, None),
    ] {
        wrong.extend(compared(&server, "", (route, path), body, &[]).await);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
