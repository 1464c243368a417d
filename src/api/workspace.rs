//! Files and changes of a conversation's workspace.

use super::ApiError;
use crate::backend::{ChangedFile, Microagent};
use crate::render::{DiffView, FileView};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use super::serve::hub;

/// A file or directory of the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its name.
    pub name: String,
    /// Its path from the root of the workspace.
    pub path: String,
    /// It is a directory.
    pub directory: bool,
}

/// What a file is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileShown {
    /// Text, highlighted.
    Text(FileView),
    /// Not text; this many words say so.
    Binary,
    /// Too large to show; its size in bytes.
    TooLarge(u64),
    /// It is not there (any more).
    Missing,
}

/// What is in a directory (`""` is the root), directories first.
#[server]
pub async fn list_files(id: String, directory: String) -> Result<Vec<FileEntry>, ApiError> {
    hub()?
        .list_files(&id, &directory)
        .await
        .map_err(ApiError::from)
}

/// A file.
#[server]
pub async fn read_file(id: String, path: String) -> Result<FileShown, ApiError> {
    hub()?.read_file(&id, &path).await.map_err(ApiError::from)
}

/// Files that differ from the repository.
#[server]
pub async fn list_changes(id: String) -> Result<Vec<ChangedFile>, ApiError> {
    hub()?.changes(&id).await.map_err(ApiError::from)
}

/// How a file differs.
#[server]
pub async fn read_change(id: String, path: String) -> Result<DiffView, ApiError> {
    hub()?.change(&id, &path).await.map_err(ApiError::from)
}

/// Microagents and skills that the conversation knows.
#[server]
pub async fn list_microagents(id: String) -> Result<Vec<Microagent>, ApiError> {
    hub()?.microagents(&id).await.map_err(ApiError::from)
}
