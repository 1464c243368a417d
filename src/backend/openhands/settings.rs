//! Reads and writes the settings of 0.x.
//!
//! `POST /api/settings` replaces everything and resets missing fields (`docs/protocol/v0.md` section 8), so a change is
//! the whole stored object, unknown fields included, with our fields on top. Keys are returned as `null`, which means
//! "unchanged". One loss is unavoidable: `sandbox_api_key` is neither returned nor kept when it is missing.

use crate::backend::json::{entries, or_null, text, texts};
use crate::backend::{McpServer, Secret, Settings};
use serde_json::{Value, json};

/// Fields that the server adds to its response and that are no settings.
const SHOWN_ONLY: [&str; 4] = [
    "llm_api_key_set",
    "search_api_key_set",
    "provider_tokens_set",
    "secrets_store",
];

/// Default settings for a server that has none stored.
pub(super) fn fresh() -> Settings {
    Settings {
        agent: "CodeActAgent".to_owned(),
        condenser: true,
        ..Settings::default()
    }
}

pub(super) fn read(stored: &Value) -> Settings {
    let flag = |key: &str| stored[key].as_bool();
    Settings {
        acp: String::new(),
        model: text(&stored["llm_model"]),
        base_url: text(&stored["llm_base_url"]),
        api_key_set: flag("llm_api_key_set").unwrap_or(false),
        api_key: None,
        agent: text(&stored["agent"]),
        confirmation: flag("confirmation_mode").unwrap_or(false),
        analyzer: text(&stored["security_analyzer"]),
        max_iterations: stored["max_iterations"].as_u64(),
        max_budget: stored["max_budget_per_task"].as_f64(),
        condenser: flag("enable_default_condenser").unwrap_or(true),
        condenser_max_size: stored["condenser_max_size"].as_u64(),
        search_api_key_set: flag("search_api_key_set").unwrap_or(false),
        search_api_key: None,
        git_user_name: text(&stored["git_user_name"]),
        git_user_email: text(&stored["git_user_email"]),
        mcp: servers(&stored["mcp_config"]),
    }
}

/// The stored settings, overwritten with the wanted ones.
pub(super) fn write(mut stored: Value, wanted: &Settings) -> Value {
    match &mut stored {
        Value::Object(stored) => SHOWN_ONLY.iter().for_each(|key| drop(stored.remove(*key))),
        // The server uses its own defaults for the fields that are missing here.
        _ => stored = json!({ "language": "en" }),
    }
    stored["llm_model"] = or_null(&wanted.model);
    // `null` would keep the old address; only an empty string removes it.
    stored["llm_base_url"] = json!(wanted.base_url);
    stored["llm_api_key"] = json!(wanted.api_key);
    stored["agent"] = or_null(&wanted.agent);
    stored["confirmation_mode"] = json!(wanted.confirmation);
    stored["security_analyzer"] = or_null(&wanted.analyzer);
    stored["max_iterations"] = json!(wanted.max_iterations);
    stored["max_budget_per_task"] = json!(wanted.max_budget);
    stored["enable_default_condenser"] = json!(wanted.condenser);
    stored["condenser_max_size"] = json!(wanted.condenser_max_size);
    stored["search_api_key"] = json!(wanted.search_api_key);
    stored["git_user_name"] = or_null(&wanted.git_user_name);
    stored["git_user_email"] = or_null(&wanted.git_user_email);
    stored["mcp_config"] = mcp_config(&stored["mcp_config"], &wanted.mcp);
    stored
}

/// The URL of an MCP server; older files contain it as a plain string.
fn address(entry: &Value) -> String {
    match entry {
        Value::String(url) => url.clone(),
        entry => text(&entry["url"]),
    }
}

fn servers(config: &Value) -> Vec<McpServer> {
    let remote = |kind: &str| {
        let has_key = |entry: &Value| !text(&entry["api_key"]).is_empty();
        entries(&config[kind]).map(move |entry| (address(entry), has_key(entry), None))
    };
    let http = remote("shttp_servers");
    let http = http.map(|(url, key_set, key)| McpServer::Http { url, key_set, key });
    let sse = remote("sse_servers");
    let sse = sse.map(|(url, key_set, key)| McpServer::Sse { url, key_set, key });
    let stdio = entries(&config["stdio_servers"]).map(|entry| McpServer::Stdio {
        name: text(&entry["name"]),
        command: text(&entry["command"]),
        args: texts(&entry["args"]),
    });
    let mut servers: Vec<McpServer> = Vec::new();
    for server in http.chain(sse).chain(stdio) {
        // The server prepends the entries of its own file on each read; show each once.
        if !servers.contains(&server) {
            servers.push(server);
        }
    }
    servers
}

/// The wanted MCP servers, each with key, environment and timeout of the stored one with the same URL or name.
fn mcp_config(stored: &Value, wanted: &[McpServer]) -> Value {
    if wanted.is_empty() && stored.is_null() {
        return Value::Null;
    }
    let known = |kind: &str, is_it: &dyn Fn(&Value) -> bool| {
        let entry = entries(&stored[kind]).find(|entry| is_it(entry));
        let entry = entry.filter(|entry| entry.is_object());
        entry.cloned().unwrap_or_else(|| json!({}))
    };
    let remote = |kind: &str, url: &str, key: &Option<Secret>| {
        let mut entry = known(kind, &|entry| address(entry) == url);
        entry["url"] = json!(url);
        if let Some(Secret(key)) = key {
            entry["api_key"] = or_null(key);
        }
        entry
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
                let mut entry = known("stdio_servers", &|entry| entry["name"] == *name);
                entry["name"] = json!(name);
                entry["command"] = json!(command);
                entry["args"] = json!(args);
                stdio.push(entry);
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
