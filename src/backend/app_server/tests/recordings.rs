//! Recordings of a real app server: every event is an item or a state, and every answer is understood.

use super::super::dto::{self, Start};
use super::super::sandboxes::Sandboxes;
use crate::backend::agent_server::received;
use crate::backend::{Connection, Runtime};
use crate::conversation::Body;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The lines of all recordings: shortened copies.
fn lines() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/app");
    let entries = std::fs::read_dir(folder).expect("the recordings are there");
    let mut lines = Vec::new();
    for entry in entries {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        lines.extend(
            text.lines()
                .map(|line| serde_json::from_str::<Value>(line).unwrap()),
        );
    }
    assert!(lines.len() > 800, "{} lines", lines.len());
    lines
}

/// Events of the sockets, and of both servers' stores.
fn events(line: &Value) -> Vec<Value> {
    match (&line["frame"], &line["response"]["items"]) {
        (Value::Null, Value::Array(items))
            if line["path"].as_str().unwrap().contains("/events/") =>
        {
            items.clone()
        }
        (Value::Null, _) => Vec::new(),
        (frame, _) => vec![frame.clone()],
    }
}

#[test]
fn every_event_is_an_item_or_a_state() {
    let mut kinds = BTreeMap::<String, usize>::new();
    for event in lines().iter().flat_map(events) {
        let kind = event["kind"].as_str().expect("a kind").to_owned();
        let streamed = kind == "StreamingDeltaEvent";
        let item = received(event.clone(), Some(0), Some(0)).item;
        let is_lost = matches!(item.body, Body::Unknown { .. }) && !streamed;
        assert!(!is_lost, "{event}");
        *kinds.entry(kind).or_default() += 1;
    }
    let wanted = [
        "ActionEvent",
        "AgentErrorEvent",
        "ConversationErrorEvent",
        "ConversationStateUpdateEvent",
        "InterruptEvent",
        "MessageEvent",
        "ObservationEvent",
        "PauseEvent",
        "StreamingDeltaEvent",
        "SystemPromptEvent",
        "UserRejectObservation",
    ];
    assert_eq!(
        kinds.keys().collect::<Vec<_>>(),
        wanted.iter().collect::<Vec<_>>(),
        "{kinds:?}"
    );
}

#[test]
fn every_conversation_of_the_lists_is_read_and_its_key_goes_nowhere() {
    let sandboxes = Sandboxes::of(Connection::at("http://127.0.0.1:3000", None).unwrap());
    let mut runtimes = BTreeSet::new();
    let mut number = 0;
    for line in lines() {
        let answer = match &line["response"] {
            Value::Object(page) => page.get("items").cloned().unwrap_or_default(),
            answer => answer.clone(),
        };
        for entry in answer.as_array().into_iter().flatten() {
            if entry.get("sandbox_status").is_none() {
                continue;
            }
            let mut listed = dto::listed(entry).expect("a conversation");
            let told = listed.info.runtime;
            sandboxes.take(&mut listed);
            number += 1;
            runtimes.insert(format!("{told:?}"));
            assert_eq!(listed.info.id.len(), 36, "one spelling for an id");
            let reached = sandboxes.agent(&listed.info.id).is_some();
            assert_eq!(reached, told == Runtime::Running, "{entry}");
            assert!(!format!("{listed:?}").contains("session-key"), "{listed:?}");
        }
    }
    assert!(number > 20, "{number}");
    assert!(
        runtimes.contains("Paused") && runtimes.contains("Gone"),
        "{runtimes:?}"
    );
}

#[test]
fn every_start_is_under_way_or_over() {
    let mut ends = BTreeMap::<&str, usize>::new();
    for task in lines().iter().filter_map(|line| line.get("task")) {
        let end = match dto::start(task) {
            Start::UnderWay(Runtime::Preparing) => "preparing",
            Start::UnderWay(_) => "starting",
            Start::Ready => "ready",
            Start::Failed(why) => {
                assert!(why.len() > 10, "{task}");
                "failed"
            }
        };
        *ends.entry(end).or_default() += 1;
    }
    let all = ["starting", "preparing", "ready"];
    assert!(all.iter().all(|end| ends[end] >= 8), "{ends:?}");
}

#[test]
fn a_start_that_fails_without_a_reason_says_where_to_look() {
    let task = |request| json!({ "status": "ERROR", "detail": "", "request": request });
    let Start::Failed(why) = dto::start(&task(json!({ "selected_repository": "a/b" }))) else {
        panic!("it failed");
    };
    assert!(why.contains("Git provider"), "{why}");
    let Start::Failed(why) = dto::start(&task(json!({}))) else {
        panic!("it failed");
    };
    assert!(why.contains("log of OpenHands"), "{why}");
}
