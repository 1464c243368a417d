//! Approvals, and how easily they are given by accident.

use super::*;

const COMMAND: &str = "run echo HIGH risk";

async fn waiting(server: &Rehearsal) -> (String, Socket, Vec<Value>) {
    let (id, mut socket) = create_conversation(server, "[[scenario:risk]]").await;
    let events = socket.until_status("waiting_for_confirmation").await;
    (id, socket, events)
}

#[tokio::test]
async fn what_waits_is_told_before_the_status_and_judged() {
    let server = start().await;
    let (id, _, events) = waiting(&server).await;
    let told = outlines(&events);
    assert_eq!(
        told[told.len() - 3..],
        [
            "TerminalAction",
            "SecurityAnalysisEvent",
            "waiting_for_confirmation"
        ]
    );
    assert_eq!(events[events.len() - 3]["security_risk"], "HIGH");
    assert_eq!(server.stats().executed(&id, COMMAND), 0);
}

#[tokio::test]
async fn anything_that_is_said_while_something_waits_is_a_yes() {
    let server = start().await;
    for way in ["message", "run", "socket"] {
        let (id, mut socket, _) = waiting(&server).await;
        let no = message("Please do not run anything.");
        match way {
            "message" => assert_eq!(post(&server, &id, "events", no).await.0, 200),
            "run" => assert_eq!(post(&server, &id, "run", json!({})).await.0, 200),
            _ => socket.say(no).await,
        }
        socket
            .until(|frame| frame["event"]["kind"] == "ObservationEvent")
            .await;
        assert_eq!(server.stats().executed(&id, COMMAND), 1, "{way}");
    }
}

#[tokio::test]
async fn pausing_and_stopping_change_nothing_while_something_waits() {
    let server = start().await;
    let (id, _, _) = waiting(&server).await;
    for route in ["pause", "interrupt"] {
        assert_eq!(post(&server, &id, route, json!({})).await.0, 200);
    }
    let (_, info) = get(&server, &format!("/api/conversations/{id}")).await;
    assert_eq!(info["execution_status"], "waiting_for_confirmation");
}

#[tokio::test]
async fn a_no_ends_the_run_and_says_why() {
    let server = start().await;
    let (id, mut socket, _) = waiting(&server).await;
    let body = json!({"accept": false, "reason": "Too dangerous"});
    assert_eq!(
        post(&server, &id, "events/respond_to_confirmation", body)
            .await
            .0,
        200
    );
    let frames = socket
        .until(|frame| frame["event"]["kind"] == "UserRejectObservation")
        .await;
    let rejected = &frames.last().unwrap()["event"];
    assert_eq!(rejected["rejection_reason"], "Too dangerous");
    assert!(frames.iter().any(|frame| frame["event"]["value"] == "idle"));
    // Nothing is pending any more: an answer succeeds and has no effect.
    let late = json!({"accept": true});
    assert_eq!(
        post(&server, &id, "events/respond_to_confirmation", late)
            .await
            .0,
        200
    );
    assert_eq!(server.stats().executed(&id, COMMAND), 0);
    assert_eq!(server.stats().answers[&id], [false, true]);
    post(&server, &id, "run", json!({})).await;
    socket.until_status("waiting_for_confirmation").await;
    assert_eq!(server.stats().executed(&id, COMMAND), 0);
}

#[tokio::test]
async fn one_answer_is_for_all_that_waits_side_by_side() {
    let server = start().await;
    let (id, mut socket) = create_conversation(&server, "[[scenario:parallel]]").await;
    let events = socket.until_status("waiting_for_confirmation").await;
    let calls: Vec<&Value> = events
        .iter()
        .filter(|event| event["kind"] == "ActionEvent")
        .collect();
    assert_eq!(calls.len(), 3);
    let response = &calls[0]["llm_response_id"];
    assert!(
        calls
            .iter()
            .all(|call| call["llm_response_id"] == *response)
    );
    post(
        &server,
        &id,
        "events/respond_to_confirmation",
        json!({"accept": true}),
    )
    .await;
    let done = socket.until_status("finished").await;
    let results: Vec<&Value> = done
        .iter()
        .filter(|event| event["kind"] == "ObservationEvent")
        .map(|event| &event["action_id"])
        .collect();
    let ids: Vec<&Value> = calls.iter().map(|call| &call["id"]).collect();
    assert_eq!(results[..3], ids);
}

#[tokio::test]
async fn another_rule_is_told_and_kept() {
    let server = start().await;
    let (id, mut socket) = create_conversation(&server, "[[scenario:hello]]").await;
    socket.until_status("finished").await;
    let bad = json!({"policy": {"kind": "NoSuchPolicy"}});
    assert_eq!(post(&server, &id, "confirmation_policy", bad).await.0, 422);
    let always = json!({"policy": {"kind": "AlwaysConfirm"}});
    assert_eq!(
        post(&server, &id, "confirmation_policy", always).await.0,
        200
    );
    let nobody = json!({"security_analyzer": null});
    assert_eq!(post(&server, &id, "security_analyzer", nobody).await.0, 200);
    let frames = socket
        .until(|frame| frame["event"]["key"] == "security_analyzer")
        .await;
    assert_eq!(
        frames.last().unwrap()["event"].get("value"),
        None,
        "null is left out"
    );
    post(&server, &id, "events", message("[[scenario:tools]]")).await;
    let events = socket.until_status("waiting_for_confirmation").await;
    let call = events
        .iter()
        .rev()
        .find(|event| event["kind"] == "ActionEvent");
    assert_eq!(call.unwrap()["security_risk"], "UNKNOWN");
}
