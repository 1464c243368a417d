//! Search over the events of all conversations.

use super::answer::Answer;
use super::{ApiError, FoundView, SearchAsk, SearchChoices, WalkView};
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use super::serve::{Allowed, allowed, allowed_in};
#[cfg(feature = "ssr")]
use crate::people::Right;

/// What is found in the conversations that the caller may see, newest first, at most 50 rows.
#[server(output = Answer)]
pub async fn search_events(ask: SearchAsk) -> Result<FoundView, ApiError> {
    let Allowed { hub, by } = allowed_to_search(&ask)?;
    Ok(hub.search.search(&by, &ask).await?)
}

/// The hits of a search around the event `seq` of the conversation `id`; with `longer`, among those with a longer word
/// than the last one.
#[server(output = Answer)]
pub async fn walk_hits(
    id: String,
    #[server(default)] seq: i64,
    #[server(default)] longer: bool,
    ask: SearchAsk,
) -> Result<WalkView, ApiError> {
    allowed_in(Right::Read, &id)?;
    let Allowed { hub, by } = allowed_to_search(&ask)?;
    let walk = hub.search.walk(&by, &ask, (id, seq), longer).await;
    walk.map_err(ApiError::from)
}

/// What can be chosen in the filters of a search.
#[server(output = Answer)]
pub async fn read_search_choices() -> Result<SearchChoices, ApiError> {
    let Allowed { hub, by } = allowed(Right::Read)?;
    Ok(hub.search.search_choices(&by).await?)
}

/// The hub, for a caller who may see the conversation that the search is limited to, if any.
#[cfg(feature = "ssr")]
fn allowed_to_search(ask: &SearchAsk) -> Result<Allowed, ApiError> {
    match ask.conversation.as_str() {
        "" => allowed(Right::Read),
        id => allowed_in(Right::Read, id),
    }
}
