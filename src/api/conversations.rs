//! The list, and reading a conversation.

use super::{ApiError, ConversationView, InboxItem, ListView, RowsView};
use crate::conversation::Kind;
use crate::render::RowView;
use leptos::prelude::*;
use leptos::server_fn::codec::Json;

#[cfg(feature = "ssr")]
use super::ApiErrorKind;
#[cfg(feature = "ssr")]
use super::serve::{Allowed, allowed, allowed_in, with_status};
#[cfg(feature = "ssr")]
use crate::backend::NewConversation;
#[cfg(feature = "ssr")]
use crate::hub::HubError;
#[cfg(feature = "ssr")]
use crate::people::Right;

/// The conversations whose title holds `search`; all when it is empty.
#[server]
pub async fn list_conversations(search: String) -> Result<ListView, ApiError> {
    let Allowed { hub, by } = allowed(Right::Read)?;
    hub.list(&by, &search).await.map_err(ApiError::from)
}

/// Pins a conversation to the top of one's own list, or unpins it; answers whether it is pinned now.
#[server]
pub async fn pin_conversation(
    id: String,
    #[server(default)] pinned: bool,
) -> Result<bool, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Read, &id)?;
    hub.pin(&by, &id, pinned).await.map_err(ApiError::from)?;
    Ok(pinned)
}

/// Everything that waits for a yes or a no, the newest first.
#[server]
pub async fn read_inbox() -> Result<Vec<InboxItem>, ApiError> {
    let Allowed { hub, by } = allowed(Right::Read)?;
    Ok(hub.inbox(&by).await)
}

/// First picture of a conversation. Holds the line to the backend if the runtime is up.
#[server]
pub async fn open_conversation(id: String) -> Result<ConversationView, ApiError> {
    // Whoever has its address may be the first to come.
    let Allowed { hub, by } = allowed(Right::See)?;
    hub.find_role(&by, &id).await.map_err(with_status)?;
    allowed_in(Right::See, &id)?;
    let view = hub.open(&id).await.map_err(with_status)?;
    hub.as_seen_by(&by, view).map_err(with_status)
}

/// Rows before the one that stands at (`pos`, `row`), newest page first; of one family if `kind` is given.
#[server(input = Json)]
pub async fn older_rows(
    id: String,
    before: Option<(i64, i64)>,
    kind: Option<Kind>,
    limit: u32,
) -> Result<RowsView, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::See, &id)?;
    let page = hub.rows(&id, before, kind, limit.min(100)).await?;
    Ok(RowsView {
        rows: hub.rows_as_seen_by(&by, page.rows),
        ..page
    })
}

/// A row with all that it holds.
#[server]
pub async fn whole_row(id: String, row: i64) -> Result<RowView, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::See, &id)?;
    let rows = hub.rows_as_seen_by(&by, vec![hub.whole_row(&by, &id, row).await?]);
    rows.into_iter()
        .next()
        .ok_or_else(|| HubError::NotFound("row").into())
}

/// Rows that hold `text`, newest first, at most 50.
#[server]
pub async fn search_rows(id: String, text: String) -> Result<RowsView, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Read, &id)?;
    hub.search(&by, &id, &text).await.map_err(ApiError::from)
}

/// Makes a conversation and answers its id; as a form it goes to its page.
#[server]
pub async fn create_conversation(
    message: String,
    #[server(default)] repository: String,
    #[server(default)] branch: String,
    #[server(default)] instructions: String,
    #[server(default)] folder: String,
    #[server(default)] backend: String,
) -> Result<String, ApiError> {
    let Allowed { hub, by } = allowed(Right::Operate)?;
    let new = NewConversation {
        message,
        images: Vec::new(),
        repository: Some(repository),
        branch: Some(branch),
        folder: Some(folder),
        instructions: Some(instructions),
    };
    let id = hub
        .create(&by, &backend, new)
        .await
        .map_err(ApiError::from)?;
    super::serve::go_to(&format!("c/{id}"));
    Ok(id)
}

/// Gives a conversation another title.
#[server]
pub async fn rename_conversation(id: String, title: String) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    hub.rename(&by, &id, &title).await.map_err(ApiError::from)
}

/// Removes a conversation for good; as a form it goes to the list.
#[server]
pub async fn delete_conversation(id: String) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    hub.delete(&by, &id).await.map_err(ApiError::from)?;
    super::serve::go_to("");
    Ok(())
}

/// Most conversations that are removed at once.
#[cfg(feature = "ssr")]
const MOST_AT_ONCE: usize = 50;

/// Removes conversations for good, their ids separated by commas: all that can be removed, if it is allowed for each. As
/// a form it goes to the page `back`.
#[server]
pub async fn delete_conversations(
    ids: String,
    #[server(default)] back: String,
) -> Result<(), ApiError> {
    let ids: Vec<&str> = ids.split(',').filter(|id| !id.is_empty()).collect();
    if ids.is_empty() || ids.len() > MOST_AT_ONCE {
        let text = format!("Select between 1 and {MOST_AT_ONCE} conversations.");
        return Err(ApiError::new(ApiErrorKind::Invalid, text));
    }
    let mut allowed = Vec::new();
    for id in &ids {
        allowed.push((*id, allowed_in(Right::Operate, id)?));
    }
    let mut outcome = Ok(());
    for (id, Allowed { hub, by }) in allowed {
        let deleted = hub.delete(&by, id).await.map_err(ApiError::from);
        outcome = outcome.and(deleted);
    }
    outcome?;
    super::serve::go_back(&back, &ids);
    Ok(())
}

/// Makes a copy that goes its own way, answers its id; as a form it goes to its page.
#[server]
pub async fn fork_conversation(id: String) -> Result<String, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    let copy = hub.fork(&by, &id).await.map_err(ApiError::from)?;
    super::serve::go_to(&format!("c/{copy}"));
    Ok(copy)
}

/// Wakes a stopped conversation.
#[server]
pub async fn start_conversation(id: String) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    hub.start(&by, &id).await.map_err(ApiError::from)
}

/// Ends a conversation's runtime; its history stays.
#[server]
pub async fn stop_conversation(id: String) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    hub.stop(&by, &id).await.map_err(ApiError::from)
}
