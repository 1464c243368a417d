//! Every scenario of the rehearsal, read like a real server.

use super::*;
use crate::backend::rehearsal::SCENARIOS;
use crate::conversation::{Card, LogItem, Timeline, Tool};

/// Plays a scenario to its end, approving everything, and returns all events.
async fn played(name: &str) -> Vec<LogItem> {
    let number = match name {
        "long" => ":30",
        "slow" | "silence" => ":1",
        _ => "",
    };
    let (_rehearsal, backend, id) =
        create_conversation(&format!("[[scenario:{name}{number}]]")).await;
    let mut connection = hold_from(&backend, &id, holding(None));
    let kept = Kept::default();
    for _ in 0..12 {
        let behind = kept.newest();
        let rests = |pos: i64, event: &ReceivedEvent| match &event.item.body {
            Body::Status { status, .. } if Some(pos) > behind => match status {
                Status::Finished | Status::Error | Status::Stuck | Status::AwaitingConfirmation => {
                    Some(status.clone())
                }
                _ => None,
            },
            _ => None,
        };
        let resting = |kept: &BTreeMap<i64, ReceivedEvent>| {
            kept.iter()
                .rev()
                .find_map(|(pos, event)| rests(*pos, event))
        };
        kept.until(&mut connection, |kept| resting(kept).is_some())
            .await;
        let status = resting(&kept.0.lock().unwrap());
        let is_finish = |event: &ReceivedEvent| matches!(&event.item.body, Body::Call(call) if matches!(call.tool, Tool::Finish { .. }));
        let is_done = kept.0.lock().unwrap().values().any(is_finish);
        let order = match status {
            Some(Status::AwaitingConfirmation) => Command::Approve { keys: kept.calls() },
            _ if is_done => break,
            Some(Status::Finished) => say("Go on."),
            _ => Command::Resume,
        };
        assert_eq!(connection.order(order).await, Delivery::Confirmed, "{name}");
    }
    let kept = kept.0.lock().unwrap();
    kept.values().map(|event| event.item.clone()).collect()
}

#[tokio::test]
async fn every_scenario_is_understood() {
    for (name, _) in SCENARIOS {
        let rows = Timeline::of(played(name).await).rows();
        let unknown = rows
            .iter()
            .filter(|row| matches!(row.card, Card::Unknown { .. }));
        let expected = ["unknown", "hostile"].contains(&name);
        assert_eq!(unknown.count() > 0, expected, "{name}");
        let orphans = rows
            .iter()
            .filter(|row| matches!(row.card, Card::Orphan(_)));
        assert_eq!(orphans.count(), 0, "{name}");
        assert!(rows.len() > 2, "{name}");
    }
}
