//! What agents and backends call things may be long, and indexes have an end.

use super::*;

#[tokio::test]
async fn names_of_ten_thousand_characters_are_stored() {
    let (journal, _folder) = journal().await;
    // Nothing that could be compressed.
    let long = |seed: u32| -> String {
        (0..1_000_u32)
            .map(|at| format!("{:08x}", (at + seed).wrapping_mul(2_654_435_761)))
            .collect()
    };
    let text = json!([{"type": "text", "text": "out"}]);
    let call = |id: String, call: String| {
        json!({"id": id, "kind": "ActionEvent", "source": "agent", "tool_call_id": call, "tool_name": "terminal",
            "llm_response_id": "r", "timestamp": "2026-11-21T10:00:00.000000",
            "action": {"kind": "TerminalAction", "command": "ls"}})
    };
    let result = |id: &str, action: String, call: String| {
        json!({"id": id, "kind": "ObservationEvent", "source": "environment", "tool_call_id": call, "tool_name": "terminal",
            "action_id": action, "timestamp": "2026-11-21T10:00:01.000000",
            "observation": {"kind": "TerminalObservation", "content": text, "exit_code": 0}})
    };
    let events = [
        call("one".to_owned(), long(1)),
        result("two", "one".to_owned(), long(1)),
        call(long(2), long(3)),
        result("four", long(2), long(3)),
        result("five", long(4), long(5)),
    ];
    assert_eq!(append(&journal, &events).await, 5);
    let shown = window(&journal, 50).await;
    let again: Vec<_> = [0, 1, 3, 4].map(|at| events[at].clone()).into();
    assert_eq!(append(&journal, &again).await, 5);
    assert_eq!(window(&journal, 50).await, shown);
    let meta = ConversationMeta {
        id: ID.to_owned(),
        backend: "b".to_owned(),
        repository: Some(long(6)),
        branch: Some(long(7)),
        title: long(8),
        tags: crate::conversation::Tags([("tag".to_owned(), long(9))].into()),
        ..ConversationMeta::default()
    };
    journal.describe(vec![meta]).await.expect("healthy");
    let line = crate::journal::Line {
        id: ID.to_owned(),
        shown: "{}".to_owned(),
        title: long(8),
        words: long(8),
        backend: "b".to_owned(),
        place: Some(long(6)),
        home: long(6),
        tags: vec![long(9)],
        created_at: 1,
        updated_at: 1,
        needs: true,
        asks: true,
        up: true,
        runs: true,
        state: "running".to_owned(),
        lapsed: true,
        archived: false,
        seq: None,
    };
    journal.keep_lines(vec![line]).await.expect("healthy");
}
