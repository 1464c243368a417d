//! The REST routes of 0.x that we use, each as one question (`protocol/v0.md` section 8).

use super::connection::{conversation_id, file_name, secret_name, workspace_path};
use super::refusal::Missing;
use super::rest::{Body, Call, Patience, Rest};
use super::{dto, settings};
use crate::backend::{
    BackendError, ChangedFile, ChangedText, ConversationInfo, ConversationPage, FileText,
    Microagent, NewConversation, Options, Runtime, SecretName, Settings, Upload,
};
use reqwest::{Method, Response, multipart};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

type Answer<T> = Result<T, BackendError>;

/// How long a list may be old: ten browsers look at it, and it changes by the second at most.
const LIST_FRESH: Duration = Duration::from_secs(1);
/// How long what changes only with the server may be old.
const OPTIONS_FRESH: Duration = Duration::from_secs(300);

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

/// Starts the runtime and the agent of a stopped conversation.
pub(super) async fn start(rest: &Rest, id: &str) -> Answer<()> {
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
            super::refusal::words(answer).unwrap_or_else(|| "it does not say why".to_owned()),
        )),
        _ => Ok(()),
    }
}

/// Names in a directory of the workspace. One that does not exist is empty.
pub(super) async fn list_files(rest: &Arc<Rest>, id: &str, directory: &str) -> Answer<Vec<String>> {
    let directory = workspace_path(directory)?;
    let path = ["api", "conversations", conversation_id(id)?, "list-files"];
    let query = [("path", directory)];
    // An empty path is not the same as none.
    let query: &[_] = if directory.is_empty() { &[] } else { &query };
    Ok(dto::files(
        &*rest
            .shared(
                Call {
                    query,
                    ..Call::runtime(&path)
                },
                Duration::ZERO,
            )
            .await?,
        directory,
    ))
}

/// Text of a file. Missing ones and directories are told apart by the words of a 500.
pub(super) async fn read_file(rest: &Rest, id: &str, file: &str) -> Answer<FileText> {
    let path = ["api", "conversations", conversation_id(id)?, "select-file"];
    let query = [("file", workspace_path(file)?)];
    match rest
        .json(Call {
            query: &query,
            ..Call::runtime(&path)
        })
        .await
    {
        Ok(answer) => match answer.get("code").and_then(Value::as_str) {
            Some(text) => Ok(FileText::Text(text.to_owned())),
            None => Err(BackendError::Unexpected("a file without text".to_owned())),
        },
        Err(BackendError::Refused(said)) if said.contains("binary file") => Ok(FileText::Binary),
        Err(BackendError::Refused(said)) if said.contains("File not found") => {
            Ok(FileText::Missing)
        }
        Err(BackendError::Refused(said)) if said.contains("is a directory") => {
            Err(BackendError::Invalid("This is a directory.".to_owned()))
        }
        Err(error) => Err(error),
    }
}

/// Puts files into the root of the workspace.
pub(super) async fn upload(rest: &Rest, id: &str, files: Vec<Upload>) -> Answer<Vec<String>> {
    let path = ["api", "conversations", conversation_id(id)?, "upload-files"];
    let mut form = multipart::Form::new();
    for file in files {
        let name = file_name(&file.name)?.to_owned();
        form = form.part("files", multipart::Part::stream(file.bytes).file_name(name));
    }
    let answer = rest
        .json(Call {
            method: Method::POST,
            body: Body::Form(form),
            patience: Patience::Transfer,
            ..Call::runtime(&path)
        })
        .await?;
    // It answers paths on its own machine; a person knows the names.
    let name = |path: String| path.rsplit('/').next().unwrap_or_default().to_owned();
    let taken: Vec<String> = dto::texts(answer.get("uploaded_files").unwrap_or(&Value::Null))
        .into_iter()
        .map(name)
        .collect();
    let skipped = answer
        .pointer("/skipped_files/0/reason")
        .and_then(Value::as_str);
    match skipped {
        Some(reason) if taken.is_empty() => Err(BackendError::Refused(reason.to_owned())),
        _ => Ok(taken),
    }
}

/// The whole workspace as a zip archive, unread.
pub(super) async fn archive(rest: &Rest, id: &str) -> Answer<Response> {
    let path = [
        "api",
        "conversations",
        conversation_id(id)?,
        "zip-directory",
    ];
    rest.open(Call {
        patience: Patience::Transfer,
        ..Call::runtime(&path)
    })
    .await
}

/// Files that differ from the repository.
pub(super) async fn changes(rest: &Arc<Rest>, id: &str) -> Answer<Vec<ChangedFile>> {
    let path = [
        "api",
        "conversations",
        conversation_id(id)?,
        "git",
        "changes",
    ];
    Ok(dto::changes(
        &*rest.shared(Call::runtime(&path), LIST_FRESH).await?,
    ))
}

/// Old and new text of a changed file.
pub(super) async fn change(rest: &Rest, id: &str, file: &str) -> Answer<ChangedText> {
    let path = ["api", "conversations", conversation_id(id)?, "git", "diff"];
    let query = [("path", workspace_path(file)?)];
    let answer = rest
        .json(Call {
            query: &query,
            ..Call::runtime(&path)
        })
        .await?;
    let text = |key: &str| {
        answer
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    Ok(ChangedText {
        original: text("original"),
        modified: text("modified"),
    })
}

/// All events as the server exports them.
pub(super) async fn trajectory(rest: &Rest, id: &str) -> Answer<Value> {
    let path = ["api", "conversations", conversation_id(id)?, "trajectory"];
    let mut answer = rest.json(Call::runtime(&path)).await?;
    Ok(answer
        .get_mut("trajectory")
        .map(Value::take)
        .unwrap_or(answer))
}

/// Microagents that the conversation knows.
pub(super) async fn microagents(rest: &Arc<Rest>, id: &str) -> Answer<Vec<Microagent>> {
    let path = ["api", "conversations", conversation_id(id)?, "microagents"];
    Ok(dto::microagents(
        &*rest.shared(Call::runtime(&path), LIST_FRESH).await?,
    ))
}

/// The stored settings as they are; `None` before the first save.
pub(super) async fn stored_settings(rest: &Rest) -> Answer<Option<Value>> {
    match rest
        .json(Call {
            missing: Missing::Thing("its settings"),
            ..Call::get(&["api", "settings"])
        })
        .await
    {
        Ok(stored) => Ok(Some(stored)),
        Err(BackendError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Puts `wanted` over the stored settings.
pub(super) async fn save_settings(rest: &Rest, wanted: &Settings) -> Answer<()> {
    let stored = stored_settings(rest).await?.unwrap_or(Value::Null);
    let body = settings::write(stored, wanted);
    rest.json(Call::send(Method::POST, &["api", "settings"], body))
        .await
        .map(drop)
}

/// What can be chosen.
pub(super) async fn options(rest: &Arc<Rest>) -> Answer<Options> {
    let ask = async |what: &str| {
        rest.shared(Call::get(&["api", "options", what]), OPTIONS_FRESH)
            .await
    };
    let (models, agents, analyzers) =
        futures_util::try_join!(ask("models"), ask("agents"), ask("security-analyzers"))?;
    Ok(dto::options(&models, &agents, &analyzers))
}

/// Names of the stored secrets.
pub(super) async fn secrets(rest: &Rest) -> Answer<Vec<SecretName>> {
    Ok(dto::secrets(
        &rest.json(Call::get(&["api", "secrets"])).await?,
    ))
}

/// Stores a secret. The server can change a name but no value, so one that exists is removed first.
pub(super) async fn save_secret(
    rest: &Rest,
    name: &str,
    value: &str,
    description: &str,
) -> Answer<()> {
    let name = secret_name(name)?;
    if secrets(rest)
        .await?
        .iter()
        .any(|secret| secret.name == name)
    {
        delete_secret(rest, name).await?;
    }
    let body = json!({ "name": name, "value": value, "description": description });
    rest.json(Call::send(Method::POST, &["api", "secrets"], body))
        .await
        .map(drop)
}

/// Removes a secret.
pub(super) async fn delete_secret(rest: &Rest, name: &str) -> Answer<()> {
    let path = ["api", "secrets", secret_name(name)?];
    rest.json(Call {
        method: Method::DELETE,
        missing: Missing::Thing("this secret"),
        ..Call::get(&path)
    })
    .await
    .map(drop)
}

/// The version of the server; no route says it but the description of the routes.
pub(super) async fn version(rest: &Arc<Rest>) -> Option<String> {
    let description = rest
        .shared(Call::get(&["openapi.json"]), OPTIONS_FRESH)
        .await
        .ok()?;
    description
        .pointer("/info/version")
        .and_then(Value::as_str)
        .map(str::to_owned)
}
