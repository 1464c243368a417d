//! The settings of 1.x as far as a dashboard needs them, and its secrets.
//!
//! A change is sent as a difference, so what we have no field for stays. Keys come back as asterisks, and only a new
//! one is sent. For a new conversation the server hands its settings out with its keys encrypted, and takes them back
//! so: no key of a model is ever here.

use super::Server;
use super::routes::Answer;
use crate::backend::http::{Call, Missing, OPTIONS_FRESH, Patience, secret_name};
use crate::backend::{BackendError, McpServer, Options, Secret, SecretName, Settings};
use crate::conversation::Policy;
use reqwest::Method;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use url::Url;

const SETTINGS: [&str; 2] = ["api", "settings"];

/// Reads the stored settings.
fn read(stored: &Value) -> Settings {
    let text = |path: &str| {
        stored
            .pointer(path)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let flag = |path: &str| {
        stored
            .pointer(path)
            .and_then(Value::as_bool)
            .unwrap_or(false)
    };
    let number = |path: &str| stored.pointer(path).and_then(Value::as_u64);
    Settings {
        model: text("/agent_settings/llm/model"),
        base_url: text("/agent_settings/llm/base_url"),
        api_key_set: flag("/llm_api_key_is_set"),
        agent: text("/agent_settings/agent"),
        confirmation: flag("/conversation_settings/confirmation_mode"),
        analyzer: text("/conversation_settings/security_analyzer"),
        max_iterations: number("/conversation_settings/max_iterations"),
        condenser: flag("/agent_settings/condenser/enabled"),
        condenser_max_size: number("/agent_settings/condenser/max_size"),
        mcp: servers(stored).map(|(_, server)| server).collect(),
        ..Settings::default()
    }
}

/// What has to be said for `wanted` to be stored.
fn write(stored: &Value, wanted: &Settings) -> Value {
    let or_null = |text: &str| {
        if text.is_empty() {
            Value::Null
        } else {
            json!(text)
        }
    };
    let mut llm = json!({ "model": wanted.model, "base_url": or_null(&wanted.base_url) });
    if let Some(Secret(key)) = &wanted.api_key {
        llm["api_key"] = json!(key);
    }
    let mut condenser = json!({ "enabled": wanted.condenser });
    if let Some(size) = wanted.condenser_max_size {
        condenser["max_size"] = json!(size);
    }
    let mut conversation = json!({
        "confirmation_mode": wanted.confirmation,
        "security_analyzer": or_null(&wanted.analyzer),
    });
    if let Some(steps) = wanted.max_iterations {
        conversation["max_iterations"] = json!(steps);
    }
    let mut agent = json!({ "llm": llm, "condenser": condenser });
    let mcp = mcp_changes(stored, &wanted.mcp);
    if !mcp.is_empty() {
        agent["mcp_config"] = Value::Object(mcp);
    }
    json!({ "agent_settings_diff": agent, "conversation_settings_diff": conversation })
}

/// The stored MCP servers with their names.
fn servers(stored: &Value) -> impl Iterator<Item = (&String, McpServer)> {
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
fn mcp_changes(stored: &Value, wanted: &[McpServer]) -> Map<String, Value> {
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
    pub(super) async fn settings(&self) -> Answer<Settings> {
        Ok(read(&self.rest.json(Call::get(&SETTINGS)).await?))
    }

    pub(super) async fn save_settings(&self, wanted: &Settings) -> Answer<()> {
        let stored = self.rest.json(Call::get(&SETTINGS)).await?;
        let change = write(&stored, wanted);
        self.rest
            .json(Call::send(Method::PATCH, &SETTINGS, change))
            .await
            .map(drop)
    }

    /// What a new conversation begins with, its keys encrypted.
    pub(super) async fn settings_for_a_conversation(&self) -> Answer<Vec<(&'static str, Value)>> {
        let call = Call {
            headers: &[("x-expose-secrets", "encrypted")],
            ..Call::get(&SETTINGS)
        };
        let mut stored = self.rest.json(call).await?;
        if stored.get("llm_api_key_is_set").and_then(Value::as_bool) == Some(false) {
            return Err(BackendError::NotSetUp(
                "it has no key for its model: open Settings".to_owned(),
            ));
        }
        let Settings {
            confirmation,
            analyzer,
            max_iterations,
            ..
        } = read(&stored);
        let judged = !analyzer.is_empty() && analyzer != "none";
        let policy = if !confirmation {
            Policy::Never
        } else if judged {
            Policy::Risky {
                threshold: crate::conversation::Risk::High,
                unknown: true,
            }
        } else {
            Policy::Always
        };
        let mut body = vec![
            ("agent_settings", stored["agent_settings"].take()),
            ("secrets_encrypted", json!(true)),
            ("confirmation_policy", super::dto::policy(&policy)),
        ];
        if judged && confirmation {
            body.push((
                "security_analyzer",
                json!({ "kind": "LLMSecurityAnalyzer" }),
            ));
        }
        body.extend(max_iterations.map(|steps| ("max_iterations", json!(steps))));
        Ok(body)
    }

    pub(super) async fn options(self: &Arc<Self>) -> Answer<Options> {
        let call = Call::get(&["api", "llm", "models", "verified"]);
        let answer = self.rest.shared(call, OPTIONS_FRESH).await?;
        let providers = answer
            .get("models")
            .and_then(Value::as_object)
            .into_iter()
            .flatten();
        let models = providers.flat_map(|(provider, names)| {
            let names = names
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str);
            names.map(move |name| format!("{provider}/{name}"))
        });
        Ok(Options {
            models: models.collect(),
            agents: Vec::new(),
            analyzers: vec!["llm".to_owned()],
        })
    }

    pub(super) async fn secrets(&self) -> Answer<Vec<SecretName>> {
        let answer = self
            .rest
            .json(Call::get(&["api", "settings", "secrets"]))
            .await?;
        let secret = |entry: &Value| {
            let text = |key: &str| entry.get(key).and_then(Value::as_str);
            Some(SecretName {
                name: text("name")?.to_owned(),
                description: text("description").unwrap_or_default().to_owned(),
            })
        };
        let secrets = answer.get("secrets").and_then(Value::as_array);
        Ok(secrets.into_iter().flatten().filter_map(secret).collect())
    }

    pub(super) async fn save_secret(
        &self,
        name: &str,
        value: &str,
        description: &str,
    ) -> Answer<()> {
        let body =
            json!({ "name": secret_name(name)?, "value": value, "description": description });
        let path = ["api", "settings", "secrets"];
        self.rest
            .json(Call::send(Method::PUT, &path, body))
            .await
            .map(drop)
    }

    pub(super) async fn delete_secret(&self, name: &str) -> Answer<()> {
        let path = ["api", "settings", "secrets", secret_name(name)?];
        let missing = Missing::Thing("this secret");
        let call = Call {
            method: Method::DELETE,
            missing,
            ..Call::get(&path)
        };
        self.rest.json(call).await.map(drop)
    }

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
    use super::*;

    fn stored() -> Value {
        json!({
            "llm_api_key_is_set": true,
            "agent_settings": {
                "llm": { "model": "openai/m", "base_url": null, "api_key": "**********" },
                "condenser": { "enabled": true, "max_size": 240 },
                "mcp_config": {
                    "docs": { "url": "http://docs/mcp", "transport": "http", "headers": { "Authorization": "**********" } },
                    "prog": { "command": "uvx", "args": ["time"] },
                },
            },
            "conversation_settings": { "confirmation_mode": false, "security_analyzer": "llm", "max_iterations": 500 },
        })
    }

    #[test]
    fn a_key_is_sent_only_when_it_is_new_and_never_read() {
        let mut settings = read(&stored());
        assert!(settings.api_key_set && settings.api_key.is_none());
        assert!(!write(&stored(), &settings).to_string().contains("api_key"));
        settings.api_key = Some(Secret("sk-new".to_owned()));
        let sent = write(&stored(), &settings);
        assert_eq!(
            sent.pointer("/agent_settings_diff/llm/api_key"),
            Some(&json!("sk-new"))
        );
    }

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
