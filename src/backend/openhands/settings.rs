//! The settings of 0.x, read and written.
//!
//! The idea: `POST /api/settings` replaces everything and resets what is left out (`protocol/v0.md` section
//! 8), so a change is always the whole stored object with our fields put over it. Fields that we do not
//! know survive. Keys come back as `null`, and `null` means "as it was". One loss cannot be avoided:
//! `sandbox_api_key` is hidden by the server and not kept by it.

use crate::backend::{McpServer, Secret, Settings};
use serde_json::{Map, Value, json};

/// What the server adds when it shows settings; it is no part of them.
const SHOWN_ONLY: [&str; 4] = [
    "llm_api_key_set",
    "search_api_key_set",
    "provider_tokens_set",
    "secrets_store",
];

/// Settings of a server that has none yet.
pub(super) fn fresh() -> Settings {
    Settings {
        agent: "CodeActAgent".to_owned(),
        condenser: true,
        ..Settings::default()
    }
}

/// Reads the stored settings.
pub(super) fn read(stored: &Value) -> Settings {
    let text = |key: &str| {
        stored
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let flag = |key: &str| stored.get(key).and_then(Value::as_bool);
    let number = |key: &str| stored.get(key).and_then(Value::as_u64);
    Settings {
        model: text("llm_model"),
        base_url: text("llm_base_url"),
        api_key_set: flag("llm_api_key_set").unwrap_or(false),
        api_key: None,
        agent: text("agent"),
        confirmation: flag("confirmation_mode").unwrap_or(false),
        analyzer: text("security_analyzer"),
        max_iterations: number("max_iterations"),
        max_budget: stored.get("max_budget_per_task").and_then(Value::as_f64),
        condenser: flag("enable_default_condenser").unwrap_or(true),
        condenser_max_size: number("condenser_max_size"),
        search_api_key_set: flag("search_api_key_set").unwrap_or(false),
        search_api_key: None,
        git_user_name: text("git_user_name"),
        git_user_email: text("git_user_email"),
        mcp: servers(stored.get("mcp_config").unwrap_or(&Value::Null)),
    }
}

/// The stored settings with the wanted ones put over them.
pub(super) fn write(stored: Value, wanted: &Settings) -> Value {
    let mut map = match stored {
        Value::Object(map) => map,
        // The server's own defaults for what we have no field for.
        _ => Map::from_iter([("language".to_owned(), json!("en"))]),
    };
    for key in SHOWN_ONLY {
        map.remove(key);
    }
    let or_null = |text: &str| {
        if text.is_empty() {
            Value::Null
        } else {
            json!(text)
        }
    };
    let mcp = mcp_config(map.get("mcp_config").unwrap_or(&Value::Null), &wanted.mcp);
    map.extend([
        ("llm_model".to_owned(), or_null(&wanted.model)),
        // Null would keep the old address; only an empty text takes it away.
        ("llm_base_url".to_owned(), json!(wanted.base_url)),
        ("llm_api_key".to_owned(), json!(wanted.api_key)),
        ("agent".to_owned(), or_null(&wanted.agent)),
        ("confirmation_mode".to_owned(), json!(wanted.confirmation)),
        ("security_analyzer".to_owned(), or_null(&wanted.analyzer)),
        ("max_iterations".to_owned(), json!(wanted.max_iterations)),
        ("max_budget_per_task".to_owned(), json!(wanted.max_budget)),
        (
            "enable_default_condenser".to_owned(),
            json!(wanted.condenser),
        ),
        (
            "condenser_max_size".to_owned(),
            json!(wanted.condenser_max_size),
        ),
        ("search_api_key".to_owned(), json!(wanted.search_api_key)),
        ("git_user_name".to_owned(), or_null(&wanted.git_user_name)),
        ("git_user_email".to_owned(), or_null(&wanted.git_user_email)),
        ("mcp_config".to_owned(), mcp),
    ]);
    Value::Object(map)
}

fn entries<'a>(config: &'a Value, kind: &str) -> &'a [Value] {
    config
        .get(kind)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

fn field<'a>(entry: &'a Value, key: &str) -> &'a str {
    entry.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The address of a server: older files hold a bare text.
fn address(entry: &Value) -> &str {
    entry.as_str().unwrap_or_else(|| field(entry, "url"))
}

fn servers(config: &Value) -> Vec<McpServer> {
    let mut servers: Vec<McpServer> = Vec::new();
    let mut push = |server: McpServer| {
        // The server puts those of its own file in front at each reading; once is enough.
        if !servers.contains(&server) {
            servers.push(server);
        }
    };
    for entry in entries(config, "shttp_servers") {
        push(McpServer::Http {
            url: address(entry).to_owned(),
            key_set: !field(entry, "api_key").is_empty(),
            key: None,
        });
    }
    for entry in entries(config, "sse_servers") {
        push(McpServer::Sse {
            url: address(entry).to_owned(),
            key_set: !field(entry, "api_key").is_empty(),
            key: None,
        });
    }
    for entry in entries(config, "stdio_servers") {
        let args = entries(entry, "args")
            .iter()
            .filter_map(|arg| arg.as_str().map(str::to_owned))
            .collect();
        push(McpServer::Stdio {
            name: field(entry, "name").to_owned(),
            command: field(entry, "command").to_owned(),
            args,
        });
    }
    servers
}

/// The wanted servers, each over the stored one of the same address or name: its key, its environment
/// and its time limit stay.
fn mcp_config(stored: &Value, wanted: &[McpServer]) -> Value {
    if wanted.is_empty() && stored.is_null() {
        return Value::Null;
    }
    let remote = |kind: &str, url: &str, key: &Option<Secret>| {
        let old = entries(stored, kind)
            .iter()
            .find(|entry| address(entry) == url);
        let mut entry = old.and_then(Value::as_object).cloned().unwrap_or_default();
        entry.insert("url".to_owned(), json!(url));
        if let Some(key) = key {
            entry.insert(
                "api_key".to_owned(),
                if key.0.is_empty() {
                    Value::Null
                } else {
                    json!(key)
                },
            );
        }
        Value::Object(entry)
    };
    let (mut http, mut sse, mut stdio) = (Vec::new(), Vec::new(), Vec::new());
    for server in wanted {
        match server {
            McpServer::Http { url, key, .. } => http.push(remote("shttp_servers", url, key)),
            McpServer::Sse { url, key, .. } => sse.push(remote("sse_servers", url, key)),
            McpServer::Stdio {
                name,
                command,
                args,
            } => {
                let old = entries(stored, "stdio_servers")
                    .iter()
                    .find(|entry| field(entry, "name") == name);
                let mut entry = old.and_then(Value::as_object).cloned().unwrap_or_default();
                entry.insert("name".to_owned(), json!(name));
                entry.insert("command".to_owned(), json!(command));
                entry.insert("args".to_owned(), json!(args));
                stdio.push(Value::Object(entry));
            }
        }
    }
    json!({ "shttp_servers": http, "sse_servers": sse, "stdio_servers": stdio })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored() -> Value {
        json!({
            "language": "no", "llm_model": "m", "llm_api_key": null, "llm_base_url": "http://b", "agent": "CodeActAgent",
            "confirmation_mode": true, "condenser_max_size": 40, "enable_sound_notifications": true,
            "llm_api_key_set": true, "provider_tokens_set": {"github": null}, "secrets_store": {"provider_tokens": {}},
            "mcp_config": {
                "shttp_servers": [{"url": "http://a/mcp", "api_key": "k", "timeout": 7}],
                "sse_servers": ["http://old/sse"],
                "stdio_servers": [{"name": "n", "command": "c", "args": ["-x"], "env": {"A": "1"}}],
            },
        })
    }

    #[test]
    fn saving_what_was_read_changes_nothing() {
        let mut expected = stored();
        for key in SHOWN_ONLY {
            expected.as_object_mut().unwrap().remove(key);
        }
        let written = write(stored(), &read(&stored()));
        for (key, value) in expected.as_object().unwrap() {
            if key != "mcp_config" {
                assert_eq!(&written[key], value, "{key}");
            }
        }
        assert_eq!(
            written["mcp_config"]["shttp_servers"],
            expected["mcp_config"]["shttp_servers"]
        );
        assert_eq!(
            written["mcp_config"]["stdio_servers"],
            expected["mcp_config"]["stdio_servers"]
        );
        assert_eq!(
            written["mcp_config"]["sse_servers"][0]["url"],
            "http://old/sse"
        );
        assert!(SHOWN_ONLY.iter().all(|key| written.get(key).is_none()));
    }

    #[test]
    fn a_key_is_sent_only_when_it_is_new() {
        let mut wanted = read(&stored());
        assert!(write(stored(), &wanted)["llm_api_key"].is_null());
        wanted.api_key = Some(Secret("new".to_owned()));
        assert_eq!(write(stored(), &wanted)["llm_api_key"], "new");
    }

    #[test]
    fn an_address_that_is_taken_away_is_sent_as_empty() {
        let wanted = Settings {
            base_url: String::new(),
            ..read(&stored())
        };
        assert_eq!(write(stored(), &wanted)["llm_base_url"], "");
    }

    #[test]
    fn a_server_that_is_listed_twice_is_shown_once() {
        let twice = json!({"mcp_config": {"shttp_servers": [{"url": "u"}, {"url": "u"}]}});
        assert_eq!(read(&twice).mcp.len(), 1);
    }

    #[test]
    fn rubbish_reads_as_empty_settings() {
        for rubbish in [
            json!(null),
            json!([1]),
            json!({"llm_model": 5, "mcp_config": "x", "max_iterations": -1}),
        ] {
            assert_eq!(read(&rubbish).model, "");
        }
    }
}
