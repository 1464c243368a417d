//! Files and changes of a conversation's workspace.

use super::{ApiError, FileEntry, FileShown};
use crate::backend::{ChangedFile, Commit, Microagent};
use crate::render::DiffView;
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use super::serve::{Allowed, allowed_in};
#[cfg(feature = "ssr")]
use crate::people::Right;

/// What is in a directory (`""` is the root), directories first.
#[server]
pub async fn list_files(id: String, directory: String) -> Result<Vec<FileEntry>, ApiError> {
    let Allowed { hub, .. } = allowed_in(Right::Read, &id)?;
    hub.list_files(&id, &directory)
        .await
        .map_err(ApiError::from)
}

/// A file.
#[server]
pub async fn read_file(id: String, path: String) -> Result<FileShown, ApiError> {
    let Allowed { hub, .. } = allowed_in(Right::Read, &id)?;
    hub.read_file(&id, &path).await.map_err(ApiError::from)
}

/// Files that differ from the repository, or that a commit changed.
#[server]
pub async fn list_changes(
    id: String,
    #[server(default)] commit: Option<String>,
) -> Result<Vec<ChangedFile>, ApiError> {
    let Allowed { hub, .. } = allowed_in(Right::Read, &id)?;
    hub.changes(&id, commit.as_deref())
        .await
        .map_err(ApiError::from)
}

/// How a file differs: as it is now, or by a commit.
#[server]
pub async fn read_change(
    id: String,
    #[server(default)] commit: Option<String>,
    path: String,
) -> Result<DiffView, ApiError> {
    let Allowed { hub, .. } = allowed_in(Right::Read, &id)?;
    hub.change(&id, commit.as_deref(), &path)
        .await
        .map_err(ApiError::from)
}

/// The repository's newest commits, newest first.
#[server]
pub async fn list_commits(id: String) -> Result<Vec<Commit>, ApiError> {
    let Allowed { hub, .. } = allowed_in(Right::Read, &id)?;
    hub.commits(&id).await.map_err(ApiError::from)
}

/// Microagents and skills that the conversation knows.
#[server]
pub async fn list_microagents(id: String) -> Result<Vec<Microagent>, ApiError> {
    let Allowed { hub, .. } = allowed_in(Right::Read, &id)?;
    hub.microagents(&id).await.map_err(ApiError::from)
}
