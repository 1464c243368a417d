//! Every scenario runs to its end, and its events have the shape of the real server's.

use std::path::Path;

use serde_json::Value;

use super::super::Rehearsal;
use super::super::scripts::SCENARIOS;
use super::{call, ready, start};

/// Plays a scenario, approving and encouraging, until the agent has finished; all stored events.
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

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float",
        Value::Number(_) => "int",
        Value::String(_) => "str",
        Value::Array(_) => "list",
        Value::Object(_) => "dict",
    }
}

/// How an event differs from all recorded ones of its kind.
fn differences(event: &Value, inventory: &Value) -> Vec<String> {
    let (group, name) = match event["action"].as_str() {
        Some(name) => ("action", name),
        None => (
            "observation",
            event["observation"].as_str().unwrap_or_default(),
        ),
    };
    let Some(known) = inventory["kinds"].get(format!("{group}:{name}")) else {
        return Vec::new();
    };
    let Some(fields) = known["fields"].as_object() else {
        return Vec::new();
    };
    // `timeout` comes and goes at random in the real stream.
    let ignored = |field: &str| {
        let names = ["tool_call_metadata", "llm_metrics", "timeout"];
        names.iter().any(|name| field.starts_with(name))
    };
    let mut wrong = Vec::new();
    for (field, facts) in fields.iter().filter(|(field, _)| !ignored(field)) {
        let value = field
            .split('.')
            .try_fold(event, |value, part| value.get(part));
        let always = facts["present"]
            .as_str()
            .and_then(|count| count.split_once('/'))
            .is_some_and(|(a, b)| a == b);
        match value {
            None if always => wrong.push(format!("{group}:{name} lacks {field}")),
            Some(value) if facts["types"].get(kind_of(value)).is_none() => {
                wrong.push(format!("{group}:{name} has {field} = {}", kind_of(value)));
            }
            _ => {}
        }
    }
    for part in ["args", "extras"] {
        for field in event[part]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(field, _)| format!("{part}.{field}"))
        {
            let nested = format!("{field}.");
            if !fields.keys().any(|known| {
                *known == field
                    || known.starts_with(&nested)
                    || known.starts_with(&format!("{field}["))
            }) {
                wrong.push(format!("{group}:{name} has {field}, which nobody recorded"));
            }
        }
    }
    wrong
}

#[tokio::test]
async fn the_events_of_every_scenario_have_the_recorded_shape() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/protocol/v0/field_inventory.json");
    let inventory: Option<Value> = std::fs::read(&path)
        .ok()
        .map(|bytes| serde_json::from_slice(&bytes).expect("the inventory is JSON"));
    if inventory.is_none() {
        eprintln!("skipped the comparison: {} is absent", path.display());
    }
    let server = start().await;
    for (name, _) in SCENARIOS {
        let scenario = match name {
            "slow" => "slow:10",
            "silence" => "silence:10",
            name => name,
        };
        let events = play(&server, scenario).await;
        assert!(events.len() > 8, "{scenario} has {} events", events.len());
        if let (Some(inventory), false) = (&inventory, ["unknown", "hostile"].contains(&name)) {
            let wrong: Vec<_> = events
                .iter()
                .flat_map(|event| differences(event, inventory))
                .collect();
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
