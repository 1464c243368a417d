//! Properties of every 1.x log, including malformed ones.

use super::*;
use crate::conversation::tests::properties::{folds_a_prefix_twice, folds_item_by_item};
use crate::conversation::{Drafts, Timeline};
use proptest::collection::vec;
use proptest::prelude::*;

/// Events that refer to each other by positions that match by chance.
fn any_event() -> impl Strategy<Value = LogItem> {
    let states = [
        "idle",
        "running",
        "paused",
        "waiting_for_confirmation",
        "finished",
        "error",
    ];
    let acp = ["pending", "in_progress", "completed", "failed"];
    (0..24_i64, 0..24_i64, 0..12_u8, 0..6_usize).prop_map(move |(seq, call, kind, word)| match kind
    {
        0 => says(seq, "user", "hi"),
        1 => says(seq, "agent", "ho"),
        2 | 3 => run(seq, "r", "ls"),
        4 => output(seq, call, "out"),
        5 => status(seq, states[word]),
        6 => fails(seq, call),
        7 => rejected(seq, call),
        8 => hook(seq, call, "PreToolUse"),
        9 => stats(seq, word as f64),
        10 => at(
            seq,
            json!({"kind": "ACPToolCallEvent", "source": "agent", "tool_call_id": format!("c{}", call % 4),
                "status": acp[word % 4], "title": "t", "tool_kind": "execute", "raw_input": {"command": "ls"}}),
        ),
        _ => at(
            seq,
            json!({"kind": "ConversationErrorEvent", "code": "C", "detail": "d", "classification": {"kind": "auth"}}),
        ),
    })
}

/// Kinds and fields of the protocol with arbitrary values.
fn odd_event() -> impl Strategy<Value = Value> {
    let kinds = [
        "SystemPromptEvent",
        "MessageEvent",
        "ActionEvent",
        "ObservationEvent",
        "UserRejectObservation",
        "AgentErrorEvent",
        "ConversationErrorEvent",
        "ConversationStateUpdateEvent",
        "SecurityAnalysisEvent",
        "Condensation",
        "HookExecutionEvent",
        "ACPToolCallEvent",
        "StreamingDeltaEvent",
        "Other",
    ];
    let inner = [
        "TerminalAction",
        "FileEditorAction",
        "TerminalObservation",
        "BrowserObservation",
        "Odd",
    ];
    let fields = [
        "id",
        "timestamp",
        "source",
        "action",
        "observation",
        "llm_message",
        "content",
        "thought",
        "key",
        "value",
        "tool_call",
        "tool_name",
        "action_id",
        "classification",
        "forgotten_event_ids",
        "raw_input",
        "status",
        "tools",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
        prop::sample::select(inner.to_vec())
            .prop_map(|kind| json!({"kind": kind, "command": "x", "content": "y"})),
        Just(json!([{"type": "text", "text": "t"}, {"type": "odd"}])),
        Just(json!({"usage_to_metrics": {"default": {"accumulated_cost": 1}}})),
        prop::sample::select(vec!["stats", "full_state", "goal", "execution_status"])
            .prop_map(Value::from),
    ];
    let fields = vec((prop::sample::select(fields.to_vec()), leaf), 0..8);
    (prop::sample::select(kinds.to_vec()), fields).prop_map(|(kind, fields)| {
        let mut event = json!({"kind": kind});
        for (name, value) in fields {
            event[name] = value;
        }
        event
    })
}

proptest! {
    #[test]
    fn folding_at_once_is_folding_item_by_item(events in vec(any_event(), 0..40)) {
        folds_item_by_item(events)?;
    }

    #[test]
    fn what_comes_twice_changes_nothing(events in vec(any_event(), 0..40), at in 0..40_usize) {
        folds_a_prefix_twice(&events, at)?;
    }

    #[test]
    fn calls_results_and_hooks_read_the_same_in_any_order(
        order in Just((0..12_i64).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let event = |seq: i64| match seq % 3 {
            0 => hook(seq, seq + 1, "PreToolUse"),
            1 => run(seq, &format!("r{seq}"), &seq.to_string()),
            _ => output(seq, seq - 1, "out"),
        };
        let cards = |timeline: &Timeline| {
            timeline.rows().iter().map(|row| match &row.card {
                crate::conversation::Card::Call(call) => format!("{} {:?} {}", row.pos, call.state, call.hooks.len()),
                card => format!("{card:?}"),
            }).collect::<Vec<_>>()
        };
        let sorted = Timeline::of((0..12).map(event));
        let shuffled = Timeline::of(order.into_iter().map(event));
        prop_assert_eq!(cards(&sorted), cards(&shuffled));
    }

    #[test]
    fn whatever_arrives_is_read_and_folded(values in vec(odd_event(), 0..12)) {
        let mut drafts = Drafts::default();
        let mut timeline = Timeline::default();
        for (seq, value) in (0..).zip(values) {
            let event = Event::read(value);
            if let Some(piece) = bare_piece(&event) {
                drafts.take(piece);
            }
            let item = item(&event, Some(seq), Some(60));
            drafts.apply(&item);
            timeline.push(item);
        }
        for row in timeline.rows() {
            prop_assert!(row.seq >= row.id);
        }
    }
}
