//! Settings of the backends and their connections. Backends are identified by label; that of the first is empty.

use super::answer::Answer;
use super::{ApiError, ConnectionReport, ConnectionView, SavedSettings, SettingsView};
use crate::backend::Settings;
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use super::ApiErrorKind;
#[cfg(feature = "ssr")]
use super::serve::{Allowed, allowed, form_parts};
#[cfg(feature = "ssr")]
use crate::people::Right;

/// The settings of the backend.
#[server(output = Answer)]
pub async fn read_settings(#[server(default)] backend: String) -> Result<SettingsView, ApiError> {
    let Allowed { hub, .. } = allowed(Right::Own)?;
    Ok(hub.backends.settings(&backend).await?)
}

/// Changes the settings of the backend; empty keys stay unchanged. The MCP servers have
/// functions of their own and are not changed here. With `seen`, the version in [`SettingsView`], nothing is saved if
/// another user has changed them since. Without a script, what the backend has stored differently is an error.
#[server]
pub async fn save_settings(
    settings: Settings,
    #[server(default)] backend: String,
    #[server(default)] seen: String,
) -> Result<SavedSettings, ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    let saved = hub
        .backends
        .save_settings(&by, &backend, settings, &seen)
        .await?;
    match form_parts() {
        Some(_) if !saved.trouble.is_empty() => {
            Err(ApiError::new(ApiErrorKind::BackendRefuses, saved.trouble))
        }
        _ => Ok(saved),
    }
}

/// Adds an MCP server. `kind` is `http`, `sse` or `stdio`; for `stdio` the `address` is a command line.
#[server]
pub async fn add_mcp_server(
    kind: String,
    address: String,
    #[server(default)] name: String,
    #[server(default)] key: String,
    #[server(default)] backend: String,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    Ok(hub
        .backends
        .add_mcp_server(&by, &backend, &kind, &address, &name, &key)
        .await?)
}

/// Tests an MCP server before it is added.
#[server]
pub async fn test_mcp_server(
    kind: String,
    address: String,
    #[server(default)] name: String,
    #[server(default)] key: String,
    #[server(default)] backend: String,
) -> Result<ConnectionReport, ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    Ok(hub
        .backends
        .test_mcp_server(&by, &backend, &kind, &address, &name, &key)
        .await?)
}

/// Removes the MCP server with this address (or command line).
#[server]
pub async fn remove_mcp_server(
    address: String,
    #[server(default)] backend: String,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    Ok(hub
        .backends
        .remove_mcp_server(&by, &backend, &address)
        .await?)
}

/// Stores a secret, or replaces it.
#[server]
pub async fn save_secret(
    name: String,
    value: String,
    #[server(default)] description: String,
    #[server(default)] backend: String,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    Ok(hub
        .backends
        .save_secret(&by, &backend, &name, &value, &description)
        .await?)
}

/// Removes a secret.
#[server]
pub async fn delete_secret(
    name: String,
    #[server(default)] backend: String,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    Ok(hub.backends.delete_secret(&by, &backend, &name).await?)
}

/// Addresses of the backends.
#[server(output = Answer)]
pub async fn read_connections() -> Result<Vec<ConnectionView>, ApiError> {
    let Allowed { hub, .. } = allowed(Right::Own)?;
    Ok(hub.backends.views().await?)
}

/// Tests an address without saving it. An empty key means the stored one.
#[server]
pub async fn test_connection(
    address: String,
    #[server(default)] key: String,
) -> Result<ConnectionReport, ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    Ok(hub.backends.test(&by, &address, &key).await?)
}

/// Adds a backend, or replaces the one with the label `instead`.
#[server]
pub async fn save_connection(
    #[server(default)] instead: String,
    #[server(default)] rehearsal: bool,
    #[server(default)] address: String,
    #[server(default)] key: String,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    Ok(hub
        .backends
        .save(&by, &instead, rehearsal, &address, &key)
        .await?)
}

/// Removes a backend.
#[server]
pub async fn remove_connection(label: String) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    Ok(hub.backends.remove(&by, &label).await?)
}
