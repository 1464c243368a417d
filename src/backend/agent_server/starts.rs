//! What a start carries: settings, approval policy, tools, secrets.
//!
//! The server returns its settings with encrypted keys and accepts them back in this form, so Handrail never holds a model's
//! key in plain text, except a new one while it is saved.

use super::settings::{SECRETS, SETTINGS, read};
use super::{Server, dto};
use crate::backend::error::if_found;
use crate::backend::http::Call;
use crate::backend::{Answer, BackendError, Settings, secrets};
use crate::conversation::{Body, Policy, Risk, from_v1};
use crate::wire::v1;
use serde_json::{Value, json};
use std::sync::Arc;

/// The tools of an agent whose settings have none.
const TOOLS: [&str; 3] = ["terminal", "file_editor", "task_tracker"];

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
        body.push(("secrets", self.secret_sources().await?));
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
    async fn secret_sources(&self) -> Answer<Value> {
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
