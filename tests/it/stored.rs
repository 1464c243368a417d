//! What is stored, compared with what the backend has.

use handrail::backend::rehearsal::Dialect;
use handrail::journal::Journal;
use handrail::wire::v1::say_zone;
use serde_json::{Value, json};

/// The journal has each event of the backend once, unchanged, numbered without gaps.
pub async fn assert_is_stored(
    dialect: Dialect,
    journal: &Journal,
    conversation: &str,
    events: &[Value],
) {
    let kept = journal
        .events(conversation, 0, 1_000_000)
        .await
        .expect("it is healthy");
    let seqs: Vec<i64> = kept.iter().map(|event| event.seq).collect();
    assert_eq!(seqs, (1..=kept.len() as i64).collect::<Vec<_>>());
    let stored = kept.iter().filter(|event| event.item.key.is_some());
    let mut stored: Vec<Value> = stored
        .map(|event| serde_json::from_str(&event.raw).expect("JSON"))
        .collect();
    if dialect == Dialect::OpenHands {
        // A page of stored events may arrive after later live ones. Those of 1.x are stored in the order of its log.
        stored.sort_by_key(|event| event["id"].as_i64());
    }
    assert_eq!(stored.len(), events.len());
    for (at, (mut stored, mut event)) in stored.into_iter().zip(events.iter().cloned()).enumerate()
    {
        match dialect {
            Dialect::OpenHands => {
                assert_eq!(event["id"], at, "the backend counts from nought");
                // Live and replayed states have different sources; the journal keeps the first to arrive.
                if event["observation"] == "agent_state_changed" {
                    stored["source"] = event["source"].clone();
                }
                // Observations repeat the response of the model, and only the parts that later requests need are stored.
                let is_action = event["action"].is_string();
                if let Some(call) = event
                    .get_mut("tool_call_metadata")
                    .and_then(Value::as_object_mut)
                    && let Some(response) = call.remove("model_response").filter(|_| is_action)
                {
                    let message = &response["choices"][0]["message"];
                    let message = json!({
                        "role": message["role"], "content": message["content"], "tool_calls": message["tool_calls"],
                    });
                    let kept = json!({
                        "id": response["id"], "model": response["model"], "choices": [{ "message": message }],
                        "usage": { "prompt_tokens": response["usage"]["prompt_tokens"] },
                    });
                    call.insert("model_response".to_owned(), kept);
                }
            }
            Dialect::AgentServer | Dialect::AppServer => {
                // Handrail adds the time zone, which the server leaves out.
                say_zone(&mut event, 0);
                // The only part that is not stored: lists that grow with each call of the model.
                let usages = event.pointer_mut("/value/usage_to_metrics");
                let usages = usages.and_then(Value::as_object_mut);
                for usage in usages.into_iter().flat_map(|usages| usages.values_mut()) {
                    let usage = usage.as_object_mut().expect("it is an object");
                    for list in ["costs", "response_latencies", "token_usages"] {
                        usage.remove(list);
                    }
                }
            }
        }
        assert_eq!(stored, event);
    }
}
