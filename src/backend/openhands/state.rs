//! The state of one conversation.

use super::dto;
use crate::backend::error::if_found;
use crate::backend::http::{Call, Rest};
use crate::backend::{Answer, ConversationInfo};
use reqwest::Method;

/// The current state of a conversation, uncached, because it decides whether a connection may join.
pub(super) async fn conversation(rest: &Rest, id: &str) -> Answer<Option<ConversationInfo>> {
    let call = Call::conversation(Method::GET, id, &[])?;
    let answer = if_found(rest.json(call).await)?;
    Ok(answer.as_ref().and_then(dto::conversation))
}
