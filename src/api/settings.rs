//! Settings of the backend and of the line to it.

use super::{ApiError, ConnectionReport, ConnectionView, SettingsView};
use crate::backend::Settings;
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use super::serve::{Allowed, allowed};
#[cfg(feature = "ssr")]
use crate::people::Right;

/// The settings of the backend.
#[server]
pub async fn read_settings() -> Result<SettingsView, ApiError> {
    let Allowed { hub, .. } = allowed(Right::Own)?;
    hub.settings().await.map_err(ApiError::from)
}

/// Changes the settings of the backend; keys that are empty stay as they are. The MCP servers have
/// functions of their own and stay as they are here.
#[server]
pub async fn save_settings(settings: Settings) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    hub.save_settings(&by, settings)
        .await
        .map_err(ApiError::from)
}

/// Adds an MCP server. `kind` is `http`, `sse` or `stdio`; for the last `address` is a command line.
#[server]
pub async fn add_mcp_server(
    kind: String,
    address: String,
    #[server(default)] name: String,
    #[server(default)] key: String,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    hub.add_mcp_server(&by, &kind, &address, &name, &key)
        .await
        .map_err(ApiError::from)
}

/// Removes the MCP server with this address (or command line).
#[server]
pub async fn remove_mcp_server(address: String) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    hub.remove_mcp_server(&by, &address)
        .await
        .map_err(ApiError::from)
}

/// Stores a secret, or replaces it.
#[server]
pub async fn save_secret(
    name: String,
    value: String,
    #[server(default)] description: String,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    hub.save_secret(&by, &name, &value, &description)
        .await
        .map_err(ApiError::from)
}

/// Removes a secret.
#[server]
pub async fn delete_secret(name: String) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    hub.delete_secret(&by, &name).await.map_err(ApiError::from)
}

/// Where the backend is.
#[server]
pub async fn read_connection() -> Result<ConnectionView, ApiError> {
    let Allowed { hub, .. } = allowed(Right::Own)?;
    hub.connection().await.map_err(ApiError::from)
}

/// Tries a connection without keeping it. An empty key means the stored one.
#[server]
pub async fn test_connection(
    host: String,
    port: u16,
    #[server(default)] tls: bool,
    #[server(default)] path: String,
    #[server(default)] key: String,
) -> Result<ConnectionReport, ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    hub.test_connection(&by, &host, port, tls, &path, &key)
        .await
        .map_err(ApiError::from)
}

/// Keeps a connection and uses it from now on.
#[server]
pub async fn save_connection(
    #[server(default)] rehearsal: bool,
    #[server(default)] host: String,
    #[server(default)] port: u16,
    #[server(default)] tls: bool,
    #[server(default)] path: String,
    #[server(default)] key: String,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    hub.save_connection(&by, rehearsal, &host, port, tls, &path, &key)
        .await
        .map_err(ApiError::from)
}
