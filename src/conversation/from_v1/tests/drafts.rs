//! Drafts, until their event arrives.

use super::*;
use crate::conversation::Drafts;
use crate::wire::v1::Frame;

/// The texts of all drafts.
fn texts(drafts: &Drafts) -> Vec<String> {
    drafts
        .iter()
        .map(|draft| format!("{}|{}", draft.reasoning, draft.text))
        .collect()
}

fn frame(drafts: &mut Drafts, frame: Value) -> bool {
    drafts.take(piece(&Frame::read(frame)).unwrap())
}

fn delta(item: &str, attempt: u64, order: u64, kind: &str, text: &str) -> Value {
    json!({"type": "delta", "item_id": item, "attempt": attempt, "order": order, "kind": kind, "content": text})
}

#[test]
fn what_is_being_written_stands_there_until_its_event_comes() {
    let mut drafts = Drafts::default();
    let begun = json!({"type": "item_started", "item_id": "m", "attempt": 1, "anchor_seq": 9});
    assert!(frame(&mut drafts, begun.clone()));
    assert!(frame(&mut drafts, delta("m", 1, 0, "reasoning", "hm")));
    assert!(frame(&mut drafts, delta("m", 1, 1, "text", "He")));
    assert!(!frame(&mut drafts, delta("m", 1, 1, "text", "He")));
    assert!(frame(&mut drafts, delta("m", 1, 2, "text", "llo")));
    assert_eq!(texts(&drafts), ["hm|Hello"]);
    let event = read(json!({"kind": "MessageEvent", "id": "m", "source": "agent"}));
    assert!(drafts.apply(&event));
    assert!(!drafts.apply(&event));
    // Late pieces of an event that has already arrived start no draft.
    assert!(!frame(&mut drafts, begun));
    assert!(!frame(&mut drafts, delta("m", 1, 0, "text", "He")));
    assert!(texts(&drafts).is_empty());
}

#[test]
fn what_is_void_or_left_when_the_run_rests_goes() {
    let mut drafts = Drafts::default();
    frame(&mut drafts, delta("a", 1, 0, "text", "x"));
    frame(&mut drafts, delta("b", 1, 0, "text", "y"));
    frame(
        &mut drafts,
        json!({"type": "item_aborted", "item_id": "a", "reason": "cancelled"}),
    );
    assert_eq!(texts(&drafts), ["|y"]);
    drafts.apply(&status(1, "running"));
    assert_eq!(texts(&drafts), ["|y"]);
    drafts.apply(&status(2, "paused"));
    assert!(texts(&drafts).is_empty());
}

#[test]
fn a_new_attempt_begins_anew_and_nothing_is_shown_behind_a_gap() {
    let mut drafts = Drafts::default();
    frame(&mut drafts, delta("a", 1, 0, "text", "old"));
    frame(&mut drafts, delta("a", 2, 0, "text", "new"));
    frame(&mut drafts, delta("a", 1, 1, "text", "late"));
    assert_eq!(texts(&drafts), ["|new"]);
    frame(&mut drafts, delta("a", 2, 2, "text", "behind"));
    frame(&mut drafts, delta("a", 2, 3, "text", "further"));
    assert_eq!(texts(&drafts), ["|new"]);
    assert!(!frame(&mut drafts, delta("z", 1, 4, "text", "middle")));
}

#[test]
fn pieces_of_the_older_socket_are_settled_by_the_agents_next_event() {
    let mut drafts = Drafts::default();
    for text in ["a", "b"] {
        let event = Event::read(json!({"kind": "StreamingDeltaEvent", "content": text}));
        drafts.take(bare_piece(&event).unwrap());
    }
    assert_eq!(texts(&drafts), ["|ab"]);
    drafts.apply(&stats(1, 0.0));
    assert_eq!(texts(&drafts), ["|ab"]);
    drafts.apply(&says(9, "agent", "ab"));
    assert!(texts(&drafts).is_empty());
}

#[test]
fn a_stream_without_end_is_cut() {
    let mut drafts = Drafts::default();
    let long = "x".repeat(100 << 10);
    for order in 0..5 {
        frame(&mut drafts, delta("a", 1, order, "text", &long));
    }
    for number in 0..40 {
        frame(&mut drafts, delta(&format!("i{number}"), 1, 0, "text", "y"));
    }
    assert!(texts(&drafts).iter().map(String::len).sum::<usize>() < 300 << 10);
}
