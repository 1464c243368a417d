//! Checks against real servers with the scripted model, run by hand (`CONTRIBUTING.md`): what is saved is stored, and a
//! start carries what its agent needs.
//!
//! `HANDRAIL_REAL_AGENT_SERVERS` and `HANDRAIL_REAL_APP_SERVER` have their addresses, `HANDRAIL_REAL_KEY` the key of the
//! former, `HANDRAIL_REAL_MODEL` the base URL of the model, and `HANDRAIL_REAL_ACP` a command line of a program of ACP.

#![expect(clippy::print_stdout, reason = "a person reads what was found")]

use super::support::holding;
use crate::backend::agent_server::AgentServer;
use crate::backend::app_server::AppServer;
use crate::backend::http::Call;
use crate::backend::{
    Backend, Connection, ConversationApi, McpServer, NewConversation, Runtime, Settings,
    SettingsApi, WorkspaceApi,
};
use crate::conversation::{Policy, Status};
use reqwest::Method;
use serde_json::json;
use std::time::Duration;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

fn named(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| panic!("{variable} is not set"))
}

fn agent_servers() -> Vec<AgentServer> {
    let key = named("HANDRAIL_REAL_KEY");
    let addresses = named("HANDRAIL_REAL_AGENT_SERVERS");
    let server = |address: &str| {
        let connection = Connection::at(address, Some(key.clone())).expect("an address");
        AgentServer::new(connection).expect("an address")
    };
    addresses.split_whitespace().map(server).collect()
}

fn app_server() -> AppServer {
    let address = named("HANDRAIL_REAL_APP_SERVER");
    AppServer::new(Connection::at(&address, None).expect("an address")).expect("an address")
}

fn server(url: &str) -> McpServer {
    McpServer::Http {
        url: url.to_owned(),
        key_set: false,
        key: None,
    }
}

/// A scripted message of the model.
fn play(scenario: &str) -> NewConversation {
    let nonce = Uuid::new_v4().simple();
    NewConversation::saying(&format!("Do it. [[play:{scenario}#{nonce}]]"))
}

/// Saves settings and reads them back, several times: approvals with and without an analyzer, limits, MCP servers. The
/// model needs no key.
async fn saves(backend: &dyn Backend) {
    let before = backend.settings().await.expect("it answers");
    let base = Settings {
        model: "hosted_vllm/fake-model".to_owned(),
        base_url: named("HANDRAIL_REAL_MODEL"),
        confirmation: true,
        ..before
    };
    let variants = [
        ("llm", Some(41), vec![]),
        ("", Some(42), vec![server("http://127.0.0.1:9/a")]),
        (
            "",
            None,
            vec![
                server("http://127.0.0.1:9/a"),
                server("http://127.0.0.1:9/b"),
            ],
        ),
        ("", Some(43), vec![]),
    ];
    for (analyzer, steps, mcp) in variants {
        let wanted = Settings {
            analyzer: analyzer.to_owned(),
            max_iterations: steps,
            condenser_max_size: steps.map(|steps| steps * 2),
            mcp,
            ..base.clone()
        };
        backend
            .save_settings(wanted.clone())
            .await
            .expect("it is taken");
        let stored = backend.settings().await.expect("it answers");
        let differences = wanted.differences(&stored);
        assert_eq!(differences, [], "{analyzer:?} {steps:?}");
        println!(
            "saved and read back: analyzer {analyzer:?}, steps {:?}",
            stored.max_iterations
        );
    }
}

/// Waits until a conversation has this status.
async fn until(backend: &dyn Backend, id: &str, wanted: &Status) {
    let limit = Instant::now() + Duration::from_secs(240);
    loop {
        let info = backend
            .conversation(id)
            .await
            .expect("it answers")
            .expect("it is there");
        if info.status.as_ref() == Some(wanted) {
            return;
        }
        assert!(
            Instant::now() < limit,
            "it never became {wanted:?}: {info:?}"
        );
        sleep(Duration::from_millis(500)).await;
    }
}

/// All that a conversation has said so far.
async fn log(backend: &dyn Backend, id: &str) -> String {
    let page = backend
        .history(id, holding(None))
        .await
        .expect("it answers");
    page.events.into_iter().map(|event| event.raw).collect()
}

#[tokio::test]
#[ignore = "needs real agent-servers"]
async fn agent_servers_keep_what_is_saved_and_start_agents_with_tools_and_secrets() {
    for backend in agent_servers() {
        println!("{:?}", backend.probe().await.expect("it answers"));
        saves(&backend).await;
        backend
            .save_secret("MY_TOKEN", "hush-hush", "")
            .await
            .expect("it is taken");
        let id = backend
            .create(play("secret"))
            .await
            .expect("it starts without a key");
        until(&backend, &id, &Status::AwaitingConfirmation).await;
        println!(
            "every action asks; promise: {:?}",
            backend.keep_promise(&id).await
        );
        backend
            .set_policy(&id, Policy::Never)
            .await
            .expect("it is taken");
        assert!(
            backend
                .keep_promise(&id)
                .await
                .expect("it answers")
                .is_some()
        );
        backend
            .set_policy(&id, Policy::Never)
            .await
            .expect("it is taken");
        let id = backend.create(play("quick")).await.expect("it starts");
        until(&backend, &id, &Status::AwaitingConfirmation).await;
        let mut free = backend.settings().await.expect("it answers");
        free.confirmation = false;
        backend.save_settings(free).await.expect("it is taken");
        let id = backend.create(play("secret")).await.expect("it starts");
        until(&backend, &id, &Status::Finished).await;
        let log = log(&backend, &id).await;
        // A value that reached the agent is masked in what it prints; an unknown variable prints nothing.
        assert!(log.contains("the secret is <secret-hidden>"), "{log}");
        println!(
            "the secret arrived; commits: {:?}",
            backend.commits(&id).await
        );
    }
}

#[tokio::test]
#[ignore = "needs real agent-servers"]
async fn agent_servers_with_a_program_of_acp_save_settings_and_ask_nobody() {
    let program: Vec<String> = named("HANDRAIL_REAL_ACP")
        .split(' ')
        .map(str::to_owned)
        .collect();
    for backend in agent_servers() {
        let change = |agent| {
            let body = json!({ "agent_settings_diff": agent });
            Call::new(Method::PATCH, &["api", "settings"]).json(body)
        };
        let agent = json!({ "agent_kind": "acp", "acp_server": "custom", "acp_command": program });
        backend
            .rest()
            .json(change(agent))
            .await
            .expect("it is taken");
        let mut settings = backend.settings().await.expect("it answers");
        assert!(backend.capabilities().asks_nobody && settings.acp == "ACP");
        for (steps, model) in [(Some(44), "fake-b"), (None, "")] {
            (settings.max_iterations, settings.model) = (steps, model.to_owned());
            backend
                .save_settings(settings.clone())
                .await
                .expect("it is taken");
            let stored = backend.settings().await.expect("it answers");
            assert_eq!(settings.differences(&stored), []);
        }
        let id = backend
            .create(NewConversation::saying("hello"))
            .await
            .expect("it starts");
        until(&backend, &id, &Status::Finished).await;
        assert_eq!(backend.keep_promise(&id).await.expect("it answers"), None);
        println!("a program of ACP was saved, started and ended without a question");
        let agent = json!({ "agent_kind": "openhands" });
        backend
            .rest()
            .json(change(agent))
            .await
            .expect("it is taken");
    }
}

#[tokio::test]
#[ignore = "needs a real app server"]
async fn an_app_server_keeps_what_is_saved_and_new_conversations_ask_for_every_action() {
    let backend = app_server();
    println!("{:?}", backend.probe().await.expect("it answers"));
    saves(&backend).await;
    let id = backend
        .create(play("quick"))
        .await
        .expect("it starts without a key");
    let promise = backend.keep_promise(&id).await.expect("it answers");
    assert_eq!(promise, None, "its own start keeps it");
    until(&backend, &id, &Status::AwaitingConfirmation).await;
    println!("echo quick waits for an approval");
    let info = backend
        .conversation(&id)
        .await
        .expect("it answers")
        .expect("it is there");
    assert_eq!(
        (info.runtime, &*info.runtime_word),
        (Runtime::Running, "RUNNING")
    );
}
