//! The list of conversations, page by page.
//!
//! Each entry of the server's list contains every call of the model (`docs/protocol/v1.md` section 3): many megabytes
//! for a hundred long conversations. So the pages are small, and what has changed last can be read alone. The whole list
//! is read in the order of creation, in which no change moves a page.

use super::{Server, dto};
use crate::backend::http::Call;
use crate::backend::json::take_list;
use crate::backend::{Answer, ConversationPage};

/// Conversations per page.
const PAGE: &str = "10";
/// What the token of a page begins with that has the last changed.
const BY_CHANGE: char = '~';

impl Server {
    /// A page: without a token the one that was changed last. Errors: those of the requests, and a response without a list.
    pub(super) async fn conversations(&self, page: Option<String>) -> Answer<ConversationPage> {
        let (order, id) = match page.as_deref() {
            None => ("UPDATED_AT_DESC", ""),
            Some(page) => match page.strip_prefix(BY_CHANGE) {
                Some(id) => ("UPDATED_AT_DESC", id),
                None => ("CREATED_AT_DESC", page),
            },
        };
        let call = Call::get(&["api", "conversations", "search"])
            .query("limit", PAGE)
            .query("sort_order", order)
            .query("page_id", Some(id).filter(|id| !id.is_empty()));
        let mut answer = self.rest.json(call).await?;
        let items = take_list(&mut answer, "items")?;
        let left_out = items.iter().filter(|item| !dto::is_named(item)).count();
        let next = answer["next_page_id"].as_str().map(str::to_owned);
        let mut read = ConversationPage {
            results: items.into_iter().filter_map(dto::conversation).collect(),
            left_out,
            ..ConversationPage::default()
        };
        if order == "CREATED_AT_DESC" {
            read.next = next;
            return Ok(read);
        }
        if page.is_none() {
            let call = Call::get(&["api", "conversations", "count"]);
            let count = self.rest.json(call).await?.as_u64();
            read.count = count.and_then(|count| usize::try_from(count).ok());
            // The whole list begins on a page of its own.
            read.next = next.as_ref().map(|_| String::new());
        }
        read.changed_before = next.map(|id| format!("{BY_CHANGE}{id}"));
        Ok(read)
    }
}
