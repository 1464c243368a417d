//! Snapshots of a conversation for `full_state` and the REST routes. They contain every single model call.

use serde_json::{Value, json};

/// The part of a snapshot that differs between conversations.
#[derive(Clone, Default)]
pub struct Standing {
    pub id: String,
    pub folder: String,
    pub status: String,
    pub policy: Value,
    pub analyzer: Value,
    pub model: &'static str,
    /// Its tools, as they were requested.
    pub tools: Value,
    /// Where its secrets come from, by their names.
    pub secrets: Value,
    /// The settings of an ACP agent, or null. It asks nobody, whatever the policy says.
    pub acp: Value,
    pub title: Option<String>,
    pub tags: Value,
    /// Number of model calls so far; each costs the same here.
    pub calls: u64,
    pub last_user_message_id: Option<String>,
    pub leaf_event_id: Option<String>,
    pub forked_from: Option<String>,
    /// The last event that a fork was made with; `None` for a fork of all.
    pub forked_at: Option<String>,
    pub created_at: String,
    pub updated_at: String,
}

/// Totals, as in the `stats` event.
pub fn stats(calls: u64) -> Value {
    json!({"usage_to_metrics": {"default": totals(calls)}})
}

fn totals(calls: u64) -> Value {
    json!({
        "model_name": MODEL, "accumulated_cost": calls as f64 * 0.02, "max_budget_per_task": null,
        "accumulated_token_usage": usage(calls, ""),
    })
}

/// The initial model of a conversation.
pub const MODEL: &str = "rehearsal/script";

/// The available models, as profile name and model. The script continues with any of them.
pub const PROFILES: [(&str, &str); 2] = [("default", MODEL), ("second", "rehearsal/understudy")];

fn usage(calls: u64, response: &str) -> Value {
    json!({"model": MODEL, "prompt_tokens": calls * 8_000, "completion_tokens": calls * 64, "cache_read_tokens": 0,
        "cache_write_tokens": 0, "reasoning_tokens": 0, "context_window": 128_000, "per_turn_token": 8_064,
        "response_id": response})
}

/// The same with an entry per model call in three lists, so a long conversation has a large snapshot.
fn stats_in_full(calls: u64) -> Value {
    let mut full = totals(calls);
    let each = |entry: &dyn Fn(&str) -> Value| -> Value {
        let ids = (1..=calls).map(|call| format!("chatcmpl-{call:05}"));
        ids.map(|id| entry(&id)).collect()
    };
    full["costs"] =
        each(&|_| json!({"model": MODEL, "cost": 0.02, "timestamp": 1_795_221_433.396}));
    full["response_latencies"] =
        each(&|id| json!({"model": MODEL, "latency": 0.35, "response_id": id}));
    full["token_usages"] = each(&|id| usage(1, id));
    json!({"usage_to_metrics": {"default": full}})
}

/// What a server adds to settings that have `null` for tools.
pub fn default_tools() -> Value {
    json!([{"name": "terminal", "params": {}}, {"name": "file_editor", "params": {}},
        {"name": "task_tracker", "params": {}}])
}

pub fn agent(standing: &Standing) -> Value {
    if !standing.acp.is_null() {
        return json!({
            "kind": "ACPAgent",
            "llm": {"model": "acp-managed", "api_key": null, "auth_type": "api_key", "usage_id": "acp-managed"},
            "tools": [], "mcp_config": {}, "acp_server": standing.acp["acp_server"],
            "acp_command": standing.acp["acp_command"], "acp_model": standing.acp["acp_model"],
        });
    }
    json!({
        "kind": "Agent",
        "llm": {"model": standing.model, "api_key": "**********", "auth_type": "api_key", "usage_id": "default",
            "stream": true},
        "tools": standing.tools, "mcp_config": {}, "agent_context": {"skills": []},
    })
}

/// The value of `full_state`, and most of the REST response.
pub fn state(standing: &Standing) -> Value {
    json!({
        "id": standing.id, "agent": agent(standing),
        "workspace": {"working_dir": standing.folder, "kind": "LocalWorkspace"},
        "persistence_dir": format!("workspace/conversations/{}", standing.id.replace('-', "")),
        "max_iterations": 500, "stuck_detection": true, "execution_status": standing.status,
        "confirmation_policy": standing.policy, "security_analyzer": standing.analyzer,
        "activated_knowledge_skills": [], "invoked_skills": [], "blocked_actions": {}, "blocked_messages": {},
        "last_user_message_id": standing.last_user_message_id, "leaf_event_id": standing.leaf_event_id,
        "stats": stats_in_full(standing.calls), "secret_registry": {"secret_sources": standing.secrets}, "tags": standing.tags,
        "agent_state": {},
    })
}

/// The REST response for a conversation.
pub fn info(standing: &Standing) -> Value {
    let mut info = state(standing);
    let more = json!({
        "title": standing.title, "metrics": null, "hook_config": null, "created_at": standing.created_at,
        "updated_at": standing.updated_at, "forked_from_conversation_id": standing.forked_from,
        "forked_from_event_id": standing.forked_at, "parent_conversation_id": null, "sub_conversation_ids": [],
        "current_model_id": null, "available_models": [], "supports_runtime_model_switch": false,
        "launched_agent_profile": null, "runtime_info": {"runtime_status": "available", "can_resume": true},
    });
    if let (Value::Object(info), Value::Object(more)) = (&mut info, more) {
        info.extend(more);
    }
    info
}
