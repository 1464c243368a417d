//! The settings of the app server. They have the shape of those of an agent-server, on other routes.

use super::{AppServer, Directory, dto};
use crate::backend::agent_server::{
    AGENT_FRESH, is_acp, mcp_as_a_whole, read_settings, write_settings,
};
use crate::backend::dto::profiles;
use crate::backend::error::if_found;
use crate::backend::http::{Call, OPTIONS_FRESH};
use crate::backend::{Answer, Options, Profile, SecretName, Settings, SettingsApi, secrets};
use async_trait::async_trait;
use reqwest::Method;
use serde_json::Value;
use std::sync::atomic::Ordering::Relaxed;

const SETTINGS: [&str; 3] = ["api", "v1", "settings"];
const SECRETS: [&str; 3] = ["api", "v1", "secrets"];
/// Pages of 100 models that are offered at most; the server knows thousands.
const PAGES: usize = 5;

impl Directory {
    /// Empty settings before somebody has saved some: the server has none then.
    async fn stored(&self) -> Answer<Value> {
        let stored = if_found(self.rest.json(Call::get(&SETTINGS)).await)?;
        Ok(stored.unwrap_or_default())
    }

    pub(super) async fn settings(&self) -> Answer<Settings> {
        let settings = read_settings(&self.stored().await?);
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
impl SettingsApi for AppServer {
    async fn settings(&self) -> Answer<Settings> {
        self.directory.settings().await
    }

    async fn save_settings(&self, wanted: Settings) -> Answer<()> {
        let stored = self.directory.stored().await?;
        let mut changes = write_settings(&stored, &wanted);
        if let Some(servers) = changes.pointer_mut("/agent_settings_diff/mcp_config") {
            *servers = mcp_as_a_whole(&stored, servers)?;
        }
        let call = Call::new(Method::POST, &SETTINGS).json(changes);
        self.directory.rest.json(call).await?;
        self.directory.rest.forget();
        Ok(())
    }

    async fn options(&self) -> Answer<Options> {
        let mut models = Vec::new();
        let mut page: Option<String> = None;
        for _ in 0..PAGES {
            let call = Call::get(&["api", "v1", "config", "models", "search"])
                .query("limit", "100")
                .query("verified__eq", "true")
                .query("page_id", page.as_deref());
            let answer = self.directory.rest.shared(call, OPTIONS_FRESH).await?;
            models.extend(dto::models(&answer));
            page = answer["next_page_id"].as_str().map(str::to_owned);
            if page.is_none() {
                break;
            }
        }
        Ok(Options {
            models,
            agents: Vec::new(),
            analyzers: vec!["llm".to_owned()],
        })
    }

    async fn profiles(&self) -> Answer<Vec<Profile>> {
        let call = Call::get(&[&SETTINGS[..], &["profiles"]].concat());
        profiles(&self.directory.rest.json(call).await?)
    }

    async fn secrets(&self) -> Answer<Vec<SecretName>> {
        let call = Call::get(&["api", "v1", "secrets", "search"]).query("limit", "100");
        let answer = self.directory.rest.json(call).await?;
        Ok(secrets::names(&answer["items"]))
    }

    async fn save_secret(&self, name: &str, value: &str, description: &str) -> Answer<()> {
        let rest = &self.directory.rest;
        secrets::save(rest, Method::POST, &SECRETS, name, value, description).await
    }

    async fn delete_secret(&self, name: &str) -> Answer<()> {
        secrets::delete(&self.directory.rest, &SECRETS, name).await
    }
}
