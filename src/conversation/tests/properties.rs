//! Properties of every log, including malformed ones.

use super::*;
use crate::conversation::{Body, Placed, RowContext, RowIndex, from_v0, place};
use crate::wire::v0::Incoming;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Events that refer to each other by ids that match by chance.
fn any_event() -> impl Strategy<Value = LogItem> {
    let states = [
        "running",
        "awaiting_user_confirmation",
        "awaiting_user_input",
        "stopped",
        "error",
        "paused",
    ];
    let answers = ["user_confirmed", "user_rejected", "stopped"];
    let commands = ["ls", "pwd"];
    (0..24_i64, 0..24_i64, 0..12_u8, 0..6_usize).prop_map(move |(id, cause, kind, word)| match kind
    {
        0 => asks(id, "hi"),
        1 => replies(id, "ho"),
        2 => run(id, commands[word % 2]),
        3 => run_asking(id, commands[word % 2]),
        4 => run_rejected(id, commands[word % 2]),
        5 => output(id, cause, "out", word as i64 - 1),
        6 => edit(id, "/a"),
        7 => edited(id, cause, "ERROR:"),
        8 => state(id, states[word]),
        9 => steers(id, answers[word % 3]),
        10 => rejected(id, cause),
        _ if word < 2 => delegate(id, "t"),
        _ if word < 4 => delegate_done(id, "d"),
        _ => not_executed(id, cause),
    })
}

/// Any JSON, not too deep.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        "(ERROR:|TASK: |agent|run|goto\\(\"|2026-11-21T00:00:00|-?[0-9]{1,20}|Cell In\\[|STATUS\\$X){0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec(("[a-z_]{1,8}", inner), 0..4)
                .prop_map(|fields| fields.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
}

/// Tags and fields of the protocol with arbitrary values.
fn odd_event() -> impl Strategy<Value = Value> {
    let actions = [
        "run",
        "edit",
        "read",
        "write",
        "message",
        "system",
        "finish",
        "delegate",
        "browse_interactive",
        "call_tool_mcp",
        "task_tracking",
        "condensation",
        "change_agent_state",
        "null",
        "push",
    ];
    let observations = [
        "run",
        "run_ipython",
        "edit",
        "read",
        "browse",
        "mcp",
        "recall",
        "error",
        "task_tracking",
        "agent_state_changed",
        "user_rejected",
        "null",
        "download",
    ];
    let fields = [
        "command",
        "path",
        "content",
        "thought",
        "security_risk",
        "view_range",
        "start",
        "end",
        "inputs",
        "task_list",
        "tools",
        "metadata",
        "agent_state",
        "image_urls",
        "outputs",
        "arguments",
        "url",
        "screenshot",
        "microagent_knowledge",
        "custom_secrets_descriptions",
        "confirmation_state",
        "impl_source",
        "insert_line",
    ];
    let payload =
        vec((prop::sample::select(fields.to_vec()), any_json()), 0..6).prop_map(|fields| {
            fields
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect::<Map<_, _>>()
        });
    let common = [
        "id",
        "timestamp",
        "source",
        "message",
        "cause",
        "content",
        "success",
        "tool_call_metadata",
        "llm_metrics",
        "status_update",
        "error",
        "type",
    ];
    let common = vec((prop::sample::select(common.to_vec()), any_json()), 0..6);
    let tag = prop_oneof![
        prop::sample::select(actions.to_vec()).prop_map(|tag| ("action", "args", tag)),
        prop::sample::select(observations.to_vec()).prop_map(|tag| ("observation", "extras", tag)),
    ];
    (tag, payload, common).prop_map(|((tag, payload_name, word), payload, common)| {
        let mut event = json!({tag: word, payload_name: payload});
        for (name, value) in common {
            event[name] = value;
        }
        event
    })
}

/// Answers every lookup with a row that may not exist.
struct Anywhere(i64);

impl RowIndex for Anywhere {
    fn row_of_key(&self, _: &str) -> Option<i64> {
        (self.0 % 2 == 0).then_some(self.0)
    }
    fn row_answering_key(&self, _: &str) -> Option<i64> {
        (self.0 % 3 == 0).then_some(self.0)
    }
    fn row_of_call(&self, _: &str) -> Option<i64> {
        (self.0 % 5 == 0).then_some(self.0)
    }
}

/// Checks that folding a log at once equals folding it item by item, and that the changed rows alone show all of it.
pub fn folds_item_by_item(events: Vec<LogItem>) -> Result<(), TestCaseError> {
    let at_once = Timeline::of(events.clone());
    let mut one_by_one = Timeline::default();
    let mut seen: BTreeMap<i64, Row> = BTreeMap::new();
    for event in events {
        let Some(taken) = one_by_one.push(event) else {
            continue;
        };
        for row in taken.row.into_iter().chain(taken.others) {
            match one_by_one.row(row) {
                Some(now) => seen.insert(row, now),
                None => seen.remove(&row),
            };
        }
    }
    let mut followed: Vec<Row> = seen.into_values().collect();
    followed.sort_by_key(|row| (row.pos, row.id));
    prop_assert_eq!(at_once.rows(), followed);
    prop_assert_eq!(at_once.session(), one_by_one.session());
    Ok(())
}

/// Checks that a prefix of a log changes nothing when it comes twice.
pub fn folds_a_prefix_twice(events: &[LogItem], at: usize) -> Result<(), TestCaseError> {
    let prefix = &events[..at.min(events.len())];
    let once = Timeline::of(events.iter().cloned());
    let twice = Timeline::of(prefix.iter().chain(events).cloned());
    prop_assert_eq!(once.rows(), twice.rows());
    prop_assert_eq!(once.session(), twice.session());
    let again = Timeline::of(events.iter().chain(prefix).cloned());
    prop_assert_eq!(once.rows(), again.rows());
    Ok(())
}

proptest! {
    #[test]
    fn folding_at_once_is_folding_item_by_item(events in vec(any_event(), 0..40)) {
        folds_item_by_item(events)?;
    }

    #[test]
    fn a_prefix_folded_twice_changes_nothing(events in vec(any_event(), 0..40), at in 0..40_usize) {
        folds_a_prefix_twice(&events, at)?;
    }

    #[test]
    fn calls_and_results_read_the_same_in_any_order(
        order in Just((0..12_i64).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let event = |id: i64| if id % 2 == 0 { run(id, &id.to_string()) } else { output(id, id - 1, "out", 0) };
        let sorted = Timeline::of((0..12).map(event));
        let shuffled = Timeline::of(order.into_iter().map(event));
        prop_assert_eq!(lines(&sorted), lines(&shuffled));
    }

    #[test]
    fn a_row_does_not_depend_on_the_order_of_its_items(events in vec(any_event(), 1..12), turn in 0..12_usize, open: bool, waiting: bool) {
        let items: Vec<(i64, LogItem)> = (1..).zip(events).collect();
        let mut turned = items.clone();
        turned.rotate_left(turn % items.len());
        let context = RowContext { waiting, open, seq: 0 };
        prop_assert_eq!(Row::fold(&items, context), Row::fold(&turned, context));
    }

    #[test]
    fn whatever_arrives_is_read_placed_and_folded(values in vec(prop_oneof![any_json(), odd_event()], 0..12), row in 0..40_i64) {
        let mut timeline = Timeline::default();
        for value in values {
            let item = from_v0(&Incoming::read(value));
            let placed = place(&item, timeline.session(), &Anywhere(row));
            let hidden = matches!(item.body, Body::Nothing | Body::Status { .. } | Body::Steered { .. }
                | Body::Title(_) | Body::Progress { .. } | Body::RunError { .. });
            prop_assert!(hidden || placed != Placed::Aside, "{:?} is nowhere", item);
            timeline.push(item);
        }
        for row in timeline.rows() {
            prop_assert!(row.seq >= row.id);
        }
    }
}
