//! Conversations on the rehearsal's app server: started, paused, resumed and gone.

use super::super::AppServer;
use crate::backend::rehearsal::{Dialect, Fault, Options, Rehearsal};
use crate::backend::tests::support::{LONG, TestConnection, hold_from, holding, say};
use crate::backend::{
    Backend, BackendError, Command, Connection, ConnectionState, ConversationApi, Delivery,
    NewConversation, Runtime, SettingsApi, WorkspaceApi, find,
};
use crate::conversation::Body;
use std::time::Duration;
use tokio::time::timeout;

pub(super) const KEY: &str = "k/+ ey";
const DANGEROUS: &str = "run echo HIGH risk";

pub(super) async fn rehearse() -> (Rehearsal, AppServer) {
    let options = Options {
        dialect: Dialect::AppServer,
        pace: Duration::ZERO,
        session_api_key: Some(KEY.to_owned()),
        ..Options::default()
    };
    let rehearsal = Rehearsal::start(options).await.unwrap();
    let backend = AppServer::polling_every(at(&rehearsal), Duration::from_millis(200)).unwrap();
    (rehearsal, backend)
}

pub(super) fn at(rehearsal: &Rehearsal) -> Connection {
    let address = format!("http://{}", rehearsal.addr());
    Connection::at(&address, Some(KEY.to_owned())).unwrap()
}

/// Waits for an event with this text.
async fn until(connection: &mut TestConnection, wanted: &str) {
    let found = async {
        while !connection
            .events
            .recv()
            .await
            .expect("a connection")
            .raw
            .contains(wanted)
        {}
    };
    timeout(LONG, found)
        .await
        .unwrap_or_else(|_| panic!("no {wanted}"));
}

pub(super) async fn create_conversation(backend: &AppServer, message: &str) -> String {
    backend
        .create(NewConversation::saying(message))
        .await
        .unwrap()
}

/// Asks the app server for something that Handrail has no command for.
async fn asked(rehearsal: &Rehearsal, method: reqwest::Method, path: &str) {
    let url = format!("http://{}/api/v1/{path}", rehearsal.addr());
    let request = reqwest::Client::new().request(method, url);
    let answer = request
        .header("x-session-api-key", KEY)
        .send()
        .await
        .unwrap();
    assert!(answer.status().is_success(), "{answer:?}");
}

async fn runtime(backend: &AppServer, id: &str) -> Runtime {
    let info = backend.conversation(id).await.unwrap();
    info.expect("a conversation").runtime
}

#[tokio::test]
async fn an_app_server_is_found_with_its_version() {
    let (rehearsal, backend) = rehearse().await;
    let found = find(&at(&rehearsal)).await.unwrap();
    assert_eq!(found, backend.protocol());
    let probe = backend.probe().await.unwrap();
    assert_eq!(probe.product, "OpenHands app server");
    assert_eq!(probe.version.as_deref(), Some("1.11.0"));
    assert_eq!(probe.lacking, None);
    assert!(
        backend
            .options()
            .await
            .unwrap()
            .models
            .contains(&"rehearsal/script".to_owned())
    );
    assert_eq!(backend.profiles().await.unwrap().len(), 2);
    let mut settings = backend.settings().await.unwrap();
    settings.confirmation = true;
    backend.save_settings(settings.clone()).await.unwrap();
    assert_eq!(backend.settings().await.unwrap(), settings);
}

#[tokio::test]
async fn a_start_that_fails_is_told_with_its_reason() {
    let (_rehearsal, backend) = rehearse().await;
    let new = NewConversation::saying("[[start:fails]]");
    let error = backend.create(new).await.unwrap_err();
    let BackendError::Refused(why) = &error else {
        panic!("{error:?}");
    };
    assert!(why.contains("Sandbox failed to start within 120s"), "{why}");
    // Its id, by which the failure can be read later, too.
    let id = why.rsplit(' ').next().unwrap();
    assert_eq!(runtime(&backend, id).await, Runtime::Error);
    let page = backend.history(id, holding(None)).await.unwrap();
    assert!(matches!(page.events[0].item.body, Body::RunError { .. }));
}

#[tokio::test]
async fn a_paused_sandbox_is_read_from_the_copy_and_goes_on_when_it_is_resumed() {
    let (_rehearsal, backend) = rehearse().await;
    let id = create_conversation(&backend, "[[scenario:hello]]").await;
    let mut connection = hold_from(&backend, &id, holding(None));
    connection.live().await;
    until(&mut connection, "\"finished\"").await;
    backend.stop(&id).await.unwrap();
    connection.ended().await;
    assert_eq!(runtime(&backend, &id).await, Runtime::Paused);
    let listed = backend.conversations(None).await.unwrap().results;
    assert_eq!((listed.len(), &listed[0].id), (1, &id));
    let copied = backend.history(&id, holding(None)).await.unwrap();
    assert!(copied.is_copy, "the log may have more");
    assert!(matches!(
        backend.list_files(&id, "").await,
        Err(BackendError::NotRunning)
    ));
    backend.start(&id).await.unwrap();
    let log = backend.history(&id, holding(None)).await.unwrap();
    let keys = |events: &[crate::backend::ReceivedEvent]| -> Vec<_> {
        events
            .iter()
            .filter_map(|event| event.item.key.clone())
            .collect()
    };
    assert!(!log.is_copy);
    assert_eq!(
        keys(&copied.events),
        keys(&log.events),
        "without deltas and snapshots"
    );
    let mut connection = hold_from(&backend, &id, holding(None));
    connection.live().await;
    assert_eq!(
        connection.order(say("[[scenario:hello]]")).await,
        Delivery::Confirmed
    );
    backend.delete(&id).await.unwrap();
    assert_eq!(backend.conversation(&id).await.unwrap(), None);
}

#[tokio::test]
async fn a_sandbox_that_is_gone_leaves_its_history_and_cannot_be_started() {
    let (rehearsal, backend) = rehearse().await;
    let id = create_conversation(&backend, "[[scenario:hello]]").await;
    let mut connection = hold_from(&backend, &id, holding(None));
    until(&mut connection, "\"finished\"").await;
    let path = format!("sandboxes/{id}?sandbox_id={id}");
    asked(&rehearsal, reqwest::Method::DELETE, &path).await;
    // The hub asks like this once the connection is lost, or its list is old.
    backend.conversations(None).await.unwrap();
    connection.ended().await;
    assert_eq!(runtime(&backend, &id).await, Runtime::Gone);
    let page = backend.history(&id, holding(None)).await.unwrap();
    assert!(!page.is_copy && page.events.len() > 3, "nothing follows");
    let error = backend.start(&id).await.unwrap_err().to_string();
    assert!(error.contains("no longer exists"), "{error}");
    backend.rename(&id, "Kept").await.unwrap();
}

#[tokio::test]
async fn a_sandbox_that_does_not_come_up_says_what_the_server_calls_it() {
    let (rehearsal, backend) = rehearse().await;
    let id = create_conversation(&backend, "[[scenario:hello]]").await;
    backend.stop(&id).await.unwrap();
    rehearsal.faults().inject(&Fault::NoRuntime { times: 0 });
    backend.start(&id).await.unwrap();
    let info = backend.conversation(&id).await.unwrap().unwrap();
    let told = (info.runtime, &*info.runtime_word);
    assert_eq!(told, (Runtime::Starting, "STARTING"));
    rehearsal.faults().inject(&Fault::Clear);
    backend.start(&id).await.unwrap();
    assert_eq!(runtime(&backend, &id).await, Runtime::Running);
}

#[tokio::test]
async fn a_hundred_messages_while_something_waits_approve_nothing() {
    let (rehearsal, backend) = rehearse().await;
    let mut executed = 0;
    for _ in 0..4 {
        let id = create_conversation(&backend, "[[scenario:risk]]").await;
        let mut connection = hold_from(&backend, &id, holding(None));
        connection.live().await;
        until(&mut connection, "waiting_for_confirmation").await;
        let messages = (0..25).map(|_| connection.order(say("Please do not delete anything.")));
        for said in futures_util::future::join_all(messages).await {
            assert!(matches!(said, Delivery::NotYet(_)), "{said:?}");
        }
        let resumed = connection.order(Command::Resume).await;
        assert!(matches!(resumed, Delivery::NotSent(_)), "{resumed:?}");
        executed += rehearsal.stats().executed(&id, DANGEROUS);
    }
    assert_eq!(executed, 0);
}

#[tokio::test]
async fn the_keys_of_sandboxes_are_in_nothing_that_is_told() {
    let (rehearsal, backend) = rehearse().await;
    let id = create_conversation(&backend, "[[scenario:hello]]").await;
    let mut connection = hold_from(&backend, &id, holding(None));
    connection.live().await;
    let mut told = format!("{:?}", backend.conversations(None).await);
    told += &format!("{:?}", backend.conversation(&id).await);
    told += &format!("{:?}", backend.history(&id, holding(None)).await);
    told += &format!("{:?}", backend.probe().await);
    rehearsal.shutdown().await;
    let lost = connection
        .until(|state| matches!(state, ConnectionState::Reconnecting { .. }))
        .await;
    told += &format!("{lost:?}");
    told += &format!("{:?}", backend.history(&id, holding(None)).await);
    assert!(told.contains(&id) && !told.contains("sandbox-"), "{told}");
}
