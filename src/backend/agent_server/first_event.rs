//! The synthetic first event of a conversation.

use super::dto::drop_calls;
use crate::backend::ReceivedEvent;
use crate::conversation::from_v1;
use crate::wire::v1::Event;
use serde_json::{Value, json};

/// The fields of a conversation's state that the first event keeps.
const SET_UP: [&str; 8] = [
    "execution_status",
    "title",
    "confirmation_policy",
    "security_analyzer",
    "stats",
    "tags",
    "workspace",
    "max_iterations",
];

/// The first event, before the log: the setup, which no stored event has, as a state snapshot without id and position.
pub(in crate::backend) fn first_event(info: &Value) -> ReceivedEvent {
    let kept = SET_UP.map(|key| (key, info[key].clone()));
    let mut state: Value = kept.into_iter().collect();
    drop_calls(&mut state);
    if let Some(agent) = info.get("agent") {
        let llm = &agent["llm"];
        state["agent"] = json!({
            "kind": agent["kind"],
            "acp_model": agent["acp_model"],
            "llm": { "model": llm["model"], "base_url": llm["base_url"], "usage_id": llm["usage_id"] },
        });
    }
    let event = json!({
        "kind": "ConversationStateUpdateEvent",
        "source": "environment",
        "timestamp": info["created_at"],
        "key": "full_state",
        "value": state,
    });
    let raw = event.to_string();
    let item = from_v1::item(&Event::read(event), None, None);
    ReceivedEvent { item, raw }
}
