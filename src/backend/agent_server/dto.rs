//! Parses the responses of the REST routes of 1.x.

use crate::backend::json::{entries, millis, text, texts};
use crate::backend::{Commit, ConversationInfo, Microagent, NewConversation, Runtime};
use crate::conversation::{Body, ModelCall, Policy, Risk, Stamp, Tags, from_v1, is_id};
use crate::wire::v1;
use serde_json::{Value, json};

/// Whether a conversation's id is safe in a URL.
pub(super) fn is_named(value: &Value) -> bool {
    value["id"].as_str().is_some_and(is_id)
}

/// Parses a conversation; `None` if it is invalid or its id is not safe in a URL.
pub(super) fn conversation(mut value: Value) -> Option<ConversationInfo> {
    drop_calls(&mut value);
    // A conversation lives as long as its server; only some have a container of their own.
    let runtime_word = text(&value["runtime_info"]["runtime_status"]);
    let runtime = match value["runtime_info"]["runtime_status"].as_str() {
        Some("starting") => Runtime::Starting,
        Some("missing" | "ownership_lost") => Runtime::Gone,
        Some("error") => Runtime::Error,
        _ => Runtime::Running,
    };
    let info = v1::ConversationInfo::read(value)?;
    if !is_id(&info.id) {
        return None;
    }
    let told = from_v1::info(&info);
    let status = match told.body {
        Body::State(state) => state.status,
        _ => None,
    };
    Some(ConversationInfo {
        title: info.title.unwrap_or_default(),
        runtime,
        runtime_word,
        repository: Some(info.workspace.working_dir).filter(|folder| !folder.is_empty()),
        tags: Tags(info.tags),
        created_at: Stamp::read(&info.created_at).millis,
        updated_at: Stamp::read(&info.updated_at).millis,
        status,
        cost: told.metrics.map(|metrics| metrics.cost),
        made_from: (info.forked_from_conversation_id).or(info.parent_conversation_id),
        id: info.id,
        ..ConversationInfo::default()
    })
}

/// The calls of a conversation's agent, without those for titles, condensations and sub-agents with models of their own.
pub(super) fn model_calls(mut value: Value) -> Vec<ModelCall> {
    let usage = value.pointer_mut("/stats/usage_to_metrics/default");
    let usage = usage.map(Value::take).unwrap_or_default();
    serde_json::from_value(usage).map_or_else(|_| Vec::new(), |usage| from_v1::model_calls(&usage))
}

/// Removes the lists that grow with every call of the model, because lists and snapshots repeat them.
pub(super) fn drop_calls(state: &mut Value) {
    for stats in ["/stats/usage_to_metrics", "/usage_to_metrics"] {
        let usages = state.pointer_mut(stats).and_then(Value::as_object_mut);
        for usage in usages.into_iter().flatten() {
            if let Value::Object(usage) = usage.1 {
                for list in ["costs", "response_latencies", "token_usages"] {
                    usage.remove(list);
                }
            }
        }
    }
}

pub(super) fn policy(policy: &Policy) -> Value {
    let from = |risk| match risk {
        Risk::Low | Risk::Unknown => "LOW",
        Risk::Medium => "MEDIUM",
        Risk::High => "HIGH",
    };
    match policy {
        Policy::Always => json!({ "kind": "AlwaysConfirm" }),
        Policy::Never => json!({ "kind": "NeverConfirm" }),
        Policy::Risky { threshold, unknown } => {
            json!({ "kind": "ConfirmRisky", "threshold": from(*threshold), "confirm_unknown": unknown })
        }
        Policy::Other(kind) => json!({ "kind": kind }),
    }
}

/// The first message of a new conversation, if it has one.
pub(in crate::backend) fn initial_message(new: &NewConversation) -> Option<Value> {
    let content = content(&new.message, &new.images);
    // A new conversation has no pending calls that "run" could approve.
    let message = json!({ "role": "user", "content": content, "run": true });
    (!content.is_empty()).then_some(message)
}

/// The content of a user's message; empty if there is none.
pub(super) fn content(text: &str, images: &[String]) -> Vec<Value> {
    let mut content = Vec::new();
    if !text.is_empty() {
        content.push(json!({ "type": "text", "text": text }));
    }
    if !images.is_empty() {
        content.push(json!({ "type": "image", "image_urls": images }));
    }
    content
}

/// Commits, newest first. Entries without a hash are skipped.
pub(super) fn commits(value: &Value) -> Vec<Commit> {
    let commit = |entry: &Value| {
        Some(Commit {
            sha: entry["sha"].as_str()?.to_owned(),
            subject: text(&entry["subject"]),
            author: text(&entry["author"]),
            at: millis(&entry["timestamp"]),
        })
    };
    entries(&value["commits"]).filter_map(commit).collect()
}

/// The skills of a conversation's agent.
pub(super) fn skills(info: &Value) -> Vec<Microagent> {
    let skill = |entry: &Value| {
        let trigger = &entry["trigger"];
        let triggers = trigger.get("keywords").unwrap_or(&trigger["triggers"]);
        Microagent {
            name: text(&entry["name"]),
            kind: "skill".to_owned(),
            triggers: texts(triggers),
            content: text(&entry["content"]),
        }
    };
    let skills = &info["agent"]["agent_context"]["skills"];
    entries(skills).map(skill).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::Status;

    #[test]
    fn a_conversation_of_the_list_brings_its_status_and_its_cost() {
        let value = json!({
            "id": "7a37b981-6483-4178-b8b1-2cfebce02175", "title": "A title", "execution_status": "waiting_for_confirmation",
            "workspace": { "working_dir": "/srv/work" },
            "created_at": "2026-11-21T00:37:12.356376Z", "updated_at": "2026-11-21T00:37:14Z",
            "stats": { "usage_to_metrics": {
                "default": { "accumulated_cost": 0.5, "costs": [{ "cost": 0.5 }] },
                "condenser": { "accumulated_cost": 0.25 },
            } },
        });
        let info = conversation(value).unwrap();
        assert_eq!(
            (info.status, info.cost),
            (Some(Status::AwaitingConfirmation), Some(0.75))
        );
        assert_eq!(
            (info.runtime, info.created_at),
            (Runtime::Running, 1_795_221_432_356)
        );
        assert!(conversation(json!({ "id": "../x" })).is_none());
    }

    #[test]
    fn what_grows_with_every_call_is_left_out() {
        let calls = json!([{ "cost": 1.0 }]);
        let usage = json!({ "default": { "accumulated_cost": 1.0, "costs": calls, "token_usages": calls } });
        for mut state in [
            json!({ "stats": { "usage_to_metrics": usage } }),
            json!({ "usage_to_metrics": usage }),
        ] {
            drop_calls(&mut state);
            let left = state.to_string();
            assert!(
                left.contains("accumulated_cost") && !left.contains("costs\":["),
                "{left}"
            );
        }
    }
}
