//! The settings of 1.x, as far as Handrail offers them, and its secrets.
//!
//! Changes are sent as a diff, so unknown fields are preserved. The server returns keys masked with asterisks, and
//! only a new key is sent.

use super::{AgentServer, Server, mcp};
use crate::backend::dto::profiles;
use crate::backend::http::{Call, OPTIONS_FRESH};
use crate::backend::json::{entries, or_null, text};
use crate::backend::{
    Answer, McpServer, Options, Profile, SecretName, Settings, SettingsApi, secrets,
};
use async_trait::async_trait;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

pub(super) const SETTINGS: [&str; 2] = ["api", "settings"];
pub(super) const SECRETS: [&str; 3] = ["api", "settings", "secrets"];

/// The step limit of a server that was given none, sent in place of `null`, which is refused or ignored there.
const STEPS: u64 = 500;

/// How long what is known of the agent of new conversations is not asked again.
pub(in crate::backend) const AGENT_FRESH: Duration = Duration::from_secs(30);

/// Whether settings are those of an ACP agent, which has a program of its own for everything, and asks nobody.
pub(in crate::backend) fn is_acp(stored: &Value) -> bool {
    stored["agent_settings"]["agent_kind"] == "acp"
}

pub(in crate::backend) fn read(stored: &Value) -> Settings {
    let (agent, conversation) = (&stored["agent_settings"], &stored["conversation_settings"]);
    let flag = |value: &Value| value.as_bool().unwrap_or(false);
    let analyzer = text(&conversation["security_analyzer"]);
    let mut settings = Settings {
        model: text(&agent["llm"]["model"]),
        base_url: text(&agent["llm"]["base_url"]),
        // The app server has another name for it.
        api_key_set: flag(&stored["llm_api_key_is_set"]) || flag(&stored["llm_api_key_set"]),
        agent: text(&agent["agent"]),
        confirmation: flag(&conversation["confirmation_mode"]),
        analyzer: Some(analyzer)
            .filter(|kind| kind != "none")
            .unwrap_or_default(),
        max_iterations: conversation["max_iterations"].as_u64(),
        condenser: flag(&agent["condenser"]["enabled"]),
        condenser_max_size: agent["condenser"]["max_size"].as_u64(),
        mcp: mcp::servers(stored).map(|(_, server)| server).collect(),
        ..Settings::default()
    };
    if is_acp(stored) {
        settings.acp = match text(&agent["acp_server"]) {
            name if name.is_empty() || name == "custom" => "ACP".to_owned(),
            name => name,
        };
        settings.model = text(&agent["acp_model"]);
        settings.base_url.clear();
    }
    settings
}

/// The changes that make the stored settings the wanted ones.
pub(in crate::backend) fn write(stored: &Value, wanted: &Settings) -> Value {
    let steps = wanted.max_iterations.unwrap_or(STEPS);
    let mut conversation = json!({ "max_iterations": steps });
    let mut agent = match is_acp(stored) {
        // Other fields are refused, or have no effect.
        true => json!({ "acp_model": or_null(&wanted.model) }),
        false => {
            conversation["confirmation_mode"] = json!(wanted.confirmation);
            // An app server ignores `null`.
            conversation["security_analyzer"] = match &*wanted.analyzer {
                "" => json!("none"),
                analyzer => json!(analyzer),
            };
            let mut llm = json!({ "model": wanted.model, "base_url": or_null(&wanted.base_url) });
            if let Some(key) = &wanted.api_key {
                llm["api_key"] = json!(key);
            }
            // Without a size it has its default again.
            let (enabled, size) = (wanted.condenser, wanted.condenser_max_size);
            json!({ "llm": llm, "condenser": { "enabled": enabled, "max_size": size } })
        }
    };
    let mcp = mcp::changes(stored, &wanted.mcp);
    if !mcp.is_empty() {
        agent["mcp_config"] = mcp::within(stored, mcp);
    }
    json!({ "agent_settings_diff": agent, "conversation_settings_diff": conversation })
}

impl Server {
    pub(super) async fn settings(&self) -> Answer<Settings> {
        let settings = read(&self.rest.json(Call::get(&SETTINGS)).await?);
        self.asks_nobody.store(!settings.acp.is_empty(), Relaxed);
        Ok(settings)
    }

    /// Learns again which kind of agent new conversations have, at most once in a while.
    pub(super) async fn learn_agent(&self) {
        if let Ok(stored) = self.rest.shared(Call::get(&SETTINGS), AGENT_FRESH).await {
            self.asks_nobody.store(is_acp(&stored), Relaxed);
        }
    }
}

#[async_trait]
impl SettingsApi for AgentServer {
    async fn settings(&self) -> Answer<Settings> {
        self.server.settings().await
    }

    async fn save_settings(&self, wanted: Settings) -> Answer<()> {
        let rest = &self.server.rest;
        let stored = rest.json(Call::get(&SETTINGS)).await?;
        let call = Call::new(Method::PATCH, &SETTINGS).json(write(&stored, &wanted));
        rest.json(call).await?;
        rest.forget();
        Ok(())
    }

    async fn options(&self) -> Answer<Options> {
        let call = Call::get(&["api", "llm", "models", "verified"]);
        let answer = self.server.rest.shared(call, OPTIONS_FRESH).await?;
        let providers = answer["models"].as_object().into_iter().flatten();
        let models = providers.flat_map(|(provider, names)| {
            let names = entries(names).filter_map(Value::as_str);
            names.map(move |name| format!("{provider}/{name}"))
        });
        Ok(Options {
            models: models.collect(),
            agents: Vec::new(),
            analyzers: vec!["llm".to_owned()],
        })
    }

    async fn profiles(&self) -> Answer<Vec<Profile>> {
        let call = Call::get(&["api", "profiles"]);
        profiles(&self.server.rest.json(call).await?)
    }

    async fn test_mcp(&self, server: McpServer) -> Answer<Vec<String>> {
        self.server.test_mcp(&server).await
    }

    async fn secrets(&self) -> Answer<Vec<SecretName>> {
        let answer = self.server.rest.json(Call::get(&SECRETS)).await?;
        Ok(secrets::names(&answer["secrets"]))
    }

    async fn save_secret(&self, name: &str, value: &str, description: &str) -> Answer<()> {
        let rest = &self.server.rest;
        secrets::save(rest, Method::PUT, &SECRETS, name, value, description).await
    }

    async fn delete_secret(&self, name: &str) -> Answer<()> {
        secrets::delete(&self.server.rest, &SECRETS, name).await
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::backend::Secret;

    pub(in super::super) fn stored() -> Value {
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
}
