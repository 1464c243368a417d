//! Parses the responses of the REST routes of 0.x.
//!
//! Parsing is lenient, field by field: one invalid entry does not invalidate a list.

use crate::backend::json::{entries, filled, millis, text, texts};
use crate::backend::{ConversationInfo, ConversationPage, Microagent, Runtime};
use crate::conversation::is_id;
use serde_json::Value;

/// Parses a conversation. `None` for `null`, ids not safe in a URL, and 1.x conversations, which newer servers list.
pub(super) fn conversation(value: &Value) -> Option<ConversationInfo> {
    let id = filled(&value["conversation_id"])?;
    if !is_id(&id) || value["conversation_version"] == "V1" {
        return None;
    }
    Some(ConversationInfo {
        id,
        title: text(&value["title"]),
        runtime: match value["status"].as_str() {
            Some("STARTING") => Runtime::Starting,
            Some("RUNNING") => Runtime::Running,
            Some("ERROR") => Runtime::Error,
            _ => Runtime::Stopped,
        },
        repository: filled(&value["selected_repository"]),
        branch: filled(&value["selected_branch"]),
        created_at: millis(&value["created_at"]),
        updated_at: millis(&value["last_updated_at"]),
        trigger: text(&value["trigger"]),
        ..ConversationInfo::default()
    })
}

/// A page of conversations. `num_connections` is always 0 there, so it is ignored.
pub(super) fn conversations(value: &Value) -> ConversationPage {
    let listed = entries(&value["results"]);
    let unnamed = |one: &&Value| filled(&one["conversation_id"]).is_some_and(|id| !is_id(&id));
    ConversationPage {
        left_out: listed.clone().filter(unnamed).count(),
        results: listed.filter_map(conversation).collect(),
        next: filled(&value["next_page_id"]),
        ..ConversationPage::default()
    }
}

pub(super) fn microagents(value: &Value) -> Vec<Microagent> {
    let microagent = |entry: &Value| {
        Some(Microagent {
            name: filled(&entry["name"])?,
            kind: text(&entry["type"]),
            triggers: texts(&entry["triggers"]),
            content: text(&entry["content"]),
        })
    };
    let listed = entries(&value["microagents"]);
    listed.filter_map(microagent).collect()
}

/// The names in `directory`; 0.62 returns them with the directory as a prefix.
pub(super) fn files(value: &Value, directory: &str) -> Vec<String> {
    let directory = directory.trim_end_matches('/');
    let within = |path: String| match path
        .strip_prefix(directory)
        .and_then(|rest| rest.strip_prefix('/'))
    {
        Some(name) if !directory.is_empty() => name.to_owned(),
        _ => path,
    };
    texts(value).into_iter().map(within).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn one_odd_conversation_does_not_hide_the_others() {
        let good = json!({
            "conversation_id": "0123456789abcdef0123456789abcdef", "title": "T", "status": "RUNNING",
            "created_at": "2026-11-21T01:21:50.449748Z", "selected_repository": null, "trigger": "gui",
        });
        let other = json!({"conversation_id": "0123456789abcdef0123456789abcdef", "conversation_version": "V1"});
        let page = conversations(
            &json!({"results": [7, null, {"conversation_id": "../../x"}, other, good], "next_page_id": "p"}),
        );
        assert_eq!((page.results.len(), page.left_out), (1, 1));
        assert_eq!(
            (page.results[0].runtime, page.results[0].created_at),
            (Runtime::Running, 1_795_224_110_449)
        );
        assert_eq!(page.next.as_deref(), Some("p"));
        assert_eq!(conversations(&json!("x")).results.len(), 0);
    }

    #[test]
    fn every_conversation_that_an_address_can_name_is_listed() {
        let one = |id: &str| json!({ "conversation_id": id });
        let page = conversations(
            &json!({"results": [one("nightly_build-7"), one("A"), one("a b"), one("..")]}),
        );
        let ids: Vec<&str> = page.results.iter().map(|info| info.id.as_str()).collect();
        assert_eq!((ids, page.left_out), (vec!["nightly_build-7", "A"], 2));
    }

    #[test]
    fn files_of_a_directory_lose_its_name() {
        let listed = json!([".git/branches/", ".git/HEAD"]);
        assert_eq!(files(&listed, ".git"), ["branches/", "HEAD"]);
        assert_eq!(files(&listed, ".git/"), ["branches/", "HEAD"]);
        assert_eq!(files(&json!(["a/", "b"]), ""), ["a/", "b"]);
    }
}
