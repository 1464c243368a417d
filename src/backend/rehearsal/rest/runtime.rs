//! What needs a running conversation: files, git, hosts.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::multipart::MultipartRejection;
use axum::extract::{Multipart, Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};

use super::super::conversation::{Conversation, Status};
use super::super::workspace::{ROOT, Unreadable};
use super::super::world::World;
use super::{Shared, broken, detail, unprocessable};

pub fn routes() -> Router<Arc<World>> {
    Router::new()
        .route("/api/conversations/{id}/config", get(config))
        .route("/api/conversations/{id}/vscode-url", get(vscode_url))
        .route("/api/conversations/{id}/web-hosts", get(web_hosts))
        .route("/api/conversations/{id}/microagents", get(microagents))
        .route("/api/conversations/{id}/list-files", get(list_files))
        .route("/api/conversations/{id}/select-file", get(select_file))
        .route("/api/conversations/{id}/upload-files", post(upload_files))
        .route("/api/conversations/{id}/zip-directory", get(zip_directory))
        .route("/api/conversations/{id}/git/changes", get(git_changes))
        .route("/api/conversations/{id}/git/diff", get(git_diff))
}

type Params = Query<HashMap<String, String>>;

/// A conversation that has a runtime, be it a starting one.
pub fn running(world: &World, id: &str) -> Option<Arc<Conversation>> {
    world
        .find(id)
        .filter(|conversation| conversation.status() != Status::Stopped)
}

/// What everything but the events answers for stopped and for unknown conversations.
pub fn not_found(id: &str) -> Response {
    detail(
        StatusCode::NOT_FOUND,
        &format!("Conversation {id} not found"),
    )
}

/// Answers for a running conversation; one that is still starting fails in the way of its route.
fn with(
    world: &World,
    id: &str,
    starting: Response,
    answer: impl FnOnce(&Conversation) -> Response,
) -> Response {
    match running(world, id) {
        None => not_found(id),
        Some(conversation) if conversation.status() == Status::Starting => starting,
        Some(conversation) => answer(&conversation),
    }
}

fn json(body: Value) -> Response {
    Json(body).into_response()
}

fn error(status: StatusCode, error: &str) -> Response {
    (status, Json(json!({"error": error}))).into_response()
}

fn refused() -> Response {
    error(
        StatusCode::INTERNAL_SERVER_ERROR,
        "[Errno 111] Connection refused",
    )
}

async fn config(State(world): Shared, Path(id): Path<String>) -> Response {
    let body = json!({"runtime_id": null, "session_id": id});
    with(&world, &id, json(body.clone()), |_| json(body))
}

async fn vscode_url(State(world): Shared, Path(id): Path<String>) -> Response {
    let body = json!({"vscode_url": null});
    with(&world, &id, json(body.clone()), |_| json(body))
}

async fn web_hosts(State(world): Shared, Path(id): Path<String>) -> Response {
    let body = json!({"hosts": {}});
    with(&world, &id, json(body.clone()), |_| json(body))
}

async fn microagents(State(world): Shared, Path(id): Path<String>) -> Response {
    let starting = error(
        StatusCode::NOT_FOUND,
        "Memory is not yet initialized for this conversation",
    );
    with(&world, &id, starting, |_| json(json!({"microagents": []})))
}

async fn list_files(
    State(world): Shared,
    Path(id): Path<String>,
    Query(params): Params,
) -> Response {
    let path = params.get("path").map_or("", String::as_str);
    with(&world, &id, broken(), |conversation| {
        Json(conversation.workspace().list(path)).into_response()
    })
}

async fn select_file(
    State(world): Shared,
    Path(id): Path<String>,
    Query(params): Params,
) -> Response {
    let Some(file) = params.get("file") else {
        return unprocessable("missing", &["query", "file"], "Field required", Value::Null);
    };
    with(&world, &id, broken(), |conversation| {
        match conversation.workspace().text(file) {
            Ok(code) => json(json!({"code": code})),
            Err(Unreadable::Binary) => error(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                &format!("Unable to open binary file: {ROOT}/{file}"),
            ),
            Err(Unreadable::Missing) => opening(&format!(
                "File not found: {ROOT}/{file}. Your current working directory is {ROOT}."
            )),
            Err(Unreadable::Directory) => opening(&format!(
                "Path is a directory: {ROOT}/{file}. You can only read files"
            )),
        }
    })
}

fn opening(problem: &str) -> Response {
    error(
        StatusCode::INTERNAL_SERVER_ERROR,
        &format!("Error opening file: **ErrorObservation**\n{problem}"),
    )
}

/// Uploads are damaged as the real server does it: decoded with replacements, and a newline added.
async fn upload_files(
    State(world): Shared,
    Path(id): Path<String>,
    form: Result<Multipart, MultipartRejection>,
) -> Response {
    let Some(conversation) = running(&world, &id) else {
        return not_found(&id);
    };
    let (mut uploaded, mut skipped) = (Vec::new(), Vec::new());
    if let Ok(mut form) = form {
        while let Ok(Some(field)) = form.next_field().await {
            let Some(name) = field.file_name().map(str::to_owned) else {
                continue;
            };
            match field.bytes().await {
                Ok(data) => {
                    let text = String::from_utf8_lossy(&data).into_owned() + "\n";
                    if conversation.workspace().write(&name, text) {
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
        return unprocessable("missing", &["body", "files"], "Field required", Value::Null);
    }
    json(json!({"uploaded_files": uploaded, "skipped_files": skipped}))
}

async fn zip_directory(State(world): Shared, Path(id): Path<String>) -> Response {
    with(&world, &id, broken(), |conversation| {
        let headers = [
            (CONTENT_TYPE, "application/zip"),
            (
                CONTENT_DISPOSITION,
                "attachment; filename=\"workspace.zip\"",
            ),
        ];
        (headers, conversation.workspace().zip()).into_response()
    })
}

async fn git_changes(State(world): Shared, Path(id): Path<String>) -> Response {
    with(&world, &id, refused(), |conversation| {
        json(conversation.workspace().changes())
    })
}

async fn git_diff(State(world): Shared, Path(id): Path<String>, Query(params): Params) -> Response {
    let path = params.get("path").map_or("", String::as_str);
    with(&world, &id, refused(), |conversation| {
        conversation
            .workspace()
            .git_diff(path)
            .map_or_else(broken, json)
    })
}
