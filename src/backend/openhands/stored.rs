//! Requests for the state of a conversation, and for what the server stores beside: settings, secrets and options.

use super::{OpenHands, dto, settings};
use crate::backend::error::if_found;
use crate::backend::http::{Call, OPTIONS_FRESH, Rest, secret_name};
use crate::backend::json::texts;
use crate::backend::{
    Answer, ConversationInfo, Options, SecretName, Settings, SettingsApi, secrets,
};
use async_trait::async_trait;
use reqwest::Method;
use serde_json::Value;

const SETTINGS: [&str; 2] = ["api", "settings"];
const SECRETS: [&str; 2] = ["api", "secrets"];

/// The current state of a conversation, uncached, because it decides whether a connection may join.
pub(super) async fn conversation(rest: &Rest, id: &str) -> Answer<Option<ConversationInfo>> {
    let call = Call::conversation(Method::GET, id, &[])?;
    let answer = if_found(rest.json(call).await)?;
    Ok(answer.as_ref().and_then(dto::conversation))
}

/// The stored settings, unparsed; `None` before the first save.
pub(super) async fn stored_settings(rest: &Rest) -> Answer<Option<Value>> {
    let call = Call::get(&SETTINGS).missing("its settings");
    if_found(rest.json(call).await)
}

#[async_trait]
impl SettingsApi for OpenHands {
    async fn settings(&self) -> Answer<Settings> {
        let stored = stored_settings(&self.rest).await?;
        Ok(stored.map_or_else(settings::fresh, |stored| settings::read(&stored)))
    }

    async fn save_settings(&self, wanted: Settings) -> Answer<()> {
        let _one = self.saving.lock().await;
        let stored = stored_settings(&self.rest).await?.unwrap_or(Value::Null);
        let body = settings::write(stored, &wanted);
        let call = Call::new(Method::POST, &SETTINGS).json(body);
        self.rest.json(call).await.map(drop)
    }

    async fn options(&self) -> Answer<Options> {
        let ask = async |what: &str| {
            let call = Call::get(&["api", "options", what]);
            Ok(texts(&*self.rest.shared(call, OPTIONS_FRESH).await?))
        };
        let (models, agents, analyzers) =
            futures_util::try_join!(ask("models"), ask("agents"), ask("security-analyzers"))?;
        Ok(Options {
            models,
            agents,
            analyzers,
        })
    }

    async fn secrets(&self) -> Answer<Vec<SecretName>> {
        let answer = self.rest.json(Call::get(&SECRETS)).await?;
        Ok(secrets::names(&answer["custom_secrets"]))
    }

    /// The server can rename a secret but not change its value, so an existing one is deleted first.
    async fn save_secret(&self, name: &str, value: &str, description: &str) -> Answer<()> {
        let _one = self.saving.lock().await;
        let name = secret_name(name)?;
        let stored = self.secrets().await?;
        if stored.iter().any(|secret| secret.name == name) {
            self.delete_secret(name).await?;
        }
        secrets::save(&self.rest, Method::POST, &SECRETS, name, value, description).await
    }

    async fn delete_secret(&self, name: &str) -> Answer<()> {
        secrets::delete(&self.rest, &SECRETS, name).await
    }
}
