//! Access to a conversation, and view-only links to it.

use super::ApiError;
use super::answer::Answer;
use crate::people::{Audience, SharingView};
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use super::serve::{address_here, allowed_sharing, one_time_secret_for, show_once};
#[cfg(feature = "ssr")]
use crate::people::Right;

/// Who has access to a conversation, for callers who may change it.
#[server(output = Answer)]
pub async fn read_sharing(id: String) -> Result<SharingView, ApiError> {
    let (people, allowed) = allowed_sharing(&id)?;
    let names = if allowed.by.may(Right::Own) {
        people.names_to_share_with().await?
    } else {
        Vec::new()
    };
    Ok(SharingView {
        names,
        sharing: allowed.hub.sharings.of(&id),
        links: people.links(&id).await?,
        one_time_secret: one_time_secret_for(&page(&id))
            .map(|secret| whole(&secret))
            .unwrap_or_default(),
    })
}

/// Sets who has access to a conversation.
#[server]
pub async fn share_conversation(id: String, audience: Audience) -> Result<(), ApiError> {
    let (_, allowed) = allowed_sharing(&id)?;
    Ok(allowed
        .hub
        .commands
        .share(&allowed.by, &id, audience)
        .await?)
}

/// Shares a conversation with a user; `role` applies only to this conversation, empty keeps the user's own role.
#[server]
pub async fn share_with(
    id: String,
    name: String,
    #[server(default)] role: String,
) -> Result<(), ApiError> {
    let (_, allowed) = allowed_sharing(&id)?;
    let role = match role.as_str() {
        "" => None,
        word => Some(
            word.parse::<crate::people::Role>()
                .map_err(|error| ApiError::new(super::ApiErrorKind::Invalid, error))?,
        ),
    };
    Ok(allowed
        .hub
        .commands
        .share_with(&allowed.by, &id, &name, role)
        .await?)
}

/// Stops sharing a conversation with a user.
#[server]
pub async fn unshare(id: String, name: String) -> Result<(), ApiError> {
    let (_, allowed) = allowed_sharing(&id)?;
    Ok(allowed
        .hub
        .commands
        .unshare(&allowed.by, &id, &name)
        .await?)
}

/// Creates a view-only link to a conversation, valid for `days`; only this response contains the whole link.
#[server]
pub async fn make_link(id: String, days: u16) -> Result<String, ApiError> {
    let (people, allowed) = allowed_sharing(&id)?;
    let secret = people.make_link(&allowed.by, &id, days).await?;
    show_once(&page(&id), &secret);
    Ok(whole(&secret))
}

/// Revokes a link to a conversation.
#[server]
pub async fn end_link(id: String, number: i64) -> Result<(), ApiError> {
    let (people, allowed) = allowed_sharing(&id)?;
    Ok(people.end_link(&allowed.by, &id, number).await?)
}

/// The complete link. The part after the `#` is sent to no server and appears in no log.
#[cfg(feature = "ssr")]
fn whole(secret: &str) -> String {
    format!("{}#{secret}", address_here("link"))
}

/// Path of the sharing page of a conversation.
#[cfg(feature = "ssr")]
fn page(id: &str) -> String {
    format!("c/{id}/sharing")
}
