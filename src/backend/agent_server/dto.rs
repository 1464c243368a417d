//! What the REST routes of 1.x answer, read into our words.

use crate::backend::http::conversation_id;
use crate::backend::{ChangedFile, Commit, ConversationInfo, Runtime};
use crate::conversation::{Body, Policy, Risk, Stamp, Tags, from_v1};
use crate::wire::v1;
use serde_json::{Value, json};

/// One conversation; `None` for what is none, or has an id that we would not put into a URL.
pub(super) fn conversation(mut value: Value) -> Option<ConversationInfo> {
    drop_calls(&mut value);
    let runtime = value
        .pointer("/runtime_info/runtime_status")
        .and_then(Value::as_str)
        .map(str::to_owned);
    let info = v1::ConversationInfo::read(value)?;
    conversation_id(&info.id).ok()?;
    let told = from_v1::info(&info);
    let status = match told.body {
        Body::State(state) => state.status,
        _ => None,
    };
    Some(ConversationInfo {
        title: info.title.unwrap_or_default(),
        // A conversation is there as long as its server; only some live in a container of their own.
        runtime: match runtime.as_deref() {
            Some("starting") => Runtime::Starting,
            Some("missing" | "ownership_lost") => Runtime::Stopped,
            Some("error") => Runtime::Error,
            _ => Runtime::Running,
        },
        repository: Some(info.workspace.working_dir).filter(|folder| !folder.is_empty()),
        branch: None,
        tags: Tags(info.tags),
        created_at: Stamp::read(&info.created_at).millis,
        updated_at: Stamp::read(&info.updated_at).millis,
        trigger: String::new(),
        status,
        cost: told.metrics.map(|metrics| metrics.cost),
        id: info.id,
    })
}

/// Takes out of a state what grows with every call of the model: lists and snapshots repeat all of them.
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

/// A policy as the server wants it.
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

/// Files that differ from the repository, with git's letters.
pub(super) fn changes(value: &Value) -> Vec<ChangedFile> {
    let change = |entry: &Value| {
        let text = |key| entry.get(key).and_then(Value::as_str);
        let status = match text("status")? {
            "ADDED" => "A",
            "DELETED" => "D",
            "UPDATED" => "M",
            "MOVED" => "R",
            other => other,
        };
        Some(ChangedFile {
            path: text("path")?.to_owned(),
            status: status.to_owned(),
        })
    };
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(change)
        .collect()
}

/// Commits, newest first; an entry without a hash is none.
pub(super) fn commits(value: &Value) -> Vec<Commit> {
    let commit = |entry: &Value| {
        let text = |key| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        Some(Commit {
            sha: entry.get("sha")?.as_str()?.to_owned(),
            subject: text("subject").to_owned(),
            author: text("author").to_owned(),
            at: Stamp::read(text("timestamp")).millis,
        })
    };
    let all = value.get("commits").and_then(Value::as_array);
    all.into_iter().flatten().filter_map(commit).collect()
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
