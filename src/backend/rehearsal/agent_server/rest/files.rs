//! Files, changes and the one command that a dashboard runs: a listing, since no route lists files.

use std::collections::HashMap;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::multipart::MultipartRejection;
use axum::extract::{Multipart, Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};

use super::super::super::clock;
use super::super::super::workspace::Unreadable;
use super::super::super::world::lock;
use super::super::conversation::Conversation;
use super::super::stage::{HOME, Stage};
use super::{Shared, detail, not_found, parsed, unprocessable, with};

pub fn routes() -> Router<Arc<Stage>> {
    Router::new()
        .route(
            "/api/file/home",
            get(|| async { Json(json!({"home": HOME})) }),
        )
        .route("/api/file/upload", post(upload))
        .route("/api/file/download", get(download))
        .route("/api/file/archive", get(archive))
        .route("/api/file/search_subdirs", get(folders))
        .route("/api/conversations/{id}/workspace/{*path}", get(served))
        .route("/api/git/changes", get(changes))
        .route("/api/git/diff", get(diff))
        .route("/api/git/commits", get(commits))
        .route("/api/git/commits/{sha}/changes", get(commit_changes))
        .route("/api/bash/execute_bash_command", post(command))
        .route(
            "/api/conversations/{id}/bash/execute_bash_command",
            post(|state: Shared, body: Bytes| command(state, body)),
        )
}

type Params = Query<HashMap<String, String>>;

/// The conversation whose folder a path is in, and the path in it.
fn place(stage: &Stage, path: &str) -> Option<(Arc<Conversation>, String)> {
    let inside = |one: &Arc<Conversation>| {
        let rest = path.strip_prefix(one.folder.as_str())?;
        (rest.is_empty() || rest.starts_with('/')).then(|| rest.trim_matches('/').to_owned())
    };
    // Of a copy and its original in the same folder, the newer one.
    let all = stage.conversations();
    all.iter()
        .rev()
        .find_map(|one| Some((one.clone(), inside(one)?)))
}

fn path_of(params: &HashMap<String, String>) -> &str {
    params.get("path").map_or("", String::as_str)
}

fn content(conversation: &Conversation, path: &str) -> Response {
    let files = lock(&conversation.workspace);
    match files.bytes(path) {
        Some(data) => ([(CONTENT_TYPE, "application/octet-stream")], data.to_vec()).into_response(),
        None => not_found(),
    }
}

async fn download(State(stage): Shared, Query(params): Params) -> Response {
    match place(&stage, path_of(&params)) {
        Some((conversation, path)) => content(&conversation, &path),
        None => not_found(),
    }
}

/// Confined to the folder of the conversation.
async fn served(State(stage): Shared, Path((id, path)): Path<(String, String)>) -> Response {
    with(&stage, &id, |conversation| {
        if path.split('/').any(|part| part == "..") {
            return not_found();
        }
        content(conversation, &path)
    })
}

async fn upload(
    State(stage): Shared,
    Query(params): Params,
    form: Result<Multipart, MultipartRejection>,
) -> Response {
    let path = path_of(&params);
    if !path.starts_with('/') {
        return detail(StatusCode::BAD_REQUEST, "Path must be absolute");
    }
    let Some((conversation, path)) = place(&stage, path) else {
        return detail(StatusCode::INTERNAL_SERVER_ERROR, "Failed to upload file");
    };
    if let Ok(mut form) = form {
        while let Ok(Some(field)) = form.next_field().await {
            if field.name() != Some("file") {
                continue;
            }
            let Ok(data) = field.bytes().await else {
                return detail(StatusCode::INTERNAL_SERVER_ERROR, "Failed to upload file");
            };
            let size = data.len();
            if !lock(&conversation.workspace).write(&path, data.to_vec()) {
                return detail(StatusCode::INTERNAL_SERVER_ERROR, "No space left on device");
            }
            return Json(json!({"success": true, "file_size": size})).into_response();
        }
    }
    unprocessable("missing", &["body", "file"], "Field required", &Value::Null)
}

/// The folder in one file. The real server makes a patch, too, unless it is asked for this.
async fn archive(State(stage): Shared, Query(params): Params) -> Response {
    if params.get("format").map(String::as_str) != Some("tar.gz") {
        return detail(StatusCode::NOT_IMPLEMENTED, "A rehearsal makes tar.gz only");
    }
    let Some((conversation, _)) = place(&stage, path_of(&params)) else {
        return not_found();
    };
    let packed = lock(&conversation.workspace).tar_gz();
    match packed {
        Ok(packed) => ([(CONTENT_TYPE, "application/gzip")], packed).into_response(),
        Err(_) => super::broken(),
    }
}

async fn folders(State(stage): Shared, Query(params): Params) -> Response {
    let listed = place(&stage, path_of(&params)).map(|(conversation, path)| {
        let names = lock(&conversation.workspace).list(&path);
        let folders = names.into_iter().filter(|name| name.ends_with('/'));
        let folder = |name: String| {
            let name = name.trim_end_matches('/').to_owned();
            json!({"name": name, "path": format!("{}/{name}", conversation.folder)})
        };
        folders.map(folder).collect::<Vec<_>>()
    });
    Json(json!({"items": listed.unwrap_or_default(), "next_page_id": null})).into_response()
}

/// What is no repository has no changes.
async fn changes(State(stage): Shared, Query(params): Params) -> Json<Value> {
    let changes = place(&stage, path_of(&params))
        .map(|(conversation, _)| lock(&conversation.workspace).changes());
    let said = |entry: &Value| {
        let status = match entry["status"].as_str() {
            Some("A") => "ADDED",
            Some("D") => "DELETED",
            _ => "UPDATED",
        };
        json!({"status": status, "path": entry["path"]})
    };
    let list = changes.unwrap_or_default();
    Json(list.as_array().into_iter().flatten().map(said).collect())
}

/// The one commit of a rehearsed repository: all that it was cloned with.
const COMMIT: &str = "5f0c1d3a9b7e42d68f1c0a5e3b9d7c2f4e6a8b10";

async fn commits(State(stage): Shared, Query(params): Params) -> Json<Value> {
    let commit = |(conversation, _): (Arc<Conversation>, String)| {
        json!({
            "sha": COMMIT, "short_sha": &COMMIT[..7], "subject": "Tally words", "author": "Rehearsal",
            "timestamp": conversation.created_at,
        })
    };
    let commits: Vec<_> = place(&stage, path_of(&params))
        .map(commit)
        .into_iter()
        .collect();
    Json(json!({"commits": commits, "has_more": false}))
}

/// As `git` says it.
fn no_such_commit() -> Response {
    detail(StatusCode::BAD_REQUEST, "fatal: bad object")
}

async fn commit_changes(
    State(stage): Shared,
    Path(sha): Path<String>,
    Query(params): Params,
) -> Response {
    let Some((conversation, _)) = place(&stage, path_of(&params)) else {
        return Json(json!([])).into_response();
    };
    if !COMMIT.starts_with(&sha) {
        return no_such_commit();
    }
    let files = lock(&conversation.workspace);
    let added = |path| json!({"status": "ADDED", "path": path});
    Json(files.cloned().map(added).collect::<Vec<_>>()).into_response()
}

async fn diff(State(stage): Shared, Query(params): Params) -> Response {
    let Some((conversation, path)) = place(&stage, path_of(&params)) else {
        return not_found();
    };
    let files = lock(&conversation.workspace);
    if let Some(sha) = params.get("commit") {
        if !COMMIT.starts_with(sha.as_str()) {
            return no_such_commit();
        }
        let added = files.cloned_text(&path);
        return Json(json!({"original": "", "modified": added})).into_response();
    }
    match (files.git_diff(&path), files.text(&path)) {
        (Some(diff), _) => Json(diff).into_response(),
        // Nothing of a binary file is shown.
        (None, Err(Unreadable::Binary)) => {
            Json(json!({"original": "", "modified": ""})).into_response()
        }
        (None, _) => super::broken(),
    }
}

/// Nothing is executed here. `ls` in a folder of a conversation is answered from its files, because that is how files
/// are listed; anything else says what this is.
async fn command(State(stage): Shared, body: Bytes) -> Response {
    let body = parsed(&body);
    let Some(command) = body["command"].as_str() else {
        return unprocessable("missing", &["body", "command"], "Field required", &body);
    };
    let (stdout, stderr, exit_code) = match listed(&stage, command) {
        Some(Some(names)) => (names, String::new(), 0),
        Some(None) => (
            String::new(),
            format!("{command}: No such file or directory\n"),
            2,
        ),
        None => (
            String::new(),
            "This is a rehearsal: the command was not executed.\n".to_owned(),
            126,
        ),
    };
    Json(json!({
        "id": stage.world.new_id(), "command_id": stage.world.new_id(), "order": 0, "kind": "BashOutput",
        "timestamp": clock::utc(), "exit_code": exit_code, "stdout": stdout, "stderr": stderr,
    }))
    .into_response()
}

/// What `ls` prints; `None` for any other command, and inside for a folder that is not there.
fn listed(stage: &Stage, command: &str) -> Option<Option<String>> {
    let rest = command.strip_prefix("ls ")?;
    let (_, folder) = rest.split_once("-- ")?;
    let folder = folder.trim().trim_matches('\'').replace(r"'\''", "'");
    let found = place(stage, folder.trim_end_matches('/'));
    Some(found.map(|(conversation, path)| {
        let names = lock(&conversation.workspace).list(&path);
        let prefix = if path.is_empty() {
            String::new()
        } else {
            format!("{path}/")
        };
        names
            .iter()
            .map(|name| format!("{}\n", name.strip_prefix(&prefix).unwrap_or(name)))
            .collect()
    }))
}
