//! MCP servers as 1.x keeps them: by a name of their own, which the page knows nothing of.

use super::Server;
use super::routes::Answer;
use crate::backend::http::{Call, Patience};
use crate::backend::{BackendError, McpServer, Secret};
use reqwest::Method;
use serde_json::{Map, Value, json};
use url::Url;

/// The stored MCP servers with their names.
pub(super) fn servers(stored: &Value) -> impl Iterator<Item = (&String, McpServer)> {
    let config = stored
        .pointer("/agent_settings/mcp_config")
        .and_then(Value::as_object);
    config
        .into_iter()
        .flatten()
        .map(|(name, entry)| (name, server(name, entry)))
}

fn server(name: &str, entry: &Value) -> McpServer {
    let text = |key: &str| {
        entry
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let (url, key) = (text("url"), None);
    let has = |key: &str| entry.get(key).is_some_and(|value| !value.is_null());
    let key_set = has("auth") || entry.pointer("/headers/Authorization").is_some();
    match (text("transport").as_str(), url.is_empty()) {
        (_, true) => {
            let args = entry
                .get("args")
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            McpServer::Stdio {
                name: name.to_owned(),
                command: text("command"),
                args: args
                    .filter_map(|arg| arg.as_str().map(str::to_owned))
                    .collect(),
            }
        }
        ("sse", _) => McpServer::Sse { url, key_set, key },
        _ => McpServer::Http { url, key_set, key },
    }
}

/// What is added, and `null` for what is not wanted any more.
pub(super) fn changes(stored: &Value, wanted: &[McpServer]) -> Map<String, Value> {
    let is = |one: &McpServer, other: &McpServer| match (one, other) {
        (McpServer::Stdio { name, .. }, McpServer::Stdio { name: other, .. }) => name == other,
        (one, other) => url(one).is_some() && url(one) == url(other),
    };
    let mut changes = Map::new();
    for (name, known) in servers(stored) {
        if !wanted.iter().any(|server| is(server, &known)) {
            changes.insert(name.clone(), Value::Null);
        }
    }
    for server in wanted {
        if !servers(stored).any(|(_, known)| is(server, &known)) {
            let taken = |name: &str| {
                changes.contains_key(name) || servers(stored).any(|(known, _)| known == name)
            };
            let plain = name(server);
            let mut free = plain.clone();
            for number in 2.. {
                if !taken(&free) {
                    break;
                }
                free = format!("{plain}-{number}");
            }
            changes.insert(free, said(server));
        }
    }
    changes
}

fn url(server: &McpServer) -> Option<&String> {
    match server {
        McpServer::Http { url, .. } | McpServer::Sse { url, .. } => Some(url),
        McpServer::Stdio { .. } => None,
    }
}

/// What a server is called: by its host if it has no name of its own.
fn name(server: &McpServer) -> String {
    let name = match server {
        McpServer::Stdio { name, .. } => name.clone(),
        remote => {
            let url = url(remote).and_then(|url| Url::parse(url).ok());
            url.and_then(|url| url.host_str().map(str::to_owned))
                .unwrap_or_default()
        }
    };
    let plain = |letter: char| {
        if letter.is_ascii_alphanumeric() {
            letter
        } else {
            '-'
        }
    };
    let name: String = name.chars().map(plain).take(60).collect();
    if name.is_empty() {
        "server".to_owned()
    } else {
        name
    }
}

/// A server as it is stored.
fn said(server: &McpServer) -> Value {
    let remote = |transport: &str, url: &String, key: &Option<Secret>| {
        let mut entry = json!({ "transport": transport, "url": url });
        if let Some(Secret(key)) = key {
            entry["headers"] = json!({ "Authorization": format!("Bearer {key}") });
        }
        entry
    };
    match server {
        McpServer::Http { url, key, .. } => remote("http", url, key),
        McpServer::Sse { url, key, .. } => remote("sse", url, key),
        McpServer::Stdio { command, args, .. } => json!({ "command": command, "args": args }),
    }
}

impl Server {
    /// Connects to an MCP server for once: the names of its tools.
    pub(super) async fn test_mcp(&self, server: &McpServer) -> Answer<Vec<String>> {
        let mut spec = said(server);
        let kind = spec
            .get("transport")
            .cloned()
            .unwrap_or_else(|| json!("stdio"));
        if let Value::Object(spec) = &mut spec {
            spec.remove("transport");
            spec.insert("type".to_owned(), kind);
        }
        let body = json!({ "name": name(server), "server": spec, "timeout": 15 });
        let path = ["api", "mcp", "test"];
        let call = Call {
            patience: Patience::Slow,
            ..Call::send(Method::POST, &path, body)
        };
        let answer = self.rest.json(call).await?;
        if answer.get("ok").and_then(Value::as_bool) == Some(true) {
            let tools = answer
                .get("tools")
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            return Ok(tools
                .filter_map(|tool| tool.as_str().map(str::to_owned))
                .collect());
        }
        let why = answer
            .get("error")
            .and_then(Value::as_str)
            .unwrap_or("it does not say why");
        Err(BackendError::Refused(why.chars().take(500).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::settings::{read, tests::stored, write};
    use super::*;

    #[test]
    fn mcp_servers_are_added_and_removed_by_name_and_the_others_left_alone() {
        let mut settings = read(&stored());
        assert!(
            write(&stored(), &settings)
                .pointer("/agent_settings_diff/mcp_config")
                .is_none()
        );
        settings
            .mcp
            .retain(|server| matches!(server, McpServer::Http { key_set: true, .. }));
        settings.mcp.push(McpServer::Sse {
            url: "http://docs/sse".to_owned(),
            key_set: true,
            key: Some(Secret("k".to_owned())),
        });
        let sent = write(&stored(), &settings);
        let expected = json!({
            "prog": null,
            "docs-2": { "transport": "sse", "url": "http://docs/sse", "headers": { "Authorization": "Bearer k" } },
        });
        assert_eq!(
            sent.pointer("/agent_settings_diff/mcp_config"),
            Some(&expected)
        );
    }
}
