//! MCP servers as 1.x stores them: by a unique name, which the pages do not know.

use super::Server;
use crate::backend::http::{Call, TimeoutClass};
use crate::backend::json::{text, texts};
use crate::backend::{Answer, BackendError, McpServer, Secret};
use reqwest::Method;
use serde_json::{Map, Value, json};
use url::Url;

/// Name of the object in which 1.30 and before keep the servers.
const WRAPPER: &str = "mcpServers";

/// The stored entries, by name.
fn entries(stored: &Value) -> &Value {
    let config = &stored["agent_settings"]["mcp_config"];
    config
        .get(WRAPPER)
        .filter(|servers| servers.is_object())
        .unwrap_or(config)
}

pub(super) fn servers(stored: &Value) -> impl Iterator<Item = (&String, McpServer)> {
    let entries = entries(stored).as_object().into_iter().flatten();
    entries.map(|(name, entry)| (name, server(name, entry)))
}

/// Changes, where the stored entries are.
pub(super) fn within(stored: &Value, changes: Map<String, Value>) -> Value {
    match stored["agent_settings"]["mcp_config"].get(WRAPPER) {
        Some(_) => json!({ WRAPPER: changes }),
        None => Value::Object(changes),
    }
}

/// All servers after `changes`, for an app server, which replaces them as a whole.
///
/// Errors: `Refused` if a server that stays has a key: it is not returned, and would be lost.
pub(in crate::backend) fn as_a_whole(stored: &Value, changes: &Value) -> Answer<Value> {
    let mut all = entries(stored).as_object().cloned().unwrap_or_default();
    for (name, change) in changes.as_object().into_iter().flatten() {
        match change {
            Value::Null => drop(all.remove(name)),
            new => drop(all.insert(name.clone(), new.clone())),
        }
    }
    let is_kept = |name: &str| changes.get(name).is_none();
    let keyed = all
        .iter()
        .find(|(name, entry)| is_kept(name) && has_key(entry));
    match keyed {
        None => Ok(Value::Object(all)),
        Some((name, entry)) => {
            let address = server(name, entry).address();
            Err(BackendError::Refused(format!(
                "it replaces all MCP servers at once and does not tell the key of {address}, which would be lost. Remove \
                 {address} first, then add it again with its key, last"
            )))
        }
    }
}

fn has_key(entry: &Value) -> bool {
    !entry["auth"].is_null() || entry["headers"].get("Authorization").is_some()
}

fn server(name: &str, entry: &Value) -> McpServer {
    let (url, key, key_set) = (text(&entry["url"]), None, has_key(entry));
    if url.is_empty() {
        return McpServer::Stdio {
            name: name.to_owned(),
            command: text(&entry["command"]),
            args: texts(&entry["args"]),
        };
    }
    if entry["transport"] == "sse" {
        return McpServer::Sse { url, key_set, key };
    }
    McpServer::Http { url, key_set, key }
}

/// The difference to `wanted`: new entries, and `null` for removed ones.
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

/// The stored name of an MCP server: its own, or its host.
fn name(server: &McpServer) -> String {
    let name = match server {
        McpServer::Stdio { name, .. } => name.clone(),
        McpServer::Http { url, .. } | McpServer::Sse { url, .. } => {
            let url = Url::parse(url).ok();
            let host = url.as_ref().and_then(Url::host_str);
            host.unwrap_or_default().to_owned()
        }
    };
    let name = name.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
    let name: String = name.chars().take(60).collect();
    if name.is_empty() {
        return "server".to_owned();
    }
    name
}

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
    /// Connects to an MCP server once and returns the names of its tools. Errors: `Refused` with the server's message.
    pub(super) async fn test_mcp(&self, server: &McpServer) -> Answer<Vec<String>> {
        let mut spec = said(server);
        // What is stored as "transport" is called "type" here.
        spec["type"] = match spec["transport"].take() {
            Value::Null => json!("stdio"),
            transport => transport,
        };
        if let Value::Object(spec) = &mut spec {
            spec.remove("transport");
        }
        let call = Call::new(Method::POST, &["api", "mcp", "test"])
            .json(json!({ "name": name(server), "server": spec, "timeout": 15 }))
            .within(TimeoutClass::Slow);
        let answer = self.rest.json(call).await?;
        if answer["ok"] == true {
            return Ok(texts(&answer["tools"]));
        }
        let why = answer["error"].as_str().unwrap_or("no reason given");
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
