//! The traces of a model call on an event: the bulky `tool_call_metadata`, which repeats all arguments, and the
//! accumulated tokens and costs. There is no model here, so each call costs the same.

use serde_json::{Value, json};

/// Adds all traces of a model call to an event.
pub fn called(event: Value, call: u64) -> Value {
    with_metrics(with_call(event, call), call)
}

/// Adds what the real server adds to each tool call: the model's whole response, arguments included.
fn with_call(mut event: Value, call: u64) -> Value {
    let Some(name) = function_name(&event) else {
        return event;
    };
    let arguments = event["args"].to_string();
    event["tool_call_metadata"] = json!({
        "function_name": name,
        "tool_call_id": format!("call_{call}_0"),
        "total_calls_in_response": 1,
        "model_response": {
            "id": format!("chatcmpl-{call}"), "created": 0, "model": "rehearsal", "object": "chat.completion",
            "system_fingerprint": null, "service_tier": null,
            "choices": [{
                "finish_reason": "tool_calls", "index": 0, "provider_specific_fields": {},
                "message": {
                    "content": event["args"]["thought"], "role": "assistant", "function_call": null,
                    "tool_calls": [{
                        "id": format!("call_{call}_0"), "type": "function",
                        "function": {"name": name, "arguments": arguments},
                    }],
                },
            }],
            "usage": {"completion_tokens": 64, "prompt_tokens": 8_000, "total_tokens": 8_064,
                "completion_tokens_details": null, "prompt_tokens_details": null},
        },
    });
    event
}

/// Adds the accumulated metrics of the agent's actions: each model call costs the same here.
fn with_metrics(mut event: Value, call: u64) -> Value {
    event["llm_metrics"] = json!({
        "accumulated_cost": call as f64 * 0.02, "max_budget_per_task": null,
        "accumulated_token_usage": {
            "model": "rehearsal", "prompt_tokens": call * 8_000, "completion_tokens": call * 64, "cache_read_tokens": 0,
            "cache_write_tokens": 0, "context_window": 128_000, "per_turn_token": 8_064, "response_id": "",
        },
        "costs": [], "response_latencies": [], "token_usages": [],
    });
    event
}

fn function_name(event: &Value) -> Option<&str> {
    Some(match event["action"].as_str()? {
        "run" => "execute_bash",
        "run_ipython" => "execute_ipython_cell",
        "edit" | "read" => "str_replace_editor",
        "browse_interactive" => "browser",
        "think" => "think",
        "task_tracking" => "task_tracker",
        "finish" => "finish",
        "delegate" => "delegate_to_browsing_agent",
        "condensation_request" => "request_condensation",
        "call_tool_mcp" => event["args"]["name"].as_str()?,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::event::{agent_message, run};
    use super::*;

    #[test]
    fn the_metadata_of_a_call_repeats_its_arguments() {
        let event = with_call(run("ls", "look", 0), 3);
        let call = &event["tool_call_metadata"]["model_response"]["choices"][0]["message"]["tool_calls"]
            [0];
        assert!(
            call["function"]["arguments"]
                .as_str()
                .unwrap()
                .contains("\"command\":\"ls\"")
        );
        assert!(with_call(agent_message("hi"), 4)["tool_call_metadata"].is_null());
    }
}
