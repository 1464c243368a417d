//! Steps, and requests that wait for them.

use std::time::Instant;

use super::super::super::Memory;
use super::*;

/// A conversation in the middle of a long command.
async fn busy(server: &Rehearsal) -> (String, Socket) {
    let (id, mut socket) = create_conversation(server, "[[scenario:slow:60000]]").await;
    socket
        .until(|frame| frame["event"]["kind"] == "ActionEvent")
        .await;
    while server.stats().executions.is_empty() {
        tokio::task::yield_now().await;
    }
    (id, socket)
}

#[tokio::test]
async fn a_conversation_is_told_from_its_first_message_to_its_end_without_gaps() {
    let server = start().await;
    let (id, mut socket) = create_conversation(&server, "hello").await;
    let frames = socket
        .until(|frame| frame["event"]["value"] == "finished")
        .await;
    assert_eq!(frames[0], json!({"type": "sync", "from_seq": -1}));
    let seqs: Vec<i64> = frames
        .iter()
        .filter_map(|frame| frame["seq"].as_i64())
        .collect();
    assert_eq!(seqs, (0..seqs.len() as i64).collect::<Vec<_>>());
    let events: Vec<Value> = frames
        .iter()
        .filter(|frame| frame["type"] == "durable")
        .map(|frame| frame["event"].clone())
        .collect();
    assert_eq!(
        outlines(&events),
        [
            "SystemPromptEvent",
            "MessageEvent",
            "running",
            "MessageEvent",
            "finished"
        ]
    );
    assert_eq!(events[1]["id"], events[2]["value"], "last_user_message_id");
    let mut later = Socket::session(&server, &id, 2).await;
    assert_eq!(later.frame().await["from_seq"], 2);
    assert_eq!(later.frame().await["seq"], 3);
}

#[tokio::test]
async fn an_answer_is_streamed_under_the_id_that_it_will_have() {
    let server = start().await;
    let (_, mut socket) = create_conversation(&server, "hello").await;
    let frames = socket
        .until(|frame| {
            frame["event"]["source"] == "agent" && frame["event"]["kind"] == "MessageEvent"
        })
        .await;
    let id = &frames.last().unwrap()["event"]["id"];
    let pieces: Vec<&Value> = frames
        .iter()
        .filter(|frame| frame["type"] == "delta")
        .collect();
    assert!(pieces.len() > 5 && pieces.iter().all(|piece| piece["item_id"] == *id));
    let text: String = pieces
        .iter()
        .filter_map(|piece| piece["content"].as_str())
        .collect();
    assert_eq!(
        frames.last().unwrap()["event"]["llm_message"]["content"][0]["text"],
        text
    );
}

#[tokio::test]
async fn while_a_tool_runs_only_looking_and_stopping_are_answered() {
    let server = start().await;
    let (id, mut socket) = busy(&server).await;
    let quick = Duration::from_millis(300);
    let wait = |route: &'static str, body: Value| {
        let (server, id) = (&server, id.clone());
        async move {
            timeout(quick, post(server, &id, route, body))
                .await
                .is_err()
        }
    };
    assert!(wait("events", message("and?")).await, "a message waits");
    assert!(wait("pause", json!({})).await, "a pause waits");
    let mut late = Socket::session(&server, &id, -1).await;
    assert!(
        timeout(quick, late.frame()).await.is_err(),
        "a socket says nothing"
    );
    assert_eq!(post(&server, &id, "run", json!({})).await.0, 409);
    let (status, _) = get(&server, &format!("/api/conversations/{id}/events/search")).await;
    assert_eq!(status, 200);

    let asked = Instant::now();
    assert_eq!(post(&server, &id, "interrupt", json!({})).await.0, 200);
    assert!(asked.elapsed() < Duration::from_secs(5));
    let frames = socket
        .until(|frame| frame["event"]["kind"] == "InterruptEvent")
        .await;
    let told: Vec<Value> = frames.iter().map(|frame| frame["event"].clone()).collect();
    let told = outlines(&told);
    assert_eq!(
        told[told.len() - 3..],
        ["AgentErrorEvent", "paused", "InterruptEvent"]
    );
    assert_eq!(late.frame().await["type"], "sync", "now it speaks");
}

#[tokio::test]
async fn a_pause_comes_after_the_step() {
    let server = start().await;
    let (id, mut socket) = create_conversation(&server, "[[scenario:slow:300]]").await;
    socket
        .until(|frame| frame["event"]["kind"] == "ActionEvent")
        .await;
    assert_eq!(post(&server, &id, "pause", json!({})).await.0, 200);
    let frames = socket
        .until(|frame| frame["event"]["kind"] == "PauseEvent")
        .await;
    assert!(
        frames
            .iter()
            .any(|frame| frame["event"]["kind"] == "ObservationEvent")
    );
    post(&server, &id, "run", json!({})).await;
    socket.until_status("finished").await;
}

#[tokio::test]
async fn after_a_crash_the_run_has_failed_and_goes_on_when_asked() {
    let server = start().await;
    let (id, _) = busy(&server).await;
    server.restart(Memory::All);
    let mut socket = Socket::session(&server, &id, -1).await;
    let frames = socket
        .until(|frame| frame["event"]["key"] == "full_state")
        .await;
    let told: Vec<Value> = frames.iter().map(|frame| frame["event"].clone()).collect();
    let told = outlines(&told);
    assert_eq!(told[told.len() - 2..], ["error", "AgentErrorEvent"]);
    post(&server, &id, "run", json!({})).await;
    socket.until_status("finished").await;
}

#[tokio::test]
async fn a_snapshot_grows_with_every_call_of_the_model() {
    let server = start().await;
    let size = async |steps: u32| {
        let (id, mut socket) =
            create_conversation(&server, &format!("[[scenario:long:{steps}]]")).await;
        socket.until_status("finished").await;
        let (_, info) = get(&server, &format!("/api/conversations/{id}")).await;
        info.to_string().len()
    };
    let (few, many) = (size(5).await, size(105).await);
    assert!(many - few > 30_000, "{few} {many}");
}
