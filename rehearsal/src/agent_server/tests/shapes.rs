//! Every response has the fields recorded from the real server.

use super::*;
use crate::tests::shapes::compared;

#[tokio::test]
async fn answers_have_the_recorded_fields() {
    let server = start().await;
    let (id, mut socket) = create_conversation(&server, "[[scenario:tools]]").await;
    socket
        .until(|frame| {
            frame["event"]["key"] == "execution_status" && frame["event"]["value"] == "finished"
        })
        .await;
    let info = format!("/api/conversations/{id}");
    let (_, info) = get(&server, &info).await;
    let folder = info["workspace"]["working_dir"].as_str().expect("a folder");
    let changes = format!("/api/git/changes?path={folder}");
    let commits = format!("/api/git/commits?path={folder}");
    let (question, title) = (json!({ "question": "Why?" }), json!({ "title": "Other" }));
    let bash = json!({ "command": "pwd", "cwd": folder, "timeout": 5 });
    // The risk policies were recorded only in events.
    const OF_A_CONVERSATION: &[&str] = &[
        "agent.",
        "confirmation_policy.",
        "items[].agent.",
        "items[].confirmation_policy.",
    ];
    // Handrail does not read these fields, so the rehearsal leaves them out.
    let unread = |wrong: &String| {
        let fields = [
            " lacks agent_settings.",
            " lacks conversation_settings.",
            " lacks active_",
            " lacks misc_settings",
            " lacks client_tools",
            " lacks tool_module_qualnames",
            " lacks runtime_info.runtime_error",
            " lacks favorites",
            " lacks locations",
        ];
        fields.iter().any(|field| wrong.contains(field))
    };
    let mut wrong = Vec::new();
    for (route, path, body, ignored) in [
        ("GET /alive", "", None, &[][..]),
        ("GET /ready", "", None, &[]),
        ("GET /server_info", "", None, &[]),
        ("GET /api/conversations/search", "", None, OF_A_CONVERSATION),
        ("GET /api/conversations/{id}", "", None, OF_A_CONVERSATION),
        // The events themselves are compared in `scenarios`.
        (
            "GET /api/conversations/{id}/events/search",
            "",
            None,
            &["items[]"],
        ),
        ("GET /api/git/changes", changes.as_str(), None, &[]),
        ("GET /api/git/commits", commits.as_str(), None, &[]),
        ("GET /api/file/home", "", None, &[]),
        ("GET /api/settings", "", None, &[]),
        ("GET /api/settings/secrets", "", None, &[]),
        ("GET /api/llm/models", "", None, &[]),
        ("GET /api/llm/models/verified", "", None, &["models."]),
        ("GET /api/llm/providers", "", None, &[]),
        ("GET /api/profiles", "", None, &[]),
        ("POST /api/bash/execute_bash_command", "", Some(bash), &[]),
        (
            "POST /api/conversations/{id}/pause",
            "",
            Some(json!({})),
            &[],
        ),
        (
            "POST /api/conversations/{id}/interrupt",
            "",
            Some(json!({})),
            &[],
        ),
        (
            "POST /api/conversations/{id}/ask_agent",
            "",
            Some(question),
            &[],
        ),
        ("PATCH /api/conversations/{id}", "", Some(title), &[]),
        (
            "POST /api/conversations/{id}/fork",
            "",
            Some(json!({})),
            OF_A_CONVERSATION,
        ),
        (
            "POST /api/conversations",
            "",
            Some(json!({})),
            OF_A_CONVERSATION,
        ),
        ("DELETE /api/conversations/{id}", "", None, &[]),
    ] {
        let name = ("v1_rest", &*id);
        wrong.extend(compared(&server, name, (route, path), body, ignored).await);
    }
    wrong.retain(|wrong| !unread(wrong));
    assert!(wrong.is_empty(), "{wrong:#?}");
}
