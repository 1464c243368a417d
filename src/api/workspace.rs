//! Files and changes in a conversation's workspace.

use super::answer::Answer;
use super::{ApiError, FileEntry, FileShown, Part};
use crate::backend::{Commit, Microagent};
use crate::render::DiffView;
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use super::serve::{Allowed, allowed_in};
#[cfg(feature = "ssr")]
use crate::people::Right;

/// A part of the contents of a directory (`""` is the root), directories first, behind `from` entries; the one at the path
/// `kept` is in each part.
#[server(output = Answer)]
pub async fn list_files(
    id: String,
    directory: String,
    #[server(default)] from: usize,
    #[server(default)] kept: String,
) -> Result<Part<FileEntry>, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Read, &id)?;
    let reading = hub.workspace.list_files(&id, &directory);
    let all = hub.catalogue.look_up(&by, reading).await?;
    Ok(Part::of(all, from, |entry| entry.path == kept))
}

/// A file.
#[server(output = Answer)]
pub async fn read_file(id: String, path: String) -> Result<FileShown, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Read, &id)?;
    let reading = hub.workspace.read_file(&id, &path);
    Ok(hub.catalogue.look_up(&by, reading).await?)
}

/// The diff of a file: of its uncommitted changes, or in a commit.
#[server(output = Answer)]
pub async fn read_change(
    id: String,
    #[server(default)] commit: Option<String>,
    path: String,
) -> Result<DiffView, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Read, &id)?;
    let reading = hub.workspace.change(&id, commit.as_deref(), &path);
    Ok(hub.catalogue.look_up(&by, reading).await?)
}

/// The repository's latest commits, newest first.
#[server(output = Answer)]
pub async fn list_commits(id: String) -> Result<Vec<Commit>, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Read, &id)?;
    let reading = hub.workspace.commits(&id);
    Ok(hub.catalogue.look_up(&by, reading).await?)
}

/// Microagents and skills that are available to the conversation.
#[server(output = Answer)]
pub async fn list_microagents(id: String) -> Result<Vec<Microagent>, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Read, &id)?;
    let reading = hub.workspace.microagents(&id);
    Ok(hub.catalogue.look_up(&by, reading).await?)
}
