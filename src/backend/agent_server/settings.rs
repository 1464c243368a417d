//! The settings of 1.x, as far as Handrail offers them, and its secrets.
//!
//! Changes are sent as a diff, so unknown fields are preserved. The server returns keys masked with asterisks, and
//! only a new key is sent. For a new conversation the server returns its settings with encrypted keys and accepts them
//! back in this form, so Handrail never holds a model's key in plain text, except a new one while it is saved.

use super::{AgentServer, Server, dto, mcp};
use crate::backend::dto::profiles;
use crate::backend::http::{Call, OPTIONS_FRESH};
use crate::backend::json::{entries, or_null, text};
use crate::backend::{
    Answer, BackendError, McpServer, Options, Profile, SecretName, Settings, SettingsApi, secrets,
};
use crate::conversation::{Policy, Risk};
use async_trait::async_trait;
use reqwest::Method;
use serde_json::{Value, json};

const SETTINGS: [&str; 2] = ["api", "settings"];
const SECRETS: [&str; 3] = ["api", "settings", "secrets"];

pub(in crate::backend) fn read(stored: &Value) -> Settings {
    let (agent, conversation) = (&stored["agent_settings"], &stored["conversation_settings"]);
    let flag = |value: &Value| value.as_bool().unwrap_or(false);
    Settings {
        model: text(&agent["llm"]["model"]),
        base_url: text(&agent["llm"]["base_url"]),
        // The app server has another name for it.
        api_key_set: flag(&stored["llm_api_key_is_set"]) || flag(&stored["llm_api_key_set"]),
        agent: text(&agent["agent"]),
        confirmation: flag(&conversation["confirmation_mode"]),
        analyzer: text(&conversation["security_analyzer"]),
        max_iterations: conversation["max_iterations"].as_u64(),
        condenser: flag(&agent["condenser"]["enabled"]),
        condenser_max_size: agent["condenser"]["max_size"].as_u64(),
        mcp: mcp::servers(stored).map(|(_, server)| server).collect(),
        ..Settings::default()
    }
}

pub(in crate::backend) fn write(stored: &Value, wanted: &Settings) -> Value {
    let mut llm = json!({ "model": wanted.model, "base_url": or_null(&wanted.base_url) });
    if let Some(key) = &wanted.api_key {
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
    let mcp = mcp::changes(stored, &wanted.mcp);
    if !mcp.is_empty() {
        agent["mcp_config"] = Value::Object(mcp);
    }
    json!({ "agent_settings_diff": agent, "conversation_settings_diff": conversation })
}

impl Server {
    pub(super) async fn settings(&self) -> Answer<Settings> {
        Ok(read(&self.rest.json(Call::get(&SETTINGS)).await?))
    }

    /// The settings for a new conversation, with encrypted keys.
    pub(super) async fn settings_for_a_conversation(&self) -> Answer<Vec<(&'static str, Value)>> {
        let call = Call {
            headers: &[("x-expose-secrets", "encrypted")],
            ..Call::get(&SETTINGS)
        };
        let mut stored = self.rest.json(call).await?;
        if stored["llm_api_key_is_set"] == false {
            let lacking = "enter the API key of the model in Settings";
            return Err(BackendError::NotSetUp(lacking.to_owned()));
        }
        let settings = read(&stored);
        let judged = !matches!(&*settings.analyzer, "" | "none");
        let policy = match (settings.confirmation, judged) {
            (false, _) => Policy::Never,
            (true, false) => Policy::Always,
            (true, true) => Policy::Risky {
                threshold: Risk::High,
                unknown: true,
            },
        };
        let agent = stored.get_mut("agent_settings").map(Value::take);
        let none = || BackendError::unexpected("settings without an agent");
        let mut agent = agent.filter(Value::is_object).ok_or_else(none)?;
        if let Some(llm) = agent.get_mut("llm").and_then(Value::as_object_mut) {
            // Without streaming, drafts would not be visible.
            llm.insert("stream".to_owned(), json!(true));
        }
        let mut body = vec![
            ("agent_settings", agent),
            ("secrets_encrypted", json!(true)),
            ("confirmation_policy", dto::policy(&policy)),
        ];
        if judged && settings.confirmation {
            let analyzer = json!({ "kind": "LLMSecurityAnalyzer" });
            body.push(("security_analyzer", analyzer));
        }
        let steps = settings.max_iterations;
        body.extend(steps.map(|steps| ("max_iterations", json!(steps))));
        Ok(body)
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
        rest.json(call).await.map(drop)
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
