//! The list of conversations, fetched incrementally.
//!
//! Each entry of the server's list contains every call of the model (`docs/protocol/v1.md` section 3): many megabytes
//! for a hundred long conversations. It is therefore read in small pages, the last changed first, up to the first page
//! without changes; the rest is cached. If the count does not match, some were deleted, and all is read again.

use super::{Server, dto};
use crate::backend::http::Call;
use crate::backend::json::take_list;
use crate::backend::{Answer, ConversationInfo, ConversationPage};

/// Conversations per page.
const PAGE: &str = "10";
/// Limit of the list, in conversations.
const MOST: usize = 500;

#[derive(Default)]
pub(super) struct Listed {
    /// The conversations, the last changed first.
    known: Vec<ConversationInfo>,
    /// Number of conversations whose ids are not safe in a URL.
    left_out: usize,
}

/// The cache, locked during a refresh.
pub(super) type Catalogue = tokio::sync::Mutex<Listed>;

impl Server {
    /// Returns the whole list. Errors: those of the requests, and a response without a list.
    pub(super) async fn conversations(&self) -> Answer<ConversationPage> {
        let mut listed = self.catalogue.lock().await;
        let known = &listed.known;
        let call = Call::get(&["api", "conversations", "count"]);
        let count = self.rest.json(call).await?.as_u64();
        let count = count.map_or(usize::MAX, |count| count as usize);
        let (mut fresh, _) = self.changed_since(known).await?;
        for old in known {
            if !fresh.iter().any(|new| new.id == old.id) {
                fresh.push(old.clone());
            }
        }
        // Those behind the limit were left out the first time, too.
        fresh.sort_by_key(|info| std::cmp::Reverse(info.updated_at));
        fresh.truncate(MOST.saturating_sub(listed.left_out));
        let all = fresh.len() + listed.left_out;
        if all != count.min(MOST) && all != count {
            (fresh, listed.left_out) = self.changed_since(&[]).await?;
            fresh.sort_by_key(|info| std::cmp::Reverse(info.updated_at));
        }
        listed.known.clone_from(&fresh);
        Ok(ConversationPage {
            results: fresh,
            left_out: listed.left_out,
            next: None,
        })
    }

    /// Conversations that differ from `known`, and maybe others, the last changed first; and how many were skipped.
    async fn changed_since(
        &self,
        known: &[ConversationInfo],
    ) -> Answer<(Vec<ConversationInfo>, usize)> {
        let (mut found, mut left_out) = (Vec::<ConversationInfo>::new(), 0);
        let mut page: Option<String> = None;
        loop {
            let call = Call::get(&["api", "conversations", "search"])
                .query("limit", PAGE)
                .query("sort_order", "UPDATED_AT_DESC")
                .query("page_id", page.as_deref());
            let mut answer = self.rest.json(call).await?;
            let items = take_list(&mut answer, "items")?;
            left_out += items.iter().filter(|item| !dto::is_named(item)).count();
            let read: Vec<ConversationInfo> =
                items.into_iter().filter_map(dto::conversation).collect();
            // The list is sorted by change, so nothing after a page without changes has changed.
            let is_known = |info: &ConversationInfo| known.contains(info);
            let nothing_new = !read.is_empty() && read.iter().all(is_known);
            found.extend(read);
            page = answer["next_page_id"].as_str().map(str::to_owned);
            if page.is_none() || nothing_new || found.len() + left_out >= MOST {
                return Ok((found, left_out));
            }
        }
    }
}
