//! Small logs of both dialects with the messages that a model receives, and logs of anything.
//!
//! Long because the tests share the small logs.

use super::*;
use proptest::collection::vec;
use proptest::prelude::*;

/// The request of a log. The digest of a text is its length.
fn request(log: &[Value], shape: Shape) -> ModelRequest {
    let mut made = ModelLog::new(|text| format!("{:08}", text.len()));
    for (at, event) in (0..).zip(log) {
        made.push(at + 1, at, &event.to_string());
    }
    made.request(shape)
}

fn sent(log: &[Value], shape: Shape) -> Value {
    request(log, shape).to_json(shape).into()
}

const STRING: Shape = Shape {
    plain: false,
    string: true,
    vision: false,
    max_chars: None,
};

fn system() -> Value {
    json!({"id": 1, "source": "agent", "action": "system", "args": {"content": "Be brief.", "tools": [{"type": "function"}]}})
}

fn said(id: i64, source: &str, text: &str) -> Value {
    json!({"id": id, "source": source, "action": "message", "args": {"content": text}})
}

/// A command with the answer of the model that it belongs to.
fn run(id: i64, response: &str, calls: &[&str], at: usize) -> Value {
    let tool_calls: Vec<Value> = calls
        .iter()
        .map(|call| json!({"id": call, "type": "function", "function": {"name": "bash", "arguments": "{\"command\": \"ls\"}"}}))
        .collect();
    json!({"id": id, "source": "agent", "action": "run", "args": {"command": "ls"}, "tool_call_metadata": {
        "function_name": "bash", "tool_call_id": calls[at], "total_calls_in_response": calls.len(),
        "model_response": {"id": response, "choices": [{"message": {"role": "assistant", "content": "Look.", "tool_calls": tool_calls}}]}}})
}

fn ran(id: i64, call: &str, output: &str) -> Value {
    json!({"id": id, "source": "agent", "observation": "run", "content": output,
        "extras": {"command": "ls", "metadata": {"exit_code": 0}},
        "tool_call_metadata": {"function_name": "bash", "tool_call_id": call}})
}

#[test]
fn a_call_stands_before_its_result_and_both_have_its_id() {
    let log = [
        system(),
        said(2, "user", "List"),
        run(3, "r", &["c"], 0),
        ran(4, "c", "a"),
        said(5, "agent", "Done"),
    ];
    let call = json!({"id": "c", "type": "function", "function": {"name": "bash", "arguments": "{\"command\": \"ls\"}"}});
    assert_eq!(
        sent(&log, STRING),
        json!([
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "List"},
            {"role": "assistant", "content": "Look.", "tool_calls": [call]},
            {"role": "tool", "content": "a\n[Command finished with exit code 0]", "tool_call_id": "c", "name": "bash"},
            {"role": "assistant", "content": "Done"},
        ])
    );
    let list = sent(&log, Shape::default());
    assert_eq!(
        list[1]["content"],
        json!([{"type": "text", "text": "List"}])
    );
}

#[test]
fn a_call_without_a_result_is_not_sent() {
    let log = [system(), said(2, "user", "List"), run(3, "r", &["c"], 0)];
    assert_eq!(sent(&log, STRING).as_array().unwrap().len(), 2);
}

#[test]
fn plain_mode_writes_calls_as_text() {
    let plain = Shape {
        plain: true,
        ..STRING
    };
    let log = [
        system(),
        said(2, "user", "List"),
        run(3, "r", &["c"], 0),
        ran(4, "c", "a"),
    ];
    let messages = sent(&log, plain);
    assert_eq!(
        messages[2],
        json!({"role": "assistant", "content": "Look.\n\n<function=bash>\n<parameter=command>ls</parameter>\n</function>"})
    );
    let result = "EXECUTION RESULT of [bash]:\na\n[Command finished with exit code 0]";
    assert_eq!(messages[3], json!({"role": "user", "content": result}));
    assert!(!request(&log, plain).refused);
}

#[test]
fn plain_mode_refuses_two_calls_in_one_answer_and_shows_them() {
    let plain = Shape {
        plain: true,
        ..STRING
    };
    let calls = ["c", "d"];
    let log = [
        system(),
        said(2, "user", "List"),
        run(3, "r", &calls, 0),
        run(4, "r", &calls, 1),
        ran(5, "c", "a"),
        ran(6, "d", "b"),
    ];
    assert!(!request(&log, STRING).refused);
    let refused = request(&log, plain);
    assert!(refused.refused);
    assert_eq!(refused.messages[2].remark, Some(Remark::TwoCalls));
    assert_eq!(refused.messages[2].calls.as_ref().unwrap().len(), 2);
}

#[test]
fn forgotten_events_are_left_out_and_the_summary_has_their_place() {
    let condensation = json!({"id": 6, "source": "agent", "action": "condensation",
        "args": {"forgotten_events_start_id": 3, "forgotten_events_end_id": 4, "summary": "Listed.", "summary_offset": 2}});
    let log = [
        system(),
        said(2, "user", "List"),
        run(3, "r", &["c"], 0),
        ran(4, "c", "a"),
        said(5, "agent", "Done"),
        condensation,
    ];
    let texts: Vec<String> = request(&log, STRING)
        .messages
        .iter()
        .map(|m| m.texts().collect())
        .collect();
    assert_eq!(texts, ["Be brief.", "List", "\n\nListed.", "Done"]);
}

#[test]
fn a_long_observation_loses_its_middle() {
    let short = Shape {
        max_chars: Some(4),
        ..STRING
    };
    let log = [
        system(),
        said(2, "user", "long enough"),
        run(3, "r", &["c"], 0),
        ran(4, "c", "äbcdefgh"),
    ];
    let messages = sent(&log, short);
    assert_eq!(messages[1]["content"], "long enough");
    assert_eq!(
        messages[3]["content"],
        "äb\n[... Observation truncated due to length ...]\n0]"
    );
}

#[test]
fn an_image_is_sent_only_with_vision() {
    let mut picture = said(2, "user", "See");
    picture["args"]["image_urls"] = json!(["data:image/png;base64,AA=="]);
    let log = [system(), picture];
    assert_eq!(
        sent(&log, Shape::default())[1]["content"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let vision = Shape {
        vision: true,
        ..Shape::default()
    };
    assert_eq!(
        sent(&log, vision)[1]["content"],
        json!([{"type": "text", "text": "See"}, {"type": "text", "text": "Image 1:"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}])
    );
}

#[test]
fn an_old_journal_has_no_answers_and_the_call_is_put_together() {
    let mut old = run(3, "r", &["c"], 0);
    old["tool_call_metadata"]
        .as_object_mut()
        .unwrap()
        .remove("model_response");
    let made = request(
        &[system(), said(2, "user", "List"), old, ran(4, "c", "a")],
        STRING,
    );
    assert_eq!(made.messages[2].remark, Some(Remark::Approximate));
    assert_eq!(made.messages[3].answers.as_ref().unwrap().0, "c");
}

#[test]
fn a_log_without_instructions_says_that_they_are_openhands_own() {
    let made = request(&[said(2, "user", "Hi")], STRING);
    assert_eq!(made.messages[0].remark, Some(Remark::StandardPrompt));
}

#[test]
fn knowledge_is_told_once() {
    let recall = |id: i64| {
        json!({"id": id, "source": "environment", "observation": "recall", "content": "",
            "extras": {"recall_type": "knowledge", "microagent_knowledge": [{"name": "git", "trigger": "commit", "content": "Ask."}]}})
    };
    let log = [
        system(),
        said(2, "user", "commit"),
        recall(3),
        said(4, "user", "commit"),
        recall(5),
    ];
    let messages = request(&log, STRING).messages;
    assert_eq!(messages.len(), 4);
    assert!(
        messages[2]
            .texts()
            .any(|text| text.contains("\"commit\"") && text.contains("Ask."))
    );
}

fn of_1x(id: &str, kind: &str, more: Value) -> Value {
    let mut event = json!({"id": id, "kind": kind, "source": "agent"});
    for (name, value) in more.as_object().unwrap() {
        event[name] = value.clone();
    }
    event
}

#[test]
fn an_agent_server_sends_calls_of_one_answer_and_messages_of_the_user_together() {
    let say = |id, text| {
        of_1x(
            id,
            "MessageEvent",
            json!({"llm_message": {"role": "user", "content": [{"type": "text", "text": text}]}}),
        )
    };
    let call = |id: &str, thought: Value| {
        of_1x(
            id,
            "ActionEvent",
            json!({"thought": thought, "llm_response_id": "r", "tool_call_id": id,
            "tool_call": {"id": id, "name": "terminal", "arguments": "{}"}}),
        )
    };
    let result = |id, call| {
        of_1x(
            id,
            "ObservationEvent",
            json!({"tool_call_id": call, "tool_name": "terminal", "observation":
            {"kind": "TerminalObservation", "content": [{"type": "text", "text": "a"}], "metadata": {"exit_code": 0}}}),
        )
    };
    let log = [
        of_1x(
            "s",
            "SystemPromptEvent",
            json!({"system_prompt": {"text": "Be brief."}, "tools": []}),
        ),
        say("1", "List"),
        say("2", "all"),
        call("c", json!([{"type": "text", "text": "Look."}])),
        call("d", json!([])),
        result("3", "c"),
        result("4", "d"),
    ];
    let messages = sent(&log, STRING);
    assert_eq!(messages[1], json!({"role": "user", "content": "List\nall"}));
    assert_eq!(messages[2]["tool_calls"].as_array().unwrap().len(), 2);
    let output = "a\n[Command finished with exit code 0]";
    assert_eq!(
        messages[4],
        json!({"role": "tool", "content": output, "tool_call_id": "d", "name": "terminal"})
    );
    assert_eq!(messages.as_array().unwrap().len(), 5);
}

/// Values that nest, with the names that the protocols use.
fn anything() -> impl Strategy<Value = Value> {
    let names = [
        "id",
        "action",
        "observation",
        "args",
        "extras",
        "content",
        "tool_call_metadata",
        "model_response",
        "choices",
        "message",
        "tool_calls",
        "kind",
        "thought",
        "llm_message",
        "image_urls",
        "forgotten_event_ids",
        "summary",
        "summary_offset",
        "metadata",
        "text",
        "parent_id",
    ];
    let words = [
        "run",
        "message",
        "system",
        "finish",
        "condensation",
        "recall",
        "browse",
        "ActionEvent",
        "Condensation",
        "user",
        "é",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0..words.len()).prop_map(move |word| json!(words[word])),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((0..names.len(), inner), 0..6).prop_map(move |fields| fields
                .into_iter()
                .map(|(name, value)| (names[name].to_owned(), value))
                .collect()),
        ]
    })
}

#[test]
fn a_limit_is_that_of_openhands_unless_another_is_wanted() {
    assert_eq!(Shape::limit(None), Some(30_000));
    assert_eq!(Shape::limit(Some(5)), Some(5));
    assert_eq!(Shape::limit(Some(0)), None);
}

proptest! {
    #[test]
    fn any_log_makes_a_request(
        events in vec(anything(), 0..8),
        plain in any::<bool>(), string in any::<bool>(), vision in any::<bool>(),
        max_chars in proptest::option::of(any::<i64>()),
    ) {
        let shape = Shape { plain, string, vision, max_chars };
        let mut log = vec![system(), said(2, "user", "Hi")];
        log.extend(events);
        let made = request(&log, shape);
        prop_assert_eq!(made.to_json(shape).len(), made.messages.len());
    }
}
