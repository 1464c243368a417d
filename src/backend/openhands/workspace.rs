//! Routes that ask the runtime of a conversation: files, changes, exports.
//!
//! A runtime does one thing at a time: while a command runs, files and git wait for it
//! (`protocol/v0.md` section 8).

use super::connection::{conversation_id, file_name, workspace_path};
use super::dto;
use super::rest::{Body, Call, Patience, Rest};
use super::routes::{Answer, LIST_FRESH};
use crate::backend::{BackendError, ChangedFile, ChangedText, FileText, Microagent, Upload};
use reqwest::{Method, Response, multipart};
use serde_json::Value;
use std::{sync::Arc, time::Duration};

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
