//! Every scenario runs to its end, and its events have the shape of the real server's.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::Rehearsal;
use super::super::scripts::SCENARIOS;
use super::{call, ready, shapes, start};

/// Plays a scenario with approvals and messages until the agent has finished; returns all stored events.
async fn play(server: &Rehearsal, scenario: &str) -> Vec<Value> {
    let (id, mut client) = ready(server).await;
    client.say(&format!("[[scenario:{scenario}]]")).await;
    loop {
        let text = client.text().await;
        let state = |name: &str| text.contains(&format!("\"agent_state\":\"{name}\""));
        if !text.contains("\"observation\":\"agent_state_changed\"") {
            continue;
        } else if state("awaiting_user_confirmation") {
            client.wish("user_confirmed").await;
        } else if state("awaiting_user_input") || state("error") || state("rate_limited") {
            client.say("Go on.").await;
        } else if state("finished") && scenario != "delegate" || state("stopped") {
            break;
        }
    }
    let conversation = server.faults().world.find(&id).expect("it exists");
    call(
        server,
        "POST",
        &format!("/api/conversations/{id}/stop"),
        None,
    )
    .await;
    conversation.events(0, i64::MAX, false, usize::MAX).0
}

/// The scenarios whose events are not compared, each with the reason. Every event of the others has a recorded kind.
const INVENTED: [(&str, &str); 2] = [
    ("unknown", "no server sends its kinds and fields"),
    (
        "hostile",
        "no server sends arguments that are nested a thousand times",
    ),
];

/// How an event differs from all recorded events of its kind.
fn differences(event: &Value) -> Vec<String> {
    let name = match event["action"].as_str() {
        Some(name) => format!("action:{name}"),
        None => format!(
            "observation:{}",
            event["observation"].as_str().unwrap_or_default()
        ),
    };
    // `timeout` appears at random in the real stream.
    let ignored = [
        "tool_call_metadata",
        "llm_metrics",
        "timeout",
        // The arguments of tools are arbitrary.
        "args.arguments.",
        "extras.arguments.",
    ];
    shapes::differences("v0_events", &name, event, &ignored)
}

#[tokio::test]
async fn the_events_of_every_scenario_have_the_recorded_shape() {
    let server = start().await;
    for (name, _) in SCENARIOS {
        let scenario = match name {
            "slow" => "slow:10",
            "silence" => "silence:10",
            name => name,
        };
        let events = play(&server, scenario).await;
        assert!(events.len() > 8, "{scenario} has {} events", events.len());
        if !INVENTED.iter().any(|(invented, _)| *invented == name) {
            let wrong: BTreeSet<_> = events.iter().flat_map(differences).collect();
            assert!(wrong.is_empty(), "{scenario}: {wrong:#?}");
        }
    }
}

#[tokio::test]
async fn a_thousand_steps_take_no_time_without_a_pace() {
    let server = start().await;
    let events = play(&server, "long:1000").await;
    assert!(events.len() > 2_000, "{}", events.len());
    let ids: Vec<_> = events
        .iter()
        .filter_map(|event| event["id"].as_i64())
        .collect();
    assert_eq!(ids, Vec::from_iter(0..events.len() as i64));
}
