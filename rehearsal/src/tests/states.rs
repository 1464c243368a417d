//! Pause, stop, errors, and what resumes an agent.

use super::client::Client;
use super::{call, outline, ready, start};
use serde_json::{Value, json};

fn is_run(event: &Value) -> bool {
    event["action"] == "run"
}

#[tokio::test]
async fn resuming_after_the_command_has_ended_wakes_nobody_but_a_message_does() {
    let server = start().await;
    let (_, mut client) = ready(&server).await;
    client.say("[[scenario:slow:1500]]").await;
    client.until(is_run).await;
    client.wish("paused").await;
    client.until_state("paused").await;
    client.until(|event| event["observation"] == "run").await;
    client.wish("running").await;
    client.until_state("running").await;
    // A requested state is handled before the agent's own next step.
    client.wish("running").await;
    let echo = client.payload().await;
    assert_eq!(
        echo["action"], "change_agent_state",
        "only the wish is echoed, no state and no step"
    );
    assert!(client.is_silent());
    client.say("Go on.").await;
    client.until(is_run).await;
}

#[tokio::test]
async fn stopping_during_a_command_reports_it_as_not_executed_and_its_output_comes_later() {
    let server = start().await;
    let (_, mut client) = ready(&server).await;
    client.say("[[scenario:slow:1500]]").await;
    let command = client.until(is_run).await.pop().unwrap()["id"].clone();
    client.wish("stopped").await;
    let events = client.until_state("stopped").await;
    let error = &events[1];
    assert_eq!(
        error["extras"]["error_id"],
        "AGENT_ERROR$ERROR_ACTION_NOT_EXECUTED_STOPPED"
    );
    assert_eq!(error["cause"], command);
    let late = client.payload().await;
    assert_eq!(
        (&late["observation"], &late["cause"]),
        (&json!("run"), &command)
    );
    client.say("Are you there?").await;
    client.until_state("running").await;
}

#[tokio::test]
async fn an_llm_error_has_a_reason_and_a_status_and_a_message_goes_on() {
    let server = start().await;
    let (_, mut client) = ready(&server).await;
    client.say("[[scenario:error500]]").await;
    let mut events = client.until_state("error").await;
    let state = events.pop().unwrap();
    assert_eq!(
        state["extras"]["reason"],
        "STATUS$ERROR_LLM_INTERNAL_SERVER_ERROR"
    );
    let status = events.pop().unwrap();
    let expected = json!({
        "status_update": true, "type": "error", "id": "STATUS$ERROR_LLM_INTERNAL_SERVER_ERROR",
        "message": "STATUS$ERROR_LLM_INTERNAL_SERVER_ERROR",
    });
    assert_eq!(status, expected);
    client.say("Please try again.").await;
    client.until_state("finished").await;
}

#[tokio::test]
async fn rate_limited_has_no_reason_and_no_status() {
    let server = start().await;
    let (_, mut client) = ready(&server).await;
    client.say("[[scenario:error429]]").await;
    let events = client.until_state("rate_limited").await;
    assert_eq!(events.last().unwrap()["extras"]["reason"], "");
    assert!(events.iter().all(|event| event["type"] != "error"));
}

#[tokio::test]
async fn a_wish_in_the_wrong_case_is_stored_and_the_agent_hangs_in_it() {
    let server = start().await;
    let (_, mut client) = ready(&server).await;
    client.wish("PAUSED").await;
    client.until_state("PAUSED").await;
    client.wish("awaiting_user_input").await;
    client.until_state("awaiting_user_input").await;
}

#[tokio::test]
async fn an_observation_of_the_client_poisons_the_conversation() {
    let server = start().await;
    let (_, mut client) = ready(&server).await;
    client
        .emit(json!({"observation": "success", "content": "sent by the client", "extras": {}}))
        .await;
    client.say("Hello?").await;
    let state = client.until_state("error").await.pop().unwrap();
    assert!(
        state["extras"]["reason"]
            .as_str()
            .unwrap()
            .contains("ValueError")
    );
}

#[tokio::test]
async fn after_its_script_the_agent_says_honestly_what_it_is() {
    let server = start().await;
    let (_, mut client) = ready(&server).await;
    client.say("[[scenario:hello]]").await;
    client.until_state("awaiting_user_input").await;
    client.say("Thanks.").await;
    client.until_state("finished").await;
    client.say("Now write me an operating system.").await;
    let events = client.until_state("awaiting_user_input").await;
    let said = events[events.len() - 2]["args"]["content"]
        .as_str()
        .unwrap();
    assert!(
        said.contains("nothing is executed") && said.contains("- Tour: a bit of everything\n"),
        "{said}"
    );
}

#[tokio::test]
async fn a_rest_stop_ends_the_sessions_first_and_a_join_resumes() {
    let server = start().await;
    let (id, mut client) = ready(&server).await;
    let (_, body) = call(
        &server,
        "POST",
        &format!("/api/conversations/{id}/stop"),
        None,
    )
    .await;
    assert_eq!(body["conversation_status"], "RUNNING", "the status before");
    assert_eq!(client.text().await, "41", "the last state is not received");
    client.send("40").await;
    assert_eq!(
        client.text().await,
        "44\"Unable to connect\"",
        "the WebSocket stays open"
    );

    let mut again = Client::join(&server, &id, 3).await;
    let events: Vec<_> = again
        .until_state("awaiting_user_input")
        .await
        .iter()
        .map(outline)
        .collect();
    assert_eq!(events.first().unwrap(), "5 agent_state_changed loading");
    assert_eq!(
        events.last().unwrap(),
        "7 agent_state_changed awaiting_user_input"
    );
}

#[tokio::test]
async fn one_conversation_too_many_closes_the_oldest() {
    let server = start().await;
    let (_, mut oldest) = ready(&server).await;
    for _ in 0..3 {
        ready(&server).await;
    }
    let status = oldest
        .until(|event| event["type"] == "error")
        .await
        .pop()
        .unwrap();
    assert_eq!(status["id"], "AGENT_ERROR$TOO_MANY_CONVERSATIONS");
    assert_eq!(oldest.text().await, "41");
}

#[tokio::test]
async fn a_message_forgets_a_command_that_still_runs() {
    let server = start().await;
    let (_, mut client) = ready(&server).await;
    client.say("[[scenario:slow:1500]]").await;
    client.until(is_run).await;
    client.say("Never mind. [[scenario:hello]]").await;
    client.until_state("awaiting_user_input").await;
    let late = client.payload().await;
    assert_eq!(late["observation"], "run", "its output comes when it comes");
    assert!(client.is_silent(), "and changes nothing");
}
