//! Settings on the rehearsal's app server: what is saved is stored, and new conversations ask as it says.

use super::rehearsed::{at, create_conversation, rehearse};
use crate::backend::tests::support::LONG;
use crate::backend::{ConversationApi, McpServer, SettingsApi};
use crate::conversation::Status;
use std::time::Duration;
use tokio::time::{sleep, timeout};

#[tokio::test]
async fn without_an_analyzer_every_action_waits_for_approval() {
    let (_rehearsal, backend) = rehearse().await;
    let mut settings = backend.settings().await.unwrap();
    assert_eq!(
        settings.analyzer, "llm",
        "the rehearsal has what the server has at first"
    );
    settings.analyzer = String::new();
    settings.confirmation = true;
    backend.save_settings(settings.clone()).await.unwrap();
    assert_eq!(backend.settings().await.unwrap(), settings);
    let id = create_conversation(&backend, "[[steps:2]]").await;
    let waits = async {
        loop {
            let info = backend
                .conversation(&id)
                .await
                .unwrap()
                .expect("it is there");
            match info.status {
                Some(Status::AwaitingConfirmation) => return,
                Some(Status::Finished) => panic!("it ran without an approval"),
                _ => sleep(Duration::from_millis(20)).await,
            }
        }
    };
    timeout(LONG, waits).await.expect("it waits");
}

#[tokio::test]
async fn a_model_without_a_key_is_started() {
    let (rehearsal, backend) = rehearse().await;
    let change = serde_json::json!({ "agent_settings_diff": { "llm": { "api_key": "" } } });
    let url = format!("{}api/v1/settings", at(&rehearsal).base_url);
    let request = reqwest::Client::new().post(url).json(&change);
    let key = super::rehearsed::KEY;
    let answer = request.header("x-session-api-key", key).send().await;
    assert!(answer.unwrap().status().is_success());
    assert!(!backend.settings().await.unwrap().api_key_set);
    create_conversation(&backend, "[[scenario:hello]]").await;
}

#[tokio::test]
async fn a_new_mcp_server_replaces_no_other_one() {
    let (_rehearsal, backend) = rehearse().await;
    let server = |url: &str| McpServer::Http {
        url: url.to_owned(),
        key_set: false,
        key: None,
    };
    let mut settings = backend.settings().await.unwrap();
    for servers in [
        vec![server("http://a/mcp")],
        vec![server("http://a/mcp"), server("http://b/mcp")],
        vec![server("http://b/mcp")],
        vec![],
    ] {
        settings.mcp = servers;
        backend.save_settings(settings.clone()).await.unwrap();
        assert_eq!(backend.settings().await.unwrap().mcp, settings.mcp);
    }
}
