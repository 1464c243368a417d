//! Routes about conversations as a whole, each as one question (`protocol/v0.md` section 8).

use super::dto;
use crate::backend::http::{Call, LIST_FRESH, Missing, Patience, Rest, conversation_id, words};
use crate::backend::{BackendError, ConversationInfo, ConversationPage, NewConversation, Runtime};
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) type Answer<T> = Result<T, BackendError>;

const CONVERSATION: Missing = Missing::Thing("this conversation");

/// A page of conversations, newest first.
pub(super) async fn conversations(
    rest: &Arc<Rest>,
    page: Option<&str>,
) -> Answer<ConversationPage> {
    let mut query = vec![("limit", "20")];
    query.extend(page.map(|page| ("page_id", page)));
    let call = Call {
        query: &query,
        ..Call::get(&["api", "conversations"])
    };
    Ok(dto::conversations(&*rest.shared(call, LIST_FRESH).await?))
}

/// One conversation, asked anew: whether a line may join hangs on it.
pub(super) async fn conversation(rest: &Arc<Rest>, id: &str) -> Answer<Option<ConversationInfo>> {
    let path = ["api", "conversations", conversation_id(id)?];
    match rest
        .json(Call {
            missing: CONVERSATION,
            ..Call::get(&path)
        })
        .await
    {
        Ok(answer) => Ok(dto::conversation(&answer)),
        Err(BackendError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Makes a conversation; answers its id while its runtime still starts.
pub(super) async fn create(rest: &Rest, new: NewConversation) -> Answer<String> {
    let mut body = serde_json::Map::new();
    // An unknown field is refused and an absent one is not: only what is given is sent.
    let mut give = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            body.insert(key.to_owned(), value);
        }
    };
    give(
        "initial_user_msg",
        (!new.message.is_empty()).then(|| json!(new.message)),
    );
    give(
        "image_urls",
        (!new.images.is_empty()).then(|| json!(new.images)),
    );
    give("repository", new.repository.map(Value::from));
    give("selected_branch", new.branch.map(Value::from));
    give(
        "conversation_instructions",
        new.instructions.map(Value::from),
    );
    let path = ["api", "conversations"];
    let answer = rest
        .json(Call {
            patience: Patience::Slow,
            ..Call::send(Method::POST, &path, Value::Object(body))
        })
        .await?;
    rest.forget();
    match answer
        .get("conversation_id")
        .and_then(Value::as_str)
        .map(conversation_id)
    {
        Some(Ok(id)) => Ok(id.to_owned()),
        _ => Err(BackendError::Unexpected(
            "a new conversation without an id".to_owned(),
        )),
    }
}

/// Starts the runtime and the agent of a conversation.
///
/// 0.62 keeps a session whose runtime did not come up and says that it is starting; starting that again does nothing, so
/// it is stopped before.
pub(super) async fn start(rest: &Arc<Rest>, id: &str) -> Answer<()> {
    if conversation(rest, id)
        .await?
        .is_some_and(|info| info.runtime == Runtime::Starting)
    {
        stop(rest, id).await?;
    }
    let path = ["api", "conversations", conversation_id(id)?, "start"];
    let call = Call {
        patience: Patience::Slow,
        missing: CONVERSATION,
        ..Call::send(Method::POST, &path, json!({ "providers_set": [] }))
    };
    let answer = rest.json(call).await?;
    rest.forget();
    accepted(&answer)
}

/// Ends the runtime. The server disconnects every line to the conversation first.
pub(super) async fn stop(rest: &Rest, id: &str) -> Answer<()> {
    let path = ["api", "conversations", conversation_id(id)?, "stop"];
    let call = Call {
        patience: Patience::Slow,
        missing: CONVERSATION,
        ..Call::send(Method::POST, &path, json!({}))
    };
    let answer = rest.json(call).await?;
    rest.forget();
    accepted(&answer)
}

/// Gives another title.
pub(super) async fn rename(rest: &Rest, id: &str, title: &str) -> Answer<()> {
    let title = title.trim();
    if title.is_empty() || title.chars().count() > 200 {
        return Err(BackendError::Invalid(
            "A title has 1 to 200 characters.".to_owned(),
        ));
    }
    let path = ["api", "conversations", conversation_id(id)?];
    rest.json(Call {
        missing: CONVERSATION,
        ..Call::send(Method::PATCH, &path, json!({ "title": title }))
    })
    .await?;
    rest.forget();
    Ok(())
}

/// Removes a conversation. 0.62 fails the first time when it runs, so it is stopped before, and tried twice.
pub(super) async fn delete(rest: &Arc<Rest>, id: &str) -> Answer<()> {
    if conversation(rest, id)
        .await?
        .is_some_and(|info| matches!(info.runtime, Runtime::Starting | Runtime::Running))
    {
        stop(rest, id).await?;
    }
    let path = ["api", "conversations", conversation_id(id)?];
    let ask = || {
        rest.json(Call {
            method: Method::DELETE,
            patience: Patience::Slow,
            missing: CONVERSATION,
            ..Call::get(&path)
        })
    };
    let answer = match ask().await {
        Err(BackendError::Unexpected(_) | BackendError::Refused(_)) => ask().await,
        answer => answer,
    };
    rest.forget();
    match answer? {
        Value::Bool(false) => Err(BackendError::NotFound("this conversation".to_owned())),
        _ => Ok(()),
    }
}

/// `{"status": "error"}` comes with a success, too.
fn accepted(answer: &Value) -> Answer<()> {
    match answer.get("status").and_then(Value::as_str) {
        Some("error") => Err(BackendError::Refused(
            words(answer).unwrap_or_else(|| "it does not say why".to_owned()),
        )),
        _ => Ok(()),
    }
}
