//! The list, and reading a conversation.

use super::{ApiError, ConversationView, ListView, RowsView};
use crate::conversation::Kind;
use crate::render::RowView;
use leptos::prelude::*;
use leptos::server_fn::codec::Json;

#[cfg(feature = "ssr")]
use super::serve::{hub, with_status};

/// The conversations whose title holds `search`; all when it is empty.
#[server]
pub async fn list_conversations(search: String) -> Result<ListView, ApiError> {
    hub()?.list(&search).await.map_err(ApiError::from)
}

/// First picture of a conversation. Holds the line to the backend if the runtime is up.
#[server]
pub async fn open_conversation(id: String) -> Result<ConversationView, ApiError> {
    hub()?.open(&id).await.map_err(with_status)
}

/// Rows before the one that stands at (`pos`, `row`), newest page first; of one family if `kind` is given.
#[server(input = Json)]
pub async fn older_rows(
    id: String,
    before: Option<(i64, i64)>,
    kind: Option<Kind>,
    limit: u32,
) -> Result<RowsView, ApiError> {
    hub()?
        .rows(&id, before, kind, limit.min(200))
        .await
        .map_err(ApiError::from)
}

/// A row with all that it holds.
#[server]
pub async fn whole_row(id: String, row: i64) -> Result<RowView, ApiError> {
    hub()?.whole_row(&id, row).await.map_err(ApiError::from)
}

/// Rows that hold `text`, newest first, at most 50.
#[server]
pub async fn search_rows(id: String, text: String) -> Result<RowsView, ApiError> {
    hub()?.search(&id, &text).await.map_err(ApiError::from)
}

/// Makes a conversation and answers its id; as a form it goes to its page.
#[server]
pub async fn create_conversation(
    message: String,
    #[server(default)] repository: String,
    #[server(default)] branch: String,
    #[server(default)] instructions: String,
) -> Result<String, ApiError> {
    let id = hub()?
        .create(&message, &repository, &branch, &instructions)
        .await
        .map_err(ApiError::from)?;
    super::serve::go_to(&format!("c/{id}"));
    Ok(id)
}

/// Gives a conversation another title.
#[server]
pub async fn rename_conversation(id: String, title: String) -> Result<(), ApiError> {
    hub()?.rename(&id, &title).await.map_err(ApiError::from)
}

/// Removes a conversation for good; as a form it goes to the list.
#[server]
pub async fn delete_conversation(id: String) -> Result<(), ApiError> {
    hub()?.delete(&id).await.map_err(ApiError::from)?;
    super::serve::go_to("");
    Ok(())
}

/// Wakes a stopped conversation.
#[server]
pub async fn start_conversation(id: String) -> Result<(), ApiError> {
    hub()?.start(&id).await.map_err(ApiError::from)
}

/// Ends a conversation's runtime; its history stays.
#[server]
pub async fn stop_conversation(id: String) -> Result<(), ApiError> {
    hub()?.stop(&id).await.map_err(ApiError::from)
}
