//! The review of a conversation's changes.
#![allow(clippy::too_many_arguments, reason = "each is a field of a form")]

use super::answer::Answer;
use super::{ApiError, CommentView, ReviewView};
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use super::serve::{Allowed, allowed_in};
#[cfg(feature = "ssr")]
use crate::people::Right;
#[cfg(feature = "ssr")]
use crate::render::{DiffSide, DiffSpot};

/// A part of the changed files with their diffs, behind `from` files: of uncommitted changes, or of a commit.
#[server]
pub async fn read_review(
    id: String,
    #[server(default)] commit: Option<String>,
    #[server(default)] from: usize,
) -> Result<ReviewView, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Read, &id)?;
    let reading = hub.workspace.review(&id, commit.as_deref(), from);
    Ok(hub.catalogue.look_up(&by, reading).await?)
}

/// What the recorded edits have changed, or what they have changed in the file `change`, and whether these are all of them.
#[server]
pub async fn read_recorded_changes(
    id: String,
    #[server(default)] change: Option<String>,
) -> Result<(ReviewView, bool), ApiError> {
    let Allowed { hub, .. } = allowed_in(Right::Read, &id)?;
    Ok(hub.workspace.recorded_changes(&id, change).await?)
}

/// The caller's comments on the changes, oldest first.
#[server(output = Answer)]
pub async fn list_comments(id: String) -> Result<Vec<CommentView>, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Read, &id)?;
    Ok(hub.commands.comments(&by, &id).await?)
}

/// Keeps a comment on a line of a change as a draft; a `number` that is not 0 changes that draft. A plain form returns to the
/// page `back`.
#[server]
pub async fn keep_comment(
    id: String,
    text: String,
    #[server(default)] number: i64,
    #[server(default)] commit: String,
    #[server(default)] file: String,
    #[server(default)] side: String,
    #[server(default)] place: u32,
    #[server(default)] quote: String,
    #[server(default)] back: String,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    if number == 0 {
        let spot = DiffSpot {
            commit,
            file,
            side: DiffSide::from_word(&side).unwrap_or(DiffSide::New),
            number: place,
        };
        hub.commands
            .add_comment(&by, &id, spot, &quote, &text)
            .await?;
    } else {
        hub.commands
            .edit_comment(&by, &id, number, Some(&text))
            .await?;
    }
    super::serve::go_back(&back, &[]);
    Ok(())
}

/// Deletes a draft.
#[server]
pub async fn delete_comment(id: String, number: i64) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    Ok(hub.commands.edit_comment(&by, &id, number, None).await?)
}

/// Marks a comment that was sent as resolved, or no longer.
#[server]
pub async fn resolve_comment(
    id: String,
    number: i64,
    #[server(default)] resolved: bool,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    let commands = &hub.commands;
    Ok(commands.resolve_comment(&by, &id, number, resolved).await?)
}

/// Sends the caller's drafts as one message. While an approval is pending they are not sent.
#[server]
pub async fn send_comments(id: String) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    Ok(hub.commands.send_comments(&by, &id).await?)
}
