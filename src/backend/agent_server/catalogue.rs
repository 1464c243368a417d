//! The list of conversations, read as seldom and as little as it can be.
//!
//! Each entry of the server's list carries every single call of the model (`protocol/v1.md` section 3): a hundred long
//! conversations are many megabytes. So the list is read from the last changed on, a few at a time, only as far as
//! something has changed since the last time; the rest is as it was. A number that does not fit tells that something
//! was deleted, and then all is read.

use super::{Server, dto};
use crate::backend::http::Call;
use crate::backend::{BackendError, ConversationInfo, ConversationPage};
use serde_json::Value;

/// Conversations in one answer.
const PAGE: &str = "10";
/// More than a person looks through.
const MOST: usize = 500;

/// The list as it was the last time, the last changed first.
pub(super) type Catalogue = tokio::sync::Mutex<Vec<ConversationInfo>>;

impl Server {
    /// The whole list.
    pub(super) async fn conversations(&self) -> Result<ConversationPage, BackendError> {
        let mut known = self.catalogue.lock().await;
        let count = self
            .rest
            .json(Call::get(&["api", "conversations", "count"]))
            .await?;
        let count = count
            .as_u64()
            .and_then(|count| usize::try_from(count).ok())
            .unwrap_or(usize::MAX);
        let mut fresh = self.changed_since(&known).await?;
        let left = known
            .iter()
            .filter(|old| !fresh.iter().any(|new| new.id == old.id));
        let left: Vec<ConversationInfo> = left.cloned().collect();
        fresh.extend(left);
        if fresh.len() != count.min(MOST) && fresh.len() != count {
            fresh = self.changed_since(&[]).await?;
        }
        fresh.sort_by_key(|info| std::cmp::Reverse(info.updated_at));
        known.clone_from(&fresh);
        Ok(ConversationPage {
            results: fresh,
            next: None,
        })
    }

    /// Conversations that are not as they were, the last changed first.
    async fn changed_since(
        &self,
        known: &[ConversationInfo],
    ) -> Result<Vec<ConversationInfo>, BackendError> {
        let mut found: Vec<ConversationInfo> = Vec::new();
        let mut page: Option<String> = None;
        loop {
            let mut query = vec![("limit", PAGE), ("sort_order", "UPDATED_AT_DESC")];
            query.extend(page.as_deref().map(|page| ("page_id", page)));
            let call = Call {
                query: &query,
                ..Call::get(&["api", "conversations", "search"])
            };
            let mut answer = self.rest.json(call).await?;
            let Some(Value::Array(items)) = answer.get_mut("items").map(Value::take) else {
                return Err(BackendError::Unexpected(
                    "a list without conversations".to_owned(),
                ));
            };
            let read: Vec<ConversationInfo> =
                items.into_iter().filter_map(dto::conversation).collect();
            // From the first page on that has nothing new, nothing is.
            let is_known = |info: &ConversationInfo| known.contains(info);
            let nothing_new = !read.is_empty() && read.iter().all(is_known);
            found.extend(read);
            page = answer
                .get("next_page_id")
                .and_then(Value::as_str)
                .map(str::to_owned);
            if page.is_none() || nothing_new || found.len() >= MOST {
                return Ok(found);
            }
        }
    }
}
