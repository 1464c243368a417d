//! Every scenario, played to its end, and read as Handrail reads a real server.

use super::super::super::scripts::SCENARIOS;
use super::*;
use crate::conversation::{Card, LogItem, Timeline, from_v1};
use crate::wire::v1::Event;

/// Plays a scenario until its work is done, saying yes to everything; what is stored, as far as it is JSON that a client
/// reads.
async fn played(server: &Rehearsal, name: &str) -> Vec<Value> {
    let number = match name {
        "long" => ":30",
        "slow" | "silence" => ":1",
        _ => "",
    };
    let (id, mut socket) = begin(server, &format!("[[scenario:{name}{number}]]")).await;
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
async fn every_scenario_is_played_to_its_end_and_understood() {
    let server = start().await;
    // A large file is too much for one frame: see below.
    for (name, _) in SCENARIOS.into_iter().filter(|(name, _)| *name != "big") {
        let events = played(&server, name).await;
        let items: Vec<LogItem> = (0..)
            .zip(events)
            .map(|(seq, event)| from_v1::item(&Event::read(event), Some(seq), Some(0)))
            .collect();
        let rows = Timeline::of(items).rows();
        let unknown = rows
            .iter()
            .filter(|row| matches!(row.card, Card::Unknown { .. }))
            .count();
        let expected = match name {
            // Its own point.
            "unknown" => unknown.max(1),
            _ => 0,
        };
        assert_eq!(unknown, expected, "{name}");
        let orphans = rows
            .iter()
            .filter(|row| matches!(row.card, Card::Orphan(_)));
        assert_eq!(orphans.count(), 0, "{name}");
        assert!(rows.len() > 2, "{name}");
    }
}

#[tokio::test]
async fn a_frame_that_is_too_large_ends_the_socket_and_is_found_in_pages() {
    let server = start().await;
    let (id, mut socket) = begin(&server, "[[scenario:big]]").await;
    socket.until(|frame| *frame == 1013).await;
    let path = format!("/api/conversations/{id}/events/search?kind=ActionEvent&limit=1");
    let (_, page) = call(&server, "GET", &path, None).await;
    let written = &page["items"][0]["action"]["file_text"];
    assert!(written.as_str().unwrap().len() > 2_000_000);
}
