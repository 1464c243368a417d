//! What a start carries, and what is stored.

use super::*;
use crate::backend::{Settings, SettingsApi, WorkspaceApi};
use reqwest::Method;
use serde_json::Value;

/// Changes the settings of the rehearsal as another client does.
async fn change(backend: &AgentServer, diff: Value) {
    let call = crate::backend::http::Call::new(Method::PATCH, &["api", "settings"]).json(diff);
    backend.rest().json(call).await.unwrap();
}

async fn started(backend: &AgentServer) -> Value {
    let id = backend.create(NewConversation::saying("[[scenario:hello]]"));
    let id = id.await.unwrap();
    backend.server.conversation(&id).await.unwrap()
}

#[tokio::test]
async fn a_start_says_where_the_secrets_are() {
    let rehearsal = rehearse().await;
    let backend = bridge(&rehearsal, quick());
    let saved = backend.save_secret("API_TOKEN", "hush", "for the tests");
    saved.await.unwrap();
    let info = started(&backend).await;
    let secret = &info["secret_registry"]["secret_sources"]["API_TOKEN"];
    assert_eq!(secret["kind"], "LookupSecret");
    assert_eq!(secret["url"], "/api/settings/secrets/API_TOKEN");
    assert_eq!(secret["description"], "for the tests");
}

#[tokio::test]
async fn an_agent_whose_settings_have_no_tools_gets_the_usual_ones() {
    let rehearsal = rehearse().await;
    let backend = bridge(&rehearsal, quick());
    let names = |info: &Value| -> Vec<String> {
        let tools = info["agent"]["tools"].as_array().cloned();
        let names = tools.unwrap_or_default().into_iter();
        names
            .map(|tool| tool["name"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    // So 1.30 stores its default.
    change(&backend, json!({ "agent_settings_diff": { "tools": [] } })).await;
    let usual = ["terminal", "file_editor", "task_tracker"];
    assert_eq!(names(&started(&backend).await), usual);
    // What somebody has chosen stays, and `null` is the server's own choice.
    change(
        &backend,
        json!({ "agent_settings_diff": { "tools": [{ "name": "grep" }] } }),
    )
    .await;
    assert_eq!(names(&started(&backend).await), ["grep"]);
    change(
        &backend,
        json!({ "agent_settings_diff": { "tools": null } }),
    )
    .await;
    assert_eq!(names(&started(&backend).await), usual);
}

#[tokio::test]
async fn a_model_without_a_key_is_started() {
    let options = Options {
        dialect: Dialect::AgentServer,
        pace: Duration::ZERO,
        session_api_key: Some(KEY.to_owned()),
        settings_stored: false,
        ..Options::default()
    };
    let rehearsal = Rehearsal::start(options).await.unwrap();
    let backend = bridge(&rehearsal, quick());
    assert!(!backend.settings().await.unwrap().api_key_set);
    started(&backend).await;
}

#[tokio::test]
async fn without_an_analyzer_every_action_waits_for_approval() {
    let rehearsal = rehearse().await;
    let backend = bridge(&rehearsal, quick());
    let settings = Settings {
        confirmation: true,
        analyzer: String::new(),
        ..backend.settings().await.unwrap()
    };
    backend.save_settings(settings.clone()).await.unwrap();
    assert_eq!(backend.settings().await.unwrap(), settings);
    let info = started(&backend).await;
    assert_eq!(info["confirmation_policy"]["kind"], "AlwaysConfirm");
}

#[tokio::test]
async fn a_limit_that_is_left_blank_is_the_default_of_the_server() {
    let rehearsal = rehearse().await;
    let backend = bridge(&rehearsal, quick());
    let mut settings = backend.settings().await.unwrap();
    let defaults = (settings.max_iterations, settings.condenser_max_size);
    (settings.max_iterations, settings.condenser_max_size) = (Some(7), Some(77));
    backend.save_settings(settings.clone()).await.unwrap();
    assert_eq!(backend.settings().await.unwrap(), settings);
    (settings.max_iterations, settings.condenser_max_size) = (None, None);
    backend.save_settings(settings).await.unwrap();
    let stored = backend.settings().await.unwrap();
    assert_eq!((stored.max_iterations, stored.condenser_max_size), defaults);
}

#[tokio::test]
async fn a_server_that_lists_no_commits_has_none() {
    let id = "a2f1c9de-8a53-4e0c-9b3e-5d1f8f6f0c11";
    let info = json!({ "id": id, "workspace": { "working_dir": "/w" } });
    let connection = serve(answers(&format!("/api/conversations/{id}"), info)).await;
    let backend = AgentServer::new(connection).unwrap();
    assert_eq!(backend.commits(id).await.unwrap(), []);
}

#[tokio::test]
async fn a_fork_at_an_event_is_offered_once_the_server_is_known_to_be_new_enough() {
    let rehearsal = rehearse().await;
    for (fork_at_since, offered) in [((1, 34), true), ((999, 0), false)] {
        let timing = Timing {
            fork_at_since,
            ..quick()
        };
        let backend = bridge(&rehearsal, timing);
        backend.probe().await.unwrap();
        let can = backend.capabilities();
        assert_eq!((can.fork, can.fork_at), (true, offered));
    }
}

#[tokio::test]
async fn a_program_of_acp_is_known_as_one_that_asks_nobody() {
    let rehearsal = rehearse().await;
    let backend = bridge(&rehearsal, quick());
    assert!(!backend.capabilities().asks_nobody);
    let program = json!({ "agent_kind": "acp", "acp_server": "claude-code" });
    change(&backend, json!({ "agent_settings_diff": program })).await;
    backend.server.rest.forget();
    backend.conversations(None).await.unwrap();
    assert!(backend.capabilities().asks_nobody);
    let mut settings = backend.settings().await.unwrap();
    assert_eq!((&*settings.acp, &*settings.model), ("claude-code", ""));
    assert_eq!(backend.probe().await.unwrap().lacking, None);
    // Whatever is saved: the server refuses what such an agent does not have.
    (settings.model, settings.max_iterations) = ("sonnet".to_owned(), Some(40));
    backend.save_settings(settings.clone()).await.unwrap();
    assert_eq!(backend.settings().await.unwrap(), settings);
    let info = started(&backend).await;
    assert_eq!(info["agent"]["acp_model"], "sonnet");
    let info = crate::wire::v1::ConversationInfo::read(info).unwrap();
    let Body::State(state) = crate::conversation::from_v1::info(&info).body else {
        panic!("a state");
    };
    assert_eq!(state.asks_nobody, Some(true));
    assert_eq!(backend.keep_promise(&info.id).await.unwrap(), None);
}

#[tokio::test]
async fn a_conversation_that_asks_otherwise_than_the_settings_say_is_mended() {
    let rehearsal = rehearse().await;
    let backend = bridge(&rehearsal, quick());
    let id = create(&backend, "[[scenario:hello]]").await;
    assert_eq!(backend.keep_promise(&id).await.unwrap(), None);
    backend
        .set_policy(&id, crate::conversation::Policy::Never)
        .await
        .unwrap();
    let said = backend
        .keep_promise(&id)
        .await
        .unwrap()
        .expect("it says so");
    assert!(said.contains("the right one now"), "{said}");
    let info = backend.server.conversation(&id).await.unwrap();
    assert_eq!(info["confirmation_policy"]["kind"], "ConfirmRisky");
    assert_eq!(backend.keep_promise(&id).await.unwrap(), None);
}

#[test]
fn mcp_servers_are_found_where_old_servers_keep_them() {
    let stored = json!({ "agent_settings": { "mcp_config": { "mcpServers": {
        "docs": { "url": "http://docs/mcp", "transport": "http", "headers": { "Authorization": "<redacted>" } },
    } } } });
    let mut settings = read_settings(&stored);
    let [docs] = &settings.mcp[..] else {
        panic!("{settings:?}");
    };
    assert_eq!(docs.address(), "http://docs/mcp");
    settings.mcp.clear();
    let sent = write_settings(&stored, &settings);
    let expected = json!({ "mcpServers": { "docs": null } });
    assert_eq!(
        sent.pointer("/agent_settings_diff/mcp_config"),
        Some(&expected)
    );
}
