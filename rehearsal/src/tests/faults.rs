//! Each injected fault takes effect.

use std::time::Duration;

use serde_json::{Value, json};

use super::super::{Fault, Memory, Options, Rehearsal, RestFault};
use super::client::{Client, Frame};
use super::{call, get, http, options, outline, ready, start};

#[tokio::test]
async fn dropped_sockets_end_without_a_close_frame() {
    let server = start().await;
    let (id, mut client) = ready(&server).await;
    assert_eq!(server.stats().sockets[&id], 1);
    server.faults().inject(&Fault::DropSockets);
    assert_eq!(client.frame().await, Frame::Lost);
    let before = server.stats().connects;
    Client::join(&server, &id, 3).await.text().await;
    assert_eq!(server.stats().connects, before + 1, "a new one is welcome");
}

#[tokio::test]
async fn events_come_twice_or_in_another_order() {
    let server = start().await;
    let (_, mut client) = ready(&server).await;
    server.faults().inject(&Fault::Duplicate);
    client.say("[[scenario:hello]]").await;
    let (first, second) = (client.payload().await, client.payload().await);
    assert_eq!(first, second);
    client.until_state("awaiting_user_input").await;
    client.payload().await;
    server.faults().inject(&Fault::Clear);
    server.faults().inject(&Fault::Reorder);
    client.say("Finish.").await;
    let events: Vec<_> = client
        .until(|event| event["action"] == "finish")
        .await
        .iter()
        .map(outline)
        .collect();
    assert_eq!(events[..2], ["11 recall", "10 message"]);
}

#[tokio::test]
async fn a_garbage_frame_and_a_huge_event_reach_every_socket() {
    let server = start().await;
    let (_, mut client) = ready(&server).await;
    server.faults().inject(&Fault::GarbageFrame { frame: None });
    assert_eq!(client.text().await, "42[\"oh_event\",{\"id\":");
    server
        .faults()
        .inject(&Fault::HugeEvent { bytes: 5_000_000 });
    assert_eq!(
        client.payload().await["content"].as_str().map(str::len),
        Some(5_000_000)
    );
}

#[tokio::test]
async fn connections_can_be_refused_or_left_hanging() {
    let server = start().await;
    let body = json!({"message": "Not today", "data": {"msg_id": "WEATHER$RAIN"}});
    server.faults().inject(&Fault::Refuse {
        body: body.clone(),
        times: 1,
    });
    assert_eq!(
        Client::join(&server, "a", -1).await.text().await,
        format!("44{body}")
    );
    server.faults().inject(&Fault::Hang);
    let mut hanging = Client::join(&server, "a", -1).await;
    hanging.send("40").await;
    assert_eq!(
        hanging.text().await,
        "44\"Unable to connect\"",
        "only the second is answered"
    );
    server.faults().inject(&Fault::Clear);
    Client::join(&server, "a", -1)
        .await
        .until_state("awaiting_user_input")
        .await;
}

#[tokio::test]
async fn rest_can_fail_in_four_ways() {
    let server = start().await;
    for (kind, status) in [
        (RestFault::TooManyRequests, 429),
        (RestFault::ServerError, 500),
        (RestFault::Html, 200),
    ] {
        server.faults().inject(&Fault::Rest {
            kind,
            path: "/api".to_owned(),
            times: 1,
        });
        let (answered, body) = get(&server, "/api/settings").await;
        assert_eq!(answered, status);
        assert!(body["language"].is_null());
        assert_eq!(get(&server, "/api/settings").await.1["language"], "en");
    }
    server.faults().inject(&Fault::Rest {
        kind: RestFault::Hang,
        path: String::new(),
        times: 1,
    });
    let hanging = http().get(format!("http://{}/alive", server.addr()));
    let error = hanging
        .timeout(Duration::from_millis(100))
        .send()
        .await
        .unwrap_err();
    assert!(error.is_timeout());
}

#[tokio::test]
async fn a_restarted_server_has_stopped_conversations_and_what_it_remembers() {
    for (memory, ids) in [
        (Memory::All, vec![0, 1, 2, 3]),
        (Memory::First(2), vec![0, 1]),
        (Memory::Renumbered(1000), vec![1000, 1001, 1002, 1003]),
    ] {
        let server = start().await;
        let (id, mut client) = ready(&server).await;
        server.restart(memory);
        assert_eq!(client.frame().await, Frame::Lost);
        let (_, page) = get(&server, &format!("/api/conversations/{id}/events")).await;
        let stored: Vec<_> = page["events"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|event| event["id"].as_i64())
            .collect();
        assert_eq!(stored, ids, "{memory:?}");
        let (_, one) = get(&server, &format!("/api/conversations/{id}")).await;
        assert_eq!(one["status"], "STOPPED");
        Client::join(&server, &id, -1)
            .await
            .until_state("awaiting_user_input")
            .await;
    }
}

#[tokio::test]
async fn browser_tests_inject_faults_by_rest_and_only_if_allowed() {
    let closed = start().await;
    let fault = Some(json!({"fault": "drop_sockets"}));
    assert_eq!(
        call(&closed, "POST", "/rehearsal/faults", fault.clone())
            .await
            .0,
        404
    );
    let open = Rehearsal::start(Options {
        fault_routes: true,
        ..options()
    })
    .await
    .unwrap();
    let (_, mut client) = ready(&open).await;
    assert_eq!(
        call(&open, "POST", "/rehearsal/faults", fault).await,
        (204, Value::Null)
    );
    assert_eq!(client.frame().await, Frame::Lost);
    assert_eq!(
        call(
            &open,
            "POST",
            "/rehearsal/faults",
            Some(json!({"fault": "rain"}))
        )
        .await
        .0,
        422
    );
}

#[tokio::test]
async fn shutdown_ends_everything_and_frees_the_port() {
    let server = start().await;
    let (_, mut client) = ready(&server).await;
    let addr = server.addr();
    server.shutdown().await;
    assert_eq!(client.frame().await, Frame::Lost);
    assert!(tokio::net::TcpListener::bind(addr).await.is_ok());
}
