//! Routes for what the server keeps beside conversations: settings, secrets, what can be chosen.

use super::routes::Answer;
use super::{dto, settings};
use crate::backend::http::{Call, Missing, OPTIONS_FRESH, Rest, secret_name};
use crate::backend::{BackendError, Options, SecretName, Settings};
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;

/// The stored settings as they are; `None` before the first save.
pub(super) async fn stored_settings(rest: &Rest) -> Answer<Option<Value>> {
    match rest
        .json(Call {
            missing: Missing::Thing("its settings"),
            ..Call::get(&["api", "settings"])
        })
        .await
    {
        Ok(stored) => Ok(Some(stored)),
        Err(BackendError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Puts `wanted` over the stored settings.
pub(super) async fn save_settings(rest: &Rest, wanted: &Settings) -> Answer<()> {
    let stored = stored_settings(rest).await?.unwrap_or(Value::Null);
    let body = settings::write(stored, wanted);
    rest.json(Call::send(Method::POST, &["api", "settings"], body))
        .await
        .map(drop)
}

/// What can be chosen.
pub(super) async fn options(rest: &Arc<Rest>) -> Answer<Options> {
    let ask = async |what: &str| {
        rest.shared(Call::get(&["api", "options", what]), OPTIONS_FRESH)
            .await
    };
    let (models, agents, analyzers) =
        futures_util::try_join!(ask("models"), ask("agents"), ask("security-analyzers"))?;
    Ok(dto::options(&models, &agents, &analyzers))
}

/// Names of the stored secrets.
pub(super) async fn secrets(rest: &Rest) -> Answer<Vec<SecretName>> {
    Ok(dto::secrets(
        &rest.json(Call::get(&["api", "secrets"])).await?,
    ))
}

/// Stores a secret. The server can change a name but no value, so one that exists is removed first.
pub(super) async fn save_secret(
    rest: &Rest,
    name: &str,
    value: &str,
    description: &str,
) -> Answer<()> {
    let name = secret_name(name)?;
    if secrets(rest)
        .await?
        .iter()
        .any(|secret| secret.name == name)
    {
        delete_secret(rest, name).await?;
    }
    let body = json!({ "name": name, "value": value, "description": description });
    rest.json(Call::send(Method::POST, &["api", "secrets"], body))
        .await
        .map(drop)
}

/// Removes a secret.
pub(super) async fn delete_secret(rest: &Rest, name: &str) -> Answer<()> {
    let path = ["api", "secrets", secret_name(name)?];
    rest.json(Call {
        method: Method::DELETE,
        missing: Missing::Thing("this secret"),
        ..Call::get(&path)
    })
    .await
    .map(drop)
}

/// The version of the server; no route says it but the description of the routes.
pub(super) async fn version(rest: &Arc<Rest>) -> Option<String> {
    let description = rest
        .shared(Call::get(&["openapi.json"]), OPTIONS_FRESH)
        .await
        .ok()?;
    description
        .pointer("/info/version")
        .and_then(Value::as_str)
        .map(str::to_owned)
}
