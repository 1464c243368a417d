//! The settings of 1.x as far as a dashboard needs them, and its secrets.
//!
//! A change is sent as a difference, so what we have no field for stays. Keys come back as asterisks, and only a new
//! one is sent. For a new conversation the server hands its settings out with its keys encrypted, and takes them back
//! so: no key of a model is ever here.

use super::Server;
use super::mcp;
use super::routes::Answer;
use crate::backend::http::{Call, Missing, OPTIONS_FRESH, secret_name};
use crate::backend::{BackendError, Options, Secret, SecretName, Settings};
use crate::conversation::Policy;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;

const SETTINGS: [&str; 2] = ["api", "settings"];

/// Reads the stored settings.
pub(super) fn read(stored: &Value) -> Settings {
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
        mcp: mcp::servers(stored).map(|(_, server)| server).collect(),
        ..Settings::default()
    }
}

/// What has to be said for `wanted` to be stored.
pub(super) fn write(stored: &Value, wanted: &Settings) -> Value {
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
        let mut agent = stored
            .get_mut("agent_settings")
            .map(Value::take)
            .filter(Value::is_object)
            .ok_or_else(|| BackendError::Unexpected("settings without an agent".to_owned()))?;
        if let Some(llm) = agent.get_mut("llm").and_then(Value::as_object_mut) {
            // Or nobody would see it write.
            llm.insert("stream".to_owned(), json!(true));
        }
        let mut body = vec![
            ("agent_settings", agent),
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
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

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
