//! What a copy and the log make of a timeline, for random cuts of both.

use super::super::copy::merged;
use crate::backend::agent_server::{received, without_key};
use crate::backend::places::EventPlaces;
use crate::backend::{ReceivedEvent, Recorded, ResumePoint};
use crate::conversation::{Body, PositionOffset};
use futures_util::FutureExt;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;

/// A journal as far as positions matter: events once by key, in the order of their arrival.
#[derive(Default)]
struct Journal {
    events: Vec<(i64, Recorded)>,
    complete_to: Option<i64>,
}

impl Journal {
    fn resume_point(&self) -> ResumePoint {
        let events = self.events.clone();
        ResumePoint {
            after: self.complete_to,
            newest: events.iter().map(|(pos, _)| *pos).max(),
            offset: PositionOffset::default(),
            recorded: Arc::new(move |pos| {
                let found = events.iter().rev().find(|(at, _)| *at == pos);
                std::future::ready(found.map(|(_, recorded)| recorded.clone())).boxed()
            }),
        }
    }

    fn take(&mut self, events: Vec<ReceivedEvent>) {
        for ReceivedEvent { item, .. } in events {
            let Some(key) = item.key else { continue };
            if self.events.iter().all(|(_, known)| known.key != key) {
                let at = item.at.millis;
                let pos = item.pos.expect("a position");
                self.events.push((pos, Recorded { key, at }));
            }
        }
    }

    /// Keys in the order of the page: by position, then by arrival.
    fn timeline(&self) -> Vec<String> {
        let mut events = self.events.clone();
        events.sort_by_key(|(pos, _)| *pos);
        events.into_iter().map(|(_, one)| one.key).collect()
    }
}

/// Events of a log. Some have the same time.
fn log(dice: &mut StdRng) -> Vec<Value> {
    let count = dice.random_range(5..60);
    let mut at = 0;
    let event = |number| {
        at += dice.random_range(0..3) * 7;
        let (minute, second, milli) = (at / 60_000, at / 1000 % 60, at % 1000);
        json!({
            "id": format!("{number:08x}-0000-4000-8000-000000000000"),
            "kind": "MessageEvent", "source": "agent",
            "timestamp": format!("2026-11-25T10:{minute:02}:{second:02}.{milli:03}"),
            "llm_message": { "role": "assistant", "content": [{ "type": "text", "text": "x" }] },
        })
    };
    (0..count).map(event).collect()
}

/// What the app server has of the first events: groups of five, some lost, between streamed text.
fn copy(log: &[Value], dice: &mut StdRng, lost: &[bool]) -> Vec<Value> {
    let groups = log.chunks(5).zip(lost).filter(|(_, lost)| !**lost);
    let mut copied = Vec::new();
    for (group, _) in groups {
        for event in group {
            if dice.random_bool(0.3) {
                copied.push(json!({ "id": "d", "kind": "StreamingDeltaEvent", "timestamp": event["timestamp"] }));
            }
            copied.push(event.clone());
        }
    }
    copied
}

/// Reads the log from where it is complete, as a connection does that lives until the `end` of the log.
async fn read_log(journal: &mut Journal, log: &[Value]) {
    let resume = journal.resume_point();
    let after = resume.after.unwrap_or(-1);
    let key = (resume.recorded)(after).await.map(|known| known.key);
    let place = log
        .iter()
        .position(|event| Some(event["id"].as_str().unwrap()) == key.as_deref());
    let from = place.map_or(0, |place| place + 1);
    let mut places = EventPlaces::behind(&resume, after, i64::MIN).await;
    let events = log[from..].iter().zip(after + 1..).map(|(event, rank)| {
        let mut event = received(event.clone(), Some(0), Some(rank));
        places.assign(&mut event);
        event
    });
    journal.take(events.collect());
    journal.complete_to = journal.events.iter().map(|(pos, _)| *pos).max();
}

async fn read_copy(journal: &mut Journal, copied: Vec<Value>, is_gone: bool) {
    let resume = journal.resume_point();
    let places = EventPlaces::behind(&resume, -1, i64::MIN).await;
    journal.take(merged(copied, places, &resume, Some(0), is_gone));
}

#[tokio::test]
async fn copy_and_log_make_the_same_timeline_wherever_both_are_cut() {
    for seed in 0..1_000 {
        let mut dice = StdRng::seed_from_u64(seed);
        let log = log(&mut dice);
        let lost: Vec<bool> = log.chunks(5).map(|_| dice.random_bool(0.25)).collect();
        let keys: Vec<&str> = log
            .iter()
            .map(|event| event["id"].as_str().unwrap())
            .collect();
        let mut journal = Journal::default();
        let mut through = 0;
        for _ in 0..dice.random_range(1..5) {
            through = dice.random_range(through..=log.len());
            match dice.random_bool(0.4) {
                true => read_log(&mut journal, &log[..through]).await,
                false => {
                    let copied = copy(&log[..through], &mut dice, &lost);
                    read_copy(&mut journal, copied, false).await;
                }
            }
            let timeline = journal.timeline();
            let mut rest = keys.iter();
            assert!(
                timeline.iter().all(|key| rest.any(|known| known == key)),
                "seed {seed}: not in the order of the log, or doubled: {timeline:?}"
            );
        }
        read_log(&mut journal, &log).await;
        assert_eq!(journal.timeline(), keys, "seed {seed}");
        let copied = copy(&log, &mut dice, &lost);
        read_copy(&mut journal, copied, true).await;
        assert_eq!(journal.timeline(), keys, "seed {seed}: a copy adds nothing");
    }
}

async fn told(copied: &[Value], is_gone: bool) -> Vec<ReceivedEvent> {
    let resume = Journal::default().resume_point();
    let places = EventPlaces::behind(&resume, -1, i64::MIN).await;
    merged(copied.to_vec(), places, &resume, Some(0), is_gone)
}

#[tokio::test]
async fn a_hole_in_what_is_left_of_a_sandbox_is_told_once_and_at_its_end() {
    let status = |id: &str, status: &str| {
        json!({
            "id": id, "kind": "ConversationStateUpdateEvent", "timestamp": "2026-11-25T10:00:01",
            "key": "execution_status", "value": status,
        })
    };
    let result = json!({
        "id": "r", "kind": "ObservationEvent", "action_id": "a", "timestamp": "2026-11-25T10:00:02",
        "observation": { "kind": "TerminalObservation" },
    });
    let call = json!({ "id": "a", "kind": "ActionEvent", "timestamp": "2026-11-25T10:00:01", "action": {} });
    let end = status("z", "finished");
    for (copied, is_cut) in [
        (vec![status("s", "running")], true),
        (vec![status("s", "running"), end.clone()], false),
        (vec![result.clone(), end.clone()], true),
        (vec![call, result, end], false),
        (vec![], false),
    ] {
        let gone = told(&copied, true).await;
        let notices = |event: &&ReceivedEvent| matches!(event.item.body, Body::Lost { .. });
        assert_eq!(gone.iter().filter(notices).count(), usize::from(is_cut));
        assert!(!is_cut || gone.last().as_ref().is_some_and(notices));
        let paused = told(&copied, false).await;
        assert_eq!(
            paused.iter().filter(notices).count(),
            0,
            "the log will tell"
        );
    }
}

#[test]
fn a_key_that_an_agent_prints_is_hidden() {
    let key = "sandbox-0123456789abcdef";
    let event = json!({ "id": "a", "observation": { "text": format!("KEY={key}\n") } });
    let hidden = without_key(event.clone(), Some(key));
    assert_eq!(hidden["observation"]["text"], "KEY=(hidden)\n");
    assert_eq!(
        without_key(event.clone(), Some("a")),
        event,
        "too short for a key"
    );
}

#[tokio::test]
async fn the_beginning_of_an_unknown_conversation_comes_from_a_snapshot() {
    let snapshot = json!({
        "id": "f", "kind": "ConversationStateUpdateEvent", "timestamp": "2026-11-25T10:00:00", "key": "full_state",
        "value": { "confirmation_policy": { "kind": "AlwaysConfirm" }, "secret_registry": { "TOKEN": "hunter2" } },
    });
    let events = told(&[snapshot.clone(), snapshot], false).await;
    assert_eq!(events.len(), 1);
    assert!(events[0].raw.contains("AlwaysConfirm") && !events[0].raw.contains("hunter2"));
    let keys: HashSet<_> = events
        .iter()
        .filter_map(|event| event.item.key.clone())
        .collect();
    assert!(keys.is_empty(), "a snapshot is no event of the log");
}

#[tokio::test]
async fn a_snapshot_that_is_no_object_is_no_beginning() {
    for value in [json!([1]), json!("text"), json!(null)] {
        let snapshot = json!({
            "id": "s", "kind": "ConversationStateUpdateEvent", "timestamp": "2026-11-25T10:00:00",
            "key": "full_state", "value": value,
        });
        assert!(told(&[snapshot], false).await.is_empty());
    }
}
