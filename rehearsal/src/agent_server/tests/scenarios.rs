//! Every scenario, played to its end.

use super::super::super::scripts::SCENARIOS;
use super::super::super::tests::shapes;
use super::*;
use std::collections::BTreeSet;

/// Plays a scenario to its end and approves everything. Returns the stored events, as far as they are JSON that a
/// client can parse.
async fn played(server: &Rehearsal, name: &str) -> Vec<Value> {
    let number = match name {
        "long" => ":30",
        "slow" | "silence" => ":1",
        _ => "",
    };
    let (id, mut socket) =
        create_conversation(server, &format!("[[scenario:{name}{number}]]")).await;
    let mut told = Vec::new();
    for _ in 0..12 {
        let rests = |frame: &Value| {
            let event = &frame["event"];
            event["key"] == "execution_status"
                && ["finished", "error", "stuck", "waiting_for_confirmation"]
                    .contains(&event["value"].as_str().unwrap_or_default())
        };
        let frames = socket.until(rests).await;
        let status = frames.last().unwrap()["event"]["value"].clone();
        let is_done = frames
            .iter()
            .any(|frame| frame["event"]["action"]["kind"] == "FinishAction");
        let stored = frames
            .into_iter()
            .filter(|frame| frame["type"] == "durable");
        told.extend(stored.map(|mut frame| frame["event"].take()));
        match status.as_str() {
            Some("waiting_for_confirmation") => {
                let yes = json!({"accept": true});
                post(server, &id, "events/respond_to_confirmation", yes).await;
            }
            _ if is_done => break,
            Some("finished") => drop(post(server, &id, "events", message("Go on.")).await),
            _ => drop(post(server, &id, "run", json!({})).await),
        }
    }
    told
}

#[tokio::test]
async fn every_scenario_is_played_to_its_end() {
    let server = start().await;
    // A large file exceeds the frame size: see below.
    for (name, _) in SCENARIOS.into_iter().filter(|(name, _)| *name != "big") {
        let events = played(&server, name).await;
        let rests = |event: &&Value| event["key"] == "execution_status";
        assert!(events.iter().any(|event| rests(&event)), "{name}");
        assert!(events.len() > 3, "{name} has {} events", events.len());
        // These two consist of events that no server sends.
        if !["unknown", "hostile"].contains(&name) {
            let wrong: BTreeSet<_> = events.iter().flat_map(differences).collect();
            assert!(wrong.is_empty(), "{name}: {wrong:#?}");
        }
    }
}

/// How an event differs from all recorded events of its kind.
fn differences(event: &Value) -> Vec<String> {
    let mut name = event["kind"].as_str().unwrap_or_default().to_owned();
    for part in [&event["action"]["kind"], &event["observation"]["kind"]] {
        if let Some(kind) = part.as_str() {
            name += &format!(" {kind}");
        }
    }
    if name == "ConversationStateUpdateEvent" {
        name += &format!(" {}", event["key"].as_str().unwrap_or_default());
    }
    // Images in a cell: no recorded terminal printed one.
    shapes::differences(
        "v1_events",
        &name,
        event,
        &["observation.content[].image_urls"],
    )
}

#[tokio::test]
async fn a_frame_that_is_too_large_ends_the_socket_and_is_found_in_pages() {
    let server = start().await;
    let (id, mut socket) = create_conversation(&server, "[[scenario:big]]").await;
    socket.until(|frame| *frame == 1013).await;
    let path = format!("/api/conversations/{id}/events/search?kind=ActionEvent&limit=1");
    let (_, page) = get(&server, &path).await;
    let written = &page["items"][0]["action"]["file_text"];
    assert!(written.as_str().unwrap().len() > 2_000_000);
}
