//! The settings of 1.x, as far as Handrail offers them, and its secrets.
//!
//! Changes are sent as a diff, so unknown fields are preserved. The server returns keys masked with asterisks, and
//! only a new key is sent. For a new conversation the server returns its settings with encrypted keys and accepts them
//! back in this form, so Handrail never holds a model's key in plain text, except a new one while it is saved.

use super::{AgentServer, Server, dto, mcp};
use crate::backend::dto::profiles;
use crate::backend::error::if_found;
use crate::backend::http::{Call, OPTIONS_FRESH};
use crate::backend::json::{entries, or_null, text};
use crate::backend::{
    Answer, BackendError, McpServer, Options, Profile, SecretName, Settings, SettingsApi, secrets,
};
use crate::conversation::{Body, Policy, Risk, from_v1};
use crate::wire::v1;
use async_trait::async_trait;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

const SETTINGS: [&str; 2] = ["api", "settings"];
const SECRETS: [&str; 3] = ["api", "settings", "secrets"];

/// The step limit of a server that was given none, and the lowest one of its settings: there, `null` is refused or ignored.
const STEPS: u64 = 500;

/// How long what is known of the agent of new conversations is not asked again.
pub(in crate::backend) const AGENT_FRESH: Duration = Duration::from_secs(30);

/// The tools of an agent whose settings have none.
const TOOLS: [&str; 3] = ["terminal", "file_editor", "task_tracker"];

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

/// When agents of new conversations ask for approval, and the analyzer that they need for it.
fn rule(settings: &Settings) -> (Policy, Option<&'static str>) {
    let is_judged = !settings.analyzer.is_empty();
    match (settings.confirmation, is_judged) {
        (false, _) => (Policy::Never, None),
        (true, false) => (Policy::Always, None),
        (true, true) => {
            let policy = Policy::Risky {
                threshold: Risk::High,
                unknown: true,
            };
            (policy, Some("LLMSecurityAnalyzer"))
        }
    }
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

    /// The settings for a new conversation, with encrypted keys, and what else its agent needs.
    pub(super) async fn settings_for_a_conversation(&self) -> Answer<Vec<(&'static str, Value)>> {
        let call = Call {
            headers: &[("x-expose-secrets", "encrypted")],
            ..Call::get(&SETTINGS)
        };
        let mut stored = self.rest.json(call).await?;
        let settings = read(&stored);
        let agent = stored.get_mut("agent_settings").map(Value::take);
        let none = || BackendError::unexpected("settings without an agent");
        let mut agent = agent.filter(Value::is_object).ok_or_else(none)?;
        let mut body = Vec::new();
        if settings.acp.is_empty() {
            if let Some(llm) = agent.get_mut("llm").and_then(Value::as_object_mut) {
                // Without streaming, drafts would not be visible.
                llm.insert("stream".to_owned(), json!(true));
            }
            // The default of 1.30 and before; `null` is that of later ones.
            if agent["tools"].as_array().is_some_and(Vec::is_empty) {
                agent["tools"] = self.usual_tools(&agent).await;
            }
            let (policy, analyzer) = rule(&settings);
            body.push(("confirmation_policy", dto::policy(&policy)));
            let analyzer = analyzer.map(|kind| ("security_analyzer", json!({ "kind": kind })));
            body.extend(analyzer);
        }
        body.push(("agent_settings", agent));
        body.push(("secrets_encrypted", json!(true)));
        body.push(("secrets", self.look_ups().await?));
        let steps = settings.max_iterations;
        body.extend(steps.map(|steps| ("max_iterations", json!(steps))));
        Ok(body)
    }

    /// The tools that OpenHands' own page gives to an agent whose settings have none.
    async fn usual_tools(&self, agent: &Value) -> Value {
        let info = self.info().await.unwrap_or_default();
        let is_usable = |name: &str| info.usable_tools.iter().any(|tool| tool == name);
        let sub_agents = agent["enable_sub_agents"] == true;
        let more = [("browser_tool_set", true), ("task_tool_set", sub_agents)];
        let more = more
            .into_iter()
            .filter(|(name, is_wanted)| *is_wanted && is_usable(name));
        let names = TOOLS.into_iter().chain(more.map(|(name, _)| name));
        names
            .map(|name| json!({ "name": name, "params": {} }))
            .collect()
    }

    /// Where an agent finds each secret when it needs it. Before it looked them up itself, the server needed its own key
    /// for that.
    async fn look_ups(&self) -> Answer<Value> {
        let listed = if_found(self.rest.json(Call::get(&SECRETS)).await)?;
        let listed = listed.unwrap_or_default();
        let secrets = secrets::names(&listed["secrets"]).into_iter().map(|secret| {
            let url = format!("/api/settings/secrets/{}", secret.name);
            let mut look_up = json!({ "kind": "LookupSecret", "url": url, "description": secret.description });
            if let Some(key) = self.rest.key() {
                look_up["headers"] = json!({ "X-Session-API-Key": key });
            }
            (secret.name, look_up)
        });
        Ok(Value::Object(secrets.collect()))
    }

    /// Compares when a conversation asks for approval with what `settings` promise, and changes it if it is not that.
    /// Answers what was found and done, in sentences, if it was not.
    pub(super) async fn keep_promise(
        self: &Arc<Self>,
        id: &str,
        settings: &Settings,
    ) -> Answer<Option<String>> {
        let (promised, analyzer) = rule(settings);
        let asks = async || -> Answer<Option<(Policy, bool)>> {
            let info = v1::ConversationInfo::read(self.conversation(id).await?);
            let info = info.ok_or_else(|| BackendError::unexpected("no conversation"))?;
            let is_rated = info.security_analyzer.is_some();
            let Body::State(state) = from_v1::info(&info).body else {
                return Ok(None);
            };
            let asks = state.asks_nobody != Some(true);
            Ok(state
                .policy
                .filter(|_| asks)
                .map(|policy| (policy, is_rated)))
        };
        let is_kept = |(policy, is_rated): &(Policy, bool)| {
            *policy == promised && (analyzer.is_none() || *is_rated)
        };
        match asks().await? {
            None => return Ok(None),
            Some(asks) if is_kept(&asks) => return Ok(None),
            Some(_) => {}
        }
        let kind = analyzer.map(|kind| json!({ "kind": kind }));
        let body = json!({ "security_analyzer": kind });
        self.set(id, "security_analyzer", body).await?;
        let body = json!({ "policy": dto::policy(&promised) });
        self.set(id, "confirmation_policy", body).await?;
        let is_mended = asks().await?.as_ref().is_none_or(is_kept);
        Ok(Some(match is_mended {
            true => "This conversation began with another approval policy than the settings say. It has the right one \
                     now. Check what ran before that.",
            false => "This conversation has another approval policy than the settings say, and OpenHands does not change \
                      it. Stop the agent if it must not act without approval.",
        }.to_owned()))
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
