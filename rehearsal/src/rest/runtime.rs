//! Routes that need a running conversation: files, git, hosts.

use std::sync::MutexGuard;

use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};

use super::{Running, broken, error};
use crate::archive;
use crate::conversation::{Conversation, Status};
use crate::http::prelude::*;
use crate::sync::lock;
use crate::workspace::{ROOT, Unreadable, Workspace};
use crate::world::World;

pub fn routes() -> Router<Arc<World>> {
    routes! {
        "/api/conversations/{id}/microagents" => get(microagents);
        "/api/conversations/{id}/list-files" => get(list_files);
        "/api/conversations/{id}/select-file" => get(select_file);
        "/api/conversations/{id}/upload-files" => post(upload_files);
        "/api/conversations/{id}/zip-directory" => get(zip_directory);
        "/api/conversations/{id}/git/changes" => get(git_changes);
        "/api/conversations/{id}/git/diff" => get(git_diff);
    }
}

/// The files of a running conversation; `None` while it is starting, when each route has its own response.
fn files(conversation: &Conversation) -> Option<MutexGuard<'_, Workspace>> {
    (conversation.status() != Status::Starting).then(|| lock(&conversation.workspace))
}

fn refused() -> Response {
    let message = "[Errno 111] Connection refused";
    error(StatusCode::INTERNAL_SERVER_ERROR, message)
}

async fn microagents(Running(conversation): Running) -> Response {
    if files(&conversation).is_none() {
        let message = "Memory is not yet initialized for this conversation";
        return error(StatusCode::NOT_FOUND, message);
    }
    ok(json!({"microagents": []}))
}

async fn list_files(Running(conversation): Running, Query(params): Params) -> Answer {
    let files = files(&conversation).ok_or_else(broken)?;
    Ok(ok(files.list(path_of(&params))))
}

async fn select_file(Running(conversation): Running, Query(params): Params) -> Answer {
    let file = params.get("file");
    let file = file.ok_or_else(|| missing(&["query", "file"], &Value::Null))?;
    let files = files(&conversation).ok_or_else(broken)?;
    match files.text(file) {
        Ok(code) => Ok(ok(json!({"code": code}))),
        Err(Unreadable::Binary) => {
            let message = format!("Unable to open binary file: {ROOT}/{file}");
            Err(error(StatusCode::UNSUPPORTED_MEDIA_TYPE, &message))
        }
        Err(Unreadable::Missing) => Err(opening(&format!(
            "File not found: {ROOT}/{file}. Your current working directory is {ROOT}."
        ))),
        Err(Unreadable::Directory) => Err(opening(&format!(
            "Path is a directory: {ROOT}/{file}. You can only read files"
        ))),
    }
}

fn opening(problem: &str) -> Response {
    let message = format!("Error opening file: **ErrorObservation**\n{problem}");
    error(StatusCode::INTERNAL_SERVER_ERROR, &message)
}

/// Damages uploads like the real server: decodes them with replacement characters, and appends a newline.
async fn upload_files(Running(conversation): Running, form: Form) -> Response {
    let (mut uploaded, mut skipped) = (Vec::new(), Vec::new());
    if let Ok(mut form) = form {
        while let Ok(Some(field)) = form.next_field().await {
            let Some(name) = field.file_name().map(str::to_owned) else {
                continue;
            };
            match field.bytes().await {
                Ok(data) => {
                    let text = String::from_utf8_lossy(&data).into_owned() + "\n";
                    if lock(&conversation.workspace).write(&name, text) {
                        uploaded.push(format!("{ROOT}/{name}"));
                    } else {
                        skipped.push(json!({"name": name, "reason": "No space left on device"}));
                    }
                }
                Err(problem) => skipped.push(json!({"name": name, "reason": problem.to_string()})),
            }
        }
    }
    if uploaded.is_empty() && skipped.is_empty() {
        return missing(&["body", "files"], &Value::Null);
    }
    ok(json!({"uploaded_files": uploaded, "skipped_files": skipped}))
}

async fn zip_directory(Running(conversation): Running) -> Answer {
    let files = files(&conversation).ok_or_else(broken)?;
    let name = "attachment; filename=\"workspace.zip\"";
    let kind = (CONTENT_TYPE, "application/zip");
    let headers = [kind, (CONTENT_DISPOSITION, name)];
    let packed = archive::zip(files.entries()).map_err(|_| broken())?;
    Ok((headers, packed).into_response())
}

async fn git_changes(Running(conversation): Running) -> Answer {
    let files = files(&conversation).ok_or_else(refused)?;
    Ok(ok(files.changes()))
}

async fn git_diff(Running(conversation): Running, Query(params): Params) -> Answer {
    let files = files(&conversation).ok_or_else(refused)?;
    let diff = files.git_diff(path_of(&params));
    diff.map(ok).ok_or_else(broken)
}
