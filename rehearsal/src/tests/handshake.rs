//! Connecting: the replay, its rules, and every kind of refusal.

use serde_json::{Value, json};

use super::super::{Options, Rehearsal};
use super::client::{Client, Frame};
use super::{call, get, options, outline, ready, start};

#[tokio::test]
async fn the_first_client_gets_the_replay_then_the_connect_packet_then_everything_again() {
    let server = Rehearsal::start(Options {
        pace: std::time::Duration::from_millis(50),
        ..options()
    })
    .await
    .unwrap();
    let (_, body) = call(&server, "POST", "/api/conversations", Some(json!({}))).await;
    let mut client = Client::join(&server, body["conversation_id"].as_str().unwrap(), -1).await;
    let replayed = client.text().await;
    assert!(
        replayed.contains("\"loading\"") && replayed.contains("\"source\":\"environment\""),
        "{replayed}"
    );
    let accepted = client.text().await;
    assert!(accepted.starts_with("40{\"sid\":\""), "{accepted}");
    let again = client.text().await;
    assert!(
        again.contains("\"loading\"") && again.contains("\"source\":\"agent\""),
        "{again}"
    );
    for _ in 0..2 {
        assert!(client.text().await.contains("STATUS$STARTING_RUNTIME"));
    }
    let rest: Vec<_> = client
        .until_state("awaiting_user_input")
        .await
        .iter()
        .map(outline)
        .collect();
    assert_eq!(rest[0], "\"STATUS$READY\" ?");
    assert_eq!(
        rest[1..],
        ["1 system", "3 agent_state_changed awaiting_user_input"]
    );
}

#[tokio::test]
async fn a_later_client_gets_no_recall_and_only_the_newest_state_and_that_last() {
    let server = start().await;
    let (id, mut first) = ready(&server).await;
    first.say("[[scenario:hello]]").await;
    first.until_state("awaiting_user_input").await;

    let mut second = Client::join(&server, &id, -1).await;
    let mut replay = Vec::new();
    loop {
        let text = second.text().await;
        if text.starts_with("40") {
            break;
        }
        let event: Value =
            serde_json::from_str(&text["42[\"oh_event\",".len()..text.len() - 1]).unwrap();
        replay.push(outline(&event));
    }
    let mut expected = vec![
        "1 system",
        "2 change_agent_state awaiting_user_input",
        "4 message",
        "6 recall",
        "8 message",
    ];
    // The recall observation and the state may arrive in either order.
    if replay.contains(&"7 recall".to_owned()) {
        expected[3] = "7 recall";
    }
    expected.push("9 agent_state_changed awaiting_user_input");
    assert_eq!(replay, expected);

    let mut third = Client::join(&server, &id, 4).await;
    let ids: Vec<_> = third
        .until_state("awaiting_user_input")
        .await
        .iter()
        .map(|event| event["id"].as_i64())
        .collect();
    assert_eq!(ids, [Some(6), Some(8), Some(9)]);
    let mut up_to_date = Client::join(&server, &id, 9).await;
    assert!(
        up_to_date.text().await.starts_with("40{"),
        "nothing is replayed, not even the state"
    );
    for unreadable in ["abc", "3.5", "", "-7"] {
        let query = format!("conversation_id={id}&latest_event_id={unreadable}");
        let replayed = Client::connect(&server, &query).await.payload().await;
        assert_eq!(replayed["id"], 1, "`{unreadable}` means all");
    }
}

#[tokio::test]
async fn a_first_message_given_at_creation_comes_before_the_first_state() {
    let server = start().await;
    let body = json!({"initial_user_msg": "[[scenario:hello]]"});
    let (_, body) = call(&server, "POST", "/api/conversations", Some(body)).await;
    let id = body["conversation_id"].as_str().unwrap();
    Client::join(&server, id, -1)
        .await
        .until_state("awaiting_user_input")
        .await;
    let (_, page) = get(&server, &format!("/api/conversations/{id}/events")).await;
    let events: Vec<_> = page["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(outline)
        .collect();
    let expected = [
        "0 agent_state_changed loading",
        "1 system",
        "2 message",
        "3 change_agent_state running",
        "4 recall",
        "5 recall",
        "6 agent_state_changed running",
        "7 message",
        "8 agent_state_changed awaiting_user_input",
    ];
    assert_eq!(events, expected);
}

#[tokio::test]
async fn who_is_refused_gets_a_reason_and_keeps_the_websocket() {
    let server = Rehearsal::start(Options {
        session_api_key: Some("key".to_owned()),
        ..options()
    })
    .await
    .unwrap();
    for (query, refusal) in [
        ("", "44{\"message\":\"No conversation_id in query params\"}"),
        (
            "conversation_id=",
            "44{\"message\":\"No conversation_id in query params\"}",
        ),
        (
            "conversation_id=a&session_api_key=wrong",
            "44{\"message\":\"invalid_session_api_key\"}",
        ),
    ] {
        let mut client = Client::connect(&server, query).await;
        assert_eq!(client.text().await, refusal);
        client.send("40").await;
        assert_eq!(
            client.text().await,
            "44\"Unable to connect\"",
            "the WebSocket is still open"
        );
    }
    let mut elsewhere = Client::open(&server, "conversation_id=a").await;
    elsewhere.send("40/foo,").await;
    assert_eq!(elsewhere.text().await, "44/foo,\"Unable to connect\"");
}

#[tokio::test]
async fn without_settings_the_refusal_carries_a_message_id() {
    let server = Rehearsal::start(Options {
        settings_stored: false,
        ..options()
    })
    .await
    .unwrap();
    let refusal = Client::join(&server, "a", -1).await.text().await;
    let body: Value = serde_json::from_str(refusal.strip_prefix("44").unwrap()).unwrap();
    let data = json!({"msg_id": "CONFIGURATION$SETTINGS_NOT_FOUND"});
    assert_eq!(body, json!({"message": "Settings not found", "data": data}));
}

#[tokio::test]
async fn some_connections_are_never_answered() {
    let server = Rehearsal::start(Options {
        session_api_key: Some("key".to_owned()),
        ..options()
    })
    .await
    .unwrap();
    let key = "conversation_id=a&session_api_key=key";
    for (query, connect) in [
        ("conversation_id=a", "40"),
        (&format!("{key}&providers_set=nope"), "40"),
        (key, "40{\"token\":\"x\"}"),
    ] {
        let mut client = Client::open(&server, query).await;
        client.send(connect).await;
        // Frames are handled in order: a response to the second one proves that the first never gets one.
        client.send("40").await;
        assert_eq!(
            client.text().await,
            "44\"Unable to connect\"",
            "{query} {connect}"
        );
    }
    assert_eq!(server.stats().connects, 0);
}

#[tokio::test]
async fn an_unknown_conversation_is_created_and_started() {
    let server = start().await;
    let id = "ffffffffffffffffffffffffffffffff";
    let mut client = Client::join(&server, id, -1).await;
    client.until_state("awaiting_user_input").await;
    let (_, body) = get(&server, &format!("/api/conversations/{id}")).await;
    assert_eq!(
        (&body["status"], &body["num_connections"]),
        (&json!("RUNNING"), &json!(1))
    );
}

#[tokio::test]
async fn a_packet_of_more_than_four_mebibytes_closes_the_socket() {
    let server = start().await;
    let (_, mut client) = ready(&server).await;
    client.say(&"x".repeat(5 * 1024 * 1024)).await;
    assert!(matches!(
        client.frame().await,
        Frame::Close(1000) | Frame::Lost
    ));
}

#[tokio::test]
async fn only_what_is_accepted_is_acknowledged() {
    let server = start().await;
    let (_, mut client) = ready(&server).await;
    client
        .send("427[\"oh_user_action\",{\"action\":\"no_such\",\"args\":{}}]")
        .await;
    client
        .send("428[\"oh_event\",{\"action\":\"message\",\"args\":{\"content\":\"lost\"}}]")
        .await;
    client
        .send("429[\"oh_action\",{\"action\":\"run\",\"args\":{\"command\":\"ls\"}}]")
        .await;
    let mut seen = Vec::new();
    while !seen
        .iter()
        .any(|text: &String| text.contains("not executed"))
    {
        seen.push(client.text().await);
    }
    let acks: Vec<_> = seen.iter().filter(|text| text.starts_with("43")).collect();
    assert_eq!(acks, ["439[]"]);
}

#[tokio::test]
async fn rust_socketio_understands_all_of_it() {
    use rust_socketio::asynchronous::ClientBuilder;
    use rust_socketio::{Event, Payload};

    let server = start().await;
    let (id, _) = ready(&server).await;
    let (sender, mut names) = tokio::sync::mpsc::unbounded_channel();
    let connected = sender.clone();
    let url = format!(
        "http://{}/socket.io/?conversation_id={id}&latest_event_id=-1",
        server.addr()
    );
    let client = ClientBuilder::new(url)
        .on(Event::Connect, move |_, _| {
            let _ = connected.send(String::from("connect"));
            Box::pin(async {})
        })
        .on_text(move |Payload::Text(text), _| {
            let name = text[0].as_str().and_then(|text| text.split('"').nth(1));
            let _ = sender.send(name.unwrap_or_default().to_owned());
            Box::pin(async {})
        })
        .connect()
        .await
        .unwrap();
    for expected in ["oh_event", "oh_event", "oh_event", "connect"] {
        assert_eq!(names.recv().await.as_deref(), Some(expected));
    }
    let hello = json!({"action": "message", "args": {"content": "[[scenario:hello]]"}});
    let emitted = client.emit_with_ack(
        "oh_user_action",
        hello,
        std::time::Duration::from_secs(20),
        |_, _| Box::pin(async {}),
    );
    emitted.await.unwrap();
    assert_eq!(names.recv().await.as_deref(), Some("oh_event"));
    client.disconnect().await.unwrap();
}
