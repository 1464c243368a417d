//! Approvals: which actions wait, which do not, and the effect of an answer.

use serde_json::{Value, json};

use super::client::Client;
use super::{outline, ready, start};

const WAITS: &str = "awaiting_user_confirmation";

fn outlines(events: &[Value]) -> Vec<String> {
    events
        .iter()
        .filter(|event| event["id"].is_i64())
        .map(outline)
        .collect()
}

/// All events up to and including the next pending action.
async fn until_asked(client: &mut Client) -> Vec<Value> {
    let mut events = client.until_state(WAITS).await;
    events.push(client.payload().await);
    events
}

#[tokio::test]
async fn a_confirmed_command_is_emitted_again_and_executed_once() {
    let server = start().await;
    let (id, mut client) = ready(&server).await;
    client.say("[[scenario:confirm]]").await;
    let asked = until_asked(&mut client).await;
    let first = asked.last().unwrap()["id"].as_i64().unwrap();
    assert_eq!(
        asked.last().unwrap()["args"]["confirmation_state"],
        "awaiting_confirmation"
    );
    assert_eq!(asked.last().unwrap()["args"]["security_risk"], -1);
    assert_eq!(
        server.stats().executed(&id, "run echo \"confirm me\""),
        0,
        "it waits"
    );

    client.wish("user_confirmed").await;
    let answered = client.until_state("running").await;
    let expected = [
        format!("{} change_agent_state user_confirmed", first + 1),
        format!("{} run confirmed", first + 2),
        format!("{} agent_state_changed user_confirmed", first + 3),
        format!("{} run", first + 4),
        format!("{} agent_state_changed running", first + 5),
    ];
    assert_eq!(outlines(&answered), expected);
    assert_eq!(answered[1]["args"]["thought"], "");
    assert_eq!(
        answered[3]["cause"],
        first + 2,
        "the observation belongs to the copy"
    );
    assert_eq!(server.stats().executed(&id, "run echo \"confirm me\""), 1);
}

#[tokio::test]
async fn a_rejected_command_is_never_executed() {
    let server = start().await;
    let (id, mut client) = ready(&server).await;
    client.say("[[scenario:confirm]]").await;
    let first = until_asked(&mut client).await.last().unwrap()["id"]
        .as_i64()
        .unwrap();
    client.wish("user_rejected").await;
    let answered = client.until_state("awaiting_user_input").await;
    let expected = [
        format!("{} change_agent_state user_rejected", first + 1),
        format!("{} run rejected", first + 2),
        format!("{} user_rejected", first + 4),
        format!("{} agent_state_changed user_rejected", first + 3),
        format!("{} agent_state_changed awaiting_user_input", first + 5),
    ];
    assert_eq!(
        outlines(&answered),
        expected,
        "the observation overtakes the state"
    );
    assert_eq!(server.stats().executed(&id, "run echo \"confirm me\""), 0);
}

#[tokio::test]
async fn edits_happen_before_the_answer_and_again_after_it() {
    let server = start().await;
    let (id, mut client) = ready(&server).await;
    client.say("[[scenario:confirm]]").await;
    for _ in 0..2 {
        until_asked(&mut client).await;
        client.wish("user_confirmed").await;
    }
    until_asked(&mut client).await;
    let at_once = client.payload().await;
    assert_eq!(at_once["observation"], "edit");
    assert!(
        at_once["content"]
            .as_str()
            .unwrap()
            .starts_with("File created successfully"),
        "{at_once}"
    );

    client.wish("user_confirmed").await;
    let answered = client.until_state("running").await;
    let second = answered
        .iter()
        .find(|event| event["observation"] == "edit")
        .unwrap();
    assert!(
        second["content"].as_str().unwrap().starts_with("ERROR:\n"),
        "{second}"
    );
    assert!(
        second["content"]
            .as_str()
            .unwrap()
            .contains("File already exists"),
        "{second}"
    );
    assert_eq!(
        server
            .stats()
            .executed(&id, "edit create /workspace/confirm.txt"),
        2
    );
}

#[tokio::test]
async fn a_message_instead_of_an_answer_drops_the_action_silently() {
    let server = start().await;
    let (id, mut client) = ready(&server).await;
    client.say("[[scenario:confirm]]").await;
    until_asked(&mut client).await;
    client.say("Why do you want that?").await;
    let events = until_asked(&mut client).await;
    assert!(
        events
            .iter()
            .all(|event| event["observation"] != "user_rejected" && event["observation"] != "run")
    );
    assert_eq!(events.last().unwrap()["action"], "run_ipython");
    assert_eq!(server.stats().executed(&id, "run echo \"confirm me\""), 0);
}

#[tokio::test]
async fn only_high_risk_asks_in_the_risk_scenario() {
    let server = start().await;
    let (id, mut client) = ready(&server).await;
    client.say("[[scenario:risk]]").await;
    let asked = until_asked(&mut client).await;
    assert_eq!(asked.last().unwrap()["args"]["security_risk"], 2);
    let stats = server.stats();
    let ran =
        ["low", "medium", "HIGH"].map(|risk| stats.executed(&id, &format!("run echo {risk} risk")));
    assert_eq!(ran, [1, 1, 0]);
}

#[tokio::test]
async fn the_end_of_the_tour_says_what_was_decided() {
    let server = start().await;
    for (answer, word) in [
        ("user_confirmed", "**approved**"),
        ("user_rejected", "**rejected**"),
    ] {
        let (id, mut client) = ready(&server).await;
        client.say("Please show me something.").await;
        until_asked(&mut client).await;
        client.wish(answer).await;
        client.until_state("awaiting_user_input").await;
        client.say("Go on.").await;
        let finish = loop {
            let events = client.until(|event| {
                event["extras"]["agent_state"] == "awaiting_user_input"
                    || event["action"] == "finish"
            });
            match events.await.pop() {
                Some(finish) if finish["action"] == "finish" => break finish,
                _ => client.say("Finish.").await,
            }
        };
        let said = finish["args"]["final_thought"].as_str().unwrap();
        assert!(
            said.contains(word) && said.contains("run rm -rf build"),
            "{said}"
        );
        let executed = u32::from(answer == "user_confirmed");
        assert_eq!(server.stats().executed(&id, "run rm -rf build"), executed);
    }
}

#[tokio::test]
async fn with_confirmation_switched_off_the_tour_asks_nothing() {
    let server = start().await;
    super::call(
        &server,
        "POST",
        "/api/settings",
        Some(json!({"confirmation_mode": false})),
    )
    .await;
    let (id, mut client) = ready(&server).await;
    client.say("[[scenario:tour]]").await;
    let events = client.until_state("awaiting_user_input").await;
    assert!(
        events
            .iter()
            .all(|event| event["extras"]["agent_state"] != WAITS)
    );
    assert_eq!(server.stats().executed(&id, "run rm -rf build"), 1);
}
