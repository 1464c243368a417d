//! What the REST routes of 0.x answer, read into our words.
//!
//! Read field by field out of JSON: a list with one odd entry is still a list.

use crate::backend::http::conversation_id;
use crate::backend::{
    ChangedFile, ConversationInfo, ConversationPage, Microagent, Options, Runtime, SecretName,
};
use serde_json::Value;

fn text(value: &Value, key: &str) -> Option<String> {
    value
        .get(key)?
        .as_str()
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value
        .get(key)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

/// The texts of a JSON array.
pub(super) fn texts(value: &Value) -> Vec<String> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|text| text.as_str().map(str::to_owned))
        .collect()
}

/// Milliseconds since the Unix epoch of a UTC time; 0 when it is unreadable.
fn millis(value: &Value, key: &str) -> i64 {
    let read = |text: String| text.parse::<jiff::Timestamp>().ok();
    text(value, key)
        .and_then(read)
        .map_or(0, jiff::Timestamp::as_millisecond)
}

/// One conversation. `None` for `null`, for ids that we would not put into a URL, and for those of the
/// other protocol that newer servers list among them.
pub(super) fn conversation(value: &Value) -> Option<ConversationInfo> {
    let id = text(value, "conversation_id")?;
    if conversation_id(&id).is_err() || text(value, "conversation_version").as_deref() == Some("V1")
    {
        return None;
    }
    let runtime = match text(value, "status").unwrap_or_default().as_str() {
        "STARTING" => Runtime::Starting,
        "RUNNING" => Runtime::Running,
        "ERROR" => Runtime::Error,
        _ => Runtime::Stopped,
    };
    Some(ConversationInfo {
        id,
        title: text(value, "title").unwrap_or_default(),
        runtime,
        repository: text(value, "selected_repository"),
        branch: text(value, "selected_branch"),
        tags: Default::default(),
        created_at: millis(value, "created_at"),
        updated_at: millis(value, "last_updated_at"),
        trigger: text(value, "trigger").unwrap_or_default(),
        status: None,
        cost: None,
    })
}

/// A page of conversations. `num_connections` is always 0 there and ignored.
pub(super) fn conversations(value: &Value) -> ConversationPage {
    ConversationPage {
        results: list(value, "results").filter_map(conversation).collect(),
        next: text(value, "next_page_id"),
    }
}

/// Files that differ from the repository.
pub(super) fn changes(value: &Value) -> Vec<ChangedFile> {
    let change = |entry: &Value| {
        Some(ChangedFile {
            path: text(entry, "path")?,
            status: text(entry, "status")?,
        })
    };
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(change)
        .collect()
}

/// Microagents of a conversation.
pub(super) fn microagents(value: &Value) -> Vec<Microagent> {
    let microagent = |entry: &Value| {
        Some(Microagent {
            name: text(entry, "name")?,
            kind: text(entry, "type").unwrap_or_default(),
            triggers: texts(entry.get("triggers").unwrap_or(&Value::Null)),
            content: text(entry, "content").unwrap_or_default(),
        })
    };
    list(value, "microagents").filter_map(microagent).collect()
}

/// Names of stored secrets.
pub(super) fn secrets(value: &Value) -> Vec<SecretName> {
    let secret = |entry: &Value| {
        Some(SecretName {
            name: text(entry, "name")?,
            description: text(entry, "description").unwrap_or_default(),
        })
    };
    list(value, "custom_secrets").filter_map(secret).collect()
}

/// What can be chosen.
pub(super) fn options(models: &Value, agents: &Value, analyzers: &Value) -> Options {
    Options {
        models: texts(models),
        agents: texts(agents),
        analyzers: texts(analyzers),
    }
}

/// Names in `directory`: 0.62 answers them with the directory in front.
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
        assert_eq!(page.results.len(), 1);
        assert_eq!(
            (page.results[0].runtime, page.results[0].created_at),
            (Runtime::Running, 1_795_224_110_449)
        );
        assert_eq!(page.next.as_deref(), Some("p"));
        assert_eq!(conversations(&json!("x")).results.len(), 0);
    }

    #[test]
    fn files_of_a_directory_lose_its_name() {
        let listed = json!([".git/branches/", ".git/HEAD"]);
        assert_eq!(files(&listed, ".git"), ["branches/", "HEAD"]);
        assert_eq!(files(&listed, ".git/"), ["branches/", "HEAD"]);
        assert_eq!(files(&json!(["a/", "b"]), ""), ["a/", "b"]);
    }
}
