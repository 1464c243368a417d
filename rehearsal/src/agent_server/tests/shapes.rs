//! Every response has the fields recorded from the real server.

use super::super::super::tests::shapes::differences;
use super::*;

#[tokio::test]
async fn answers_have_the_recorded_fields() {
    let server = start().await;
    let (id, mut socket) = create_conversation(&server, "[[scenario:tools]]").await;
    socket
        .until(|frame| {
            frame["event"]["key"] == "execution_status" && frame["event"]["value"] == "finished"
        })
        .await;
    let of = |route: &str| format!("/api/conversations/{id}{route}");
    let folder = call(&server, "GET", &of(""), None).await.1["workspace"]["working_dir"].clone();
    let folder = folder.as_str().expect("a folder").to_owned();
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
    for (method, route, path, body, ignored) in [
        ("GET", "/alive", "/alive".to_owned(), None, &[][..]),
        ("GET", "/ready", "/ready".to_owned(), None, &[]),
        ("GET", "/server_info", "/server_info".to_owned(), None, &[]),
        (
            "GET",
            "/api/conversations/search",
            "/api/conversations/search".to_owned(),
            None,
            OF_A_CONVERSATION,
        ),
        (
            "GET",
            "/api/conversations/{id}",
            of(""),
            None,
            OF_A_CONVERSATION,
        ),
        // The events themselves are compared in `scenarios`.
        (
            "GET",
            "/api/conversations/{id}/events/search",
            of("/events/search"),
            None,
            &["items[]"],
        ),
        (
            "GET",
            "/api/git/changes",
            format!("/api/git/changes?path={folder}"),
            None,
            &[],
        ),
        (
            "GET",
            "/api/git/commits",
            format!("/api/git/commits?path={folder}"),
            None,
            &[],
        ),
        (
            "GET",
            "/api/file/home",
            "/api/file/home".to_owned(),
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
            "GET",
            "/api/settings/secrets",
            "/api/settings/secrets".to_owned(),
            None,
            &[],
        ),
        (
            "GET",
            "/api/llm/models",
            "/api/llm/models".to_owned(),
            None,
            &[],
        ),
        (
            "GET",
            "/api/llm/models/verified",
            "/api/llm/models/verified".to_owned(),
            None,
            &["models."],
        ),
        (
            "GET",
            "/api/llm/providers",
            "/api/llm/providers".to_owned(),
            None,
            &[],
        ),
        (
            "GET",
            "/api/profiles",
            "/api/profiles".to_owned(),
            None,
            &[],
        ),
        (
            "POST",
            "/api/bash/execute_bash_command",
            "/api/bash/execute_bash_command".to_owned(),
            Some(bash),
            &[],
        ),
        (
            "POST",
            "/api/conversations/{id}/pause",
            of("/pause"),
            Some(json!({})),
            &[],
        ),
        (
            "POST",
            "/api/conversations/{id}/interrupt",
            of("/interrupt"),
            Some(json!({})),
            &[],
        ),
        (
            "POST",
            "/api/conversations/{id}/ask_agent",
            of("/ask_agent"),
            Some(json!({ "question": "Why?" })),
            &[],
        ),
        (
            "PATCH",
            "/api/conversations/{id}",
            of(""),
            Some(json!({ "title": "Other" })),
            &[],
        ),
        (
            "POST",
            "/api/conversations/{id}/fork",
            of("/fork"),
            Some(json!({})),
            OF_A_CONVERSATION,
        ),
        (
            "POST",
            "/api/conversations",
            "/api/conversations".to_owned(),
            Some(json!({})),
            OF_A_CONVERSATION,
        ),
        ("DELETE", "/api/conversations/{id}", of(""), None, &[]),
    ] {
        let (status, answer) = call(&server, method, &path, body).await;
        assert!(
            (200..300).contains(&status),
            "{method} {path}: {status} {answer}"
        );
        wrong.extend(differences(
            "v1_rest",
            &format!("{method} {route}"),
            &answer,
            ignored,
        ));
    }
    wrong.retain(|wrong| !unread(wrong));
    assert!(wrong.is_empty(), "{wrong:#?}");
}
