//! Settings of the backends and their connections. Backends are identified by label; that of the first is empty.

use super::answer::Answer;
use super::{
    ApiError, ConnectionReport, ConnectionView, NodesView, RetentionRun, RetentionView,
    SavedSettings, SettingsView,
};
use crate::backend::Settings;
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use super::ApiErrorKind;
#[cfg(feature = "ssr")]
use super::RetentionRule;
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

/// Follows everything that runs on a backend from now on, or only what is opened.
#[server]
pub async fn follow_everything(
    label: String,
    #[server(default)] everything: bool,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    Ok(hub
        .backends
        .follow_everything(&by, &label, everything)
        .await?)
}

/// The nodes, and what the one that serves carries.
#[server(output = Answer)]
pub async fn read_nodes() -> Result<NodesView, ApiError> {
    let Allowed { hub, .. } = allowed(Right::Own)?;
    Ok(hub.nodes().await?)
}

/// The rules by which conversations are deleted, and what they would delete now.
#[server(output = Answer)]
pub async fn read_retention() -> Result<RetentionView, ApiError> {
    let Allowed { hub, .. } = allowed(Right::Own)?;
    Ok(hub.policies.deletions.view().await?)
}

/// Adds a rule: conversations unchanged for so many `days`; with `megabytes` only as long as the database has more in use.
#[server]
pub async fn add_retention_rule(
    days: u32,
    #[server(default)] megabytes: String,
    #[server(default)] repository: String,
    #[server(default)] archived: bool,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    let megabytes = match megabytes.trim() {
        "" => 0,
        number => number.parse().map_err(|_| {
            let text = "Enter the size as a whole number of megabytes, or leave it blank.";
            ApiError::new(ApiErrorKind::Invalid, text)
        })?,
    };
    let rule = RetentionRule {
        days,
        megabytes,
        repository,
        archived,
    };
    Ok(hub.policies.deletions.add(&by, rule).await?)
}

/// Removes the rule of this number, counted from 1.
#[server]
pub async fn remove_retention_rule(number: usize) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    Ok(hub.policies.deletions.remove(&by, number).await?)
}

/// Applies the rules each day from now on, or no longer.
#[server]
pub async fn automate_retention(#[server(default)] automatic: bool) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    Ok(hub.policies.deletions.set_automatic(&by, automatic).await?)
}

/// Applies the rules now, unless they would delete more conversations than were `seen`.
#[server]
pub async fn apply_retention(#[server(default)] seen: usize) -> Result<RetentionRun, ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    Ok(hub.policies.deletions.run(&by, Some(seen)).await?)
}

/// Removes a backend.
#[server]
pub async fn remove_connection(label: String) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    Ok(hub.backends.remove(&by, &label).await?)
}
