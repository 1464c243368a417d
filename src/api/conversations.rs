//! The list of conversations, and the contents of each.
//!
//! Long because of the functions for one conversation and for several.

use super::answer::Answer;
use super::{
    ApiError, ConversationView, ExportView, InboxItem, LastMessage, ListAsk, ListView, OutlineView,
    RowsView,
};
use crate::conversation::Kind;
use crate::render::RowView;
use leptos::prelude::*;
use leptos::server_fn::codec::Json;

#[cfg(feature = "ssr")]
use super::ApiErrorKind;
#[cfg(feature = "ssr")]
use super::serve::{Allowed, allowed, allowed_in, allowed_to_see, form_parts, with_status};
#[cfg(feature = "ssr")]
use crate::backend::NewConversation;
#[cfg(feature = "ssr")]
use crate::hub::{HubError, NEW_DRAFT};
#[cfg(feature = "ssr")]
use crate::live::Sort;
#[cfg(feature = "ssr")]
use crate::people::Right;

/// A page of the conversations that are asked for: the first one if nothing is asked.
#[server(output = Answer)]
pub async fn list_conversations(#[server(default)] ask: ListAsk) -> Result<ListView, ApiError> {
    let Allowed { hub, by } = allowed(Right::Read)?;
    Ok(hub.catalogue.page(&by, ask).await?)
}

/// Pins a conversation to the top of the user's own list, or unpins it; returns whether it is pinned now.
#[server]
pub async fn pin_conversation(
    id: String,
    #[server(default)] pinned: bool,
) -> Result<bool, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Read, &id)?;
    hub.catalogue.pin(&by, &id, pinned).await?;
    Ok(pinned)
}

/// Sorts the user's own list from now on; a plain form is redirected to the list as `back` narrows it.
#[server]
pub async fn sort_list(
    #[server(default)] sort: String,
    #[server(default)] back: String,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Read)?;
    hub.catalogue.sort_list(&by, Sort::of(&sort)).await?;
    super::serve::go_back(&back, &[]);
    Ok(())
}

/// All pending approvals, newest first.
#[server(output = Answer)]
pub async fn read_inbox() -> Result<Vec<InboxItem>, ApiError> {
    let Allowed { hub, by } = allowed(Right::Read)?;
    Ok(hub.reader.inbox(&by).await)
}

/// The first snapshot of a conversation. Keeps the connection to the backend open if the sandbox is up.
#[server(output = Answer)]
pub async fn open_conversation(id: String) -> Result<ConversationView, ApiError> {
    let Allowed { hub, by } = allowed_to_see(&id).await?;
    let view = hub.reader.open(&id).await.map_err(with_status)?;
    hub.reader.visit(&by, view).await.map_err(with_status)
}

/// Rows before (`pos`, `row`), newest page first; only those of one `kind` if it is given.
#[server(input = Json, output = Answer)]
pub async fn older_rows(
    id: String,
    before: Option<(i64, i64)>,
    kind: Option<Kind>,
    limit: u32,
) -> Result<RowsView, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::See, &id)?;
    let page = hub.reader.rows(&id, before, kind, limit.min(100)).await?;
    Ok(RowsView {
        rows: hub.reader.rows_as_seen_by(&by, page.rows),
        ..page
    })
}

/// Rows after (`pos`, `row`), or from the beginning on.
#[server(input = Json, output = Answer)]
pub async fn later_rows(
    id: String,
    after: Option<(i64, i64)>,
    limit: u32,
) -> Result<RowsView, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::See, &id)?;
    let page = hub.reader.later_rows(&id, after, limit.min(100)).await?;
    Ok(RowsView {
        rows: hub.reader.rows_as_seen_by(&by, page.rows),
        ..page
    })
}

/// The messages that people wrote before (`pos`, `row`), newest page first.
#[server(input = Json, output = Answer)]
pub async fn read_outline(id: String, before: Option<(i64, i64)>) -> Result<OutlineView, ApiError> {
    let Allowed { hub, .. } = allowed_in(Right::Read, &id)?;
    Ok(hub.reader.outline(&id, before).await?)
}

/// A row with its full content.
#[server(output = Answer)]
pub async fn whole_row(id: String, row: i64) -> Result<RowView, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::See, &id)?;
    let rows = hub
        .reader
        .rows_as_seen_by(&by, vec![hub.reader.whole_row(&by, &id, row).await?]);
    rows.into_iter()
        .next()
        .ok_or_else(|| HubError::NotFound("row").into())
}

/// What an export of a conversation masks.
#[server(output = Answer)]
pub async fn read_export(id: String) -> Result<ExportView, ApiError> {
    let Allowed { hub, .. } = allowed_in(Right::Read, &id)?;
    hub.exports.view(&id).await.map_err(with_status)
}

/// Creates a conversation and returns its id; a plain form is redirected to its page.
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
    let draft = message.clone();
    let new = NewConversation {
        message,
        images: Vec::new(),
        repository: Some(repository),
        branch: Some(branch),
        folder: Some(folder),
        instructions: Some(instructions),
    };
    let created = hub.commands.create(&by, &backend, new).await;
    // A plain form gets a new page: a message that was not sent is shown there again.
    let _ = match &created {
        Ok(_) => hub.commands.keep_draft(&by, NEW_DRAFT, "").await,
        Err(_) if form_parts().is_some() => hub.commands.keep_draft(&by, NEW_DRAFT, &draft).await,
        Err(_) => Ok(()),
    };
    let id = created.map_err(ApiError::from)?;
    super::serve::go_to(&format!("c/{id}"));
    Ok(id)
}

/// Renames a conversation.
#[server]
pub async fn rename_conversation(id: String, title: String) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    Ok(hub.commands.rename(&by, &id, &title).await?)
}

/// Deletes a conversation; a plain form is redirected to the list.
#[server]
pub async fn delete_conversation(id: String) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    hub.commands.delete(&by, &id).await?;
    super::serve::go_to("");
    Ok(())
}

/// Maximum number of conversations that something is done with at once.
#[cfg(feature = "ssr")]
const MOST_AT_ONCE: usize = 50;

/// What is done with several conversations.
#[cfg(feature = "ssr")]
#[derive(Clone, Copy)]
enum Work {
    Delete,
    /// Archives them, or brings them back.
    Archive(bool),
    Stop,
}

/// Does something with conversations by their comma-separated ids, as many as possible, each if the user may do it. An error
/// names those with which it was not done. Returns the ids.
#[cfg(feature = "ssr")]
async fn with_each(ids: &str, work: Work) -> Result<Vec<&str>, ApiError> {
    let ids: Vec<&str> = ids.split(',').filter(|id| !id.is_empty()).collect();
    if ids.is_empty() || ids.len() > MOST_AT_ONCE {
        let text = format!("Select between 1 and {MOST_AT_ONCE} conversations.");
        return Err(ApiError::new(ApiErrorKind::Invalid, text));
    }
    let mut failed = Vec::new();
    for id in &ids {
        let outcome = match allowed_in(Right::Operate, id) {
            Ok(Allowed { hub, by }) => {
                let done = match work {
                    Work::Delete => hub.commands.delete(&by, id).await,
                    Work::Archive(archived) => hub.catalogue.set_archived(&by, id, archived).await,
                    Work::Stop => hub.commands.stop_what_runs(&by, id).await,
                };
                done.map_err(ApiError::from)
            }
            Err(error) => Err(error),
        };
        failed.extend(outcome.err().map(|error| (*id, error)));
    }
    if ids.len() == 1 || failed.is_empty() {
        return failed.pop().map_or(Ok(ids), |(_, error)| Err(error));
    }
    let mut text = format!("Not done for {} of {}.", failed.len(), ids.len());
    let Allowed { hub, by } = allowed(Right::See)?;
    for (id, error) in &failed {
        let name = hub.catalogue.name_of(&by, id).await;
        text.push_str(&format!(" {name}: {}", error.text));
    }
    let kind = failed.swap_remove(0).1.kind;
    Err(ApiError::new(kind, text))
}

/// Deletes conversations by their comma-separated ids, as many as possible, if the user may delete each of them. A
/// plain form is redirected to the page `back`.
#[server]
pub async fn delete_conversations(
    ids: String,
    #[server(default)] back: String,
) -> Result<(), ApiError> {
    let ids = with_each(&ids, Work::Delete).await?;
    super::serve::go_back(&back, &ids);
    Ok(())
}

/// Archives conversations by their comma-separated ids, or brings them back. A plain form is redirected to the page
/// `back`, which offers to undo it.
#[server]
pub async fn archive_conversations(
    ids: String,
    #[server(default)] archived: bool,
    #[server(default)] back: String,
) -> Result<(), ApiError> {
    let done = with_each(&ids, Work::Archive(archived)).await?;
    let next = if back.contains('?') { '&' } else { '?' };
    let back = match archived {
        true => format!("{back}{next}archived={}", done.join(",")),
        false => back,
    };
    super::serve::go_back(&back, &[]);
    Ok(())
}

/// Stops what runs in conversations by their comma-separated ids: their sandboxes, or their agents where those have none
/// of their own. A plain form is redirected to the page `back`.
#[server]
pub async fn stop_conversations(
    ids: String,
    #[server(default)] back: String,
) -> Result<(), ApiError> {
    with_each(&ids, Work::Stop).await?;
    super::serve::go_back(&back, &[]);
    Ok(())
}

/// Forks a conversation and returns the id of the copy; a plain form is redirected to its page.
#[server]
pub async fn fork_conversation(id: String) -> Result<String, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    let copy = hub.commands.fork(&by, &id).await?;
    super::serve::go_to(&format!("c/{copy}"));
    Ok(copy)
}

/// The last message of a person, if it can be changed and sent again.
#[server(output = Answer)]
pub async fn read_last_message(id: String) -> Result<Option<LastMessage>, ApiError> {
    let Allowed { hub, .. } = allowed_in(Right::Operate, &id)?;
    Ok(hub.commands.last_message(&id).await?)
}

/// Sends a changed message in place of the last one of a person, in a fork that ends before it. Returns the id of the fork; a
/// plain form is redirected to its page.
#[server]
pub async fn send_instead(id: String, row: i64, text: String) -> Result<String, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    let copy = hub.commands.say_instead(&by, &id, row, &text).await?;
    super::serve::go_to(&format!("c/{copy}"));
    Ok(copy)
}

/// Starts the sandbox of a stopped conversation.
#[server]
pub async fn start_conversation(id: String) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    Ok(hub.commands.start(&by, &id).await?)
}

/// Stops the sandbox of a conversation; its history stays.
#[server]
pub async fn stop_conversation(id: String) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    Ok(hub.commands.stop(&by, &id).await?)
}
