//! Files, changes, and the one command that a dashboard runs: a directory listing, since no route lists files.

use axum::http::header::CONTENT_TYPE;

use super::{Named, Shared, broken, not_found, parsed};
use crate::agent_server::conversation::Conversation;
use crate::agent_server::stage::{HOME, Stage};
use crate::http::prelude::*;
use crate::sync::lock;
use crate::world::new_id;
use crate::{archive, clock, workspace::Unreadable};

pub fn routes() -> Router<Arc<Stage>> {
    routes! {
        "/api/file/home" => get(Json(json!({"home": HOME})));
        "/api/file/upload" => post(upload);
        "/api/file/download" => get(download);
        "/api/file/archive" => get(tar_gz);
        "/api/conversations/{id}/workspace/{*path}" => get(served);
        "/api/git/changes" => get(changes);
        "/api/git/diff" => get(diff);
        "/api/git/commits" => get(commits);
        "/api/git/commits/{sha}/changes" => get(changed);
        "/api/bash/execute_bash_command" => post(command);
        "/api/conversations/{id}/bash/execute_bash_command" => post(command);
    }
}

/// The conversation whose folder contains a path, and the path relative to that folder.
fn place(stage: &Stage, path: &str) -> Option<(Arc<Conversation>, String)> {
    let inside = |one: &Arc<Conversation>| {
        let rest = path.strip_prefix(one.folder.as_str())?;
        (rest.is_empty() || rest.starts_with('/')).then(|| rest.trim_matches('/').to_owned())
    };
    // A fork and its original share a folder: the newer one wins.
    let mut all = stage.conversations.all().into_iter().rev();
    all.find_map(|one| inside(&one).map(|path| (one, path)))
}

fn content(conversation: &Conversation, path: &str) -> Response {
    let files = lock(&conversation.workspace);
    match files.bytes(path) {
        Some(data) => ([(CONTENT_TYPE, "application/octet-stream")], data.to_vec()).into_response(),
        None => not_found(),
    }
}

async fn download(State(stage): Shared, Query(params): Params) -> Answer {
    let (conversation, path) = place(&stage, path_of(&params)).ok_or_else(not_found)?;
    Ok(content(&conversation, &path))
}

/// Confined to the folder of the conversation.
async fn served(Named(conversation): Named, Path((_, path)): Path<(String, String)>) -> Response {
    if path.split('/').any(|part| part == "..") {
        return not_found();
    }
    content(&conversation, &path)
}

async fn upload(State(stage): Shared, Query(params): Params, form: Form) -> Answer {
    let failed = |message: &str| detail(StatusCode::INTERNAL_SERVER_ERROR, message);
    let path = path_of(&params);
    if !path.starts_with('/') {
        return Err(detail(StatusCode::BAD_REQUEST, "Path must be absolute"));
    }
    let place = place(&stage, path);
    let (conversation, path) = place.ok_or_else(|| failed("Failed to upload file"))?;
    if let Ok(mut form) = form {
        while let Ok(Some(field)) = form.next_field().await {
            if field.name() != Some("file") {
                continue;
            }
            let data = field.bytes().await;
            let data = data.map_err(|_| failed("Failed to upload file"))?;
            let size = data.len();
            return match lock(&conversation.workspace).write(&path, data) {
                true => Ok(ok(json!({"success": true, "file_size": size}))),
                false => Err(failed("No space left on device")),
            };
        }
    }
    Err(missing(&["body", "file"], &Value::Null))
}

/// The folder as one archive. Unless this format is requested, the real server makes a patch, too.
async fn tar_gz(State(stage): Shared, Query(params): Params) -> Answer {
    if params.get("format").map(String::as_str) != Some("tar.gz") {
        let message = "A rehearsal makes tar.gz only";
        return Err(detail(StatusCode::NOT_IMPLEMENTED, message));
    }
    let (conversation, _) = place(&stage, path_of(&params)).ok_or_else(not_found)?;
    let packed = archive::tar_gz(lock(&conversation.workspace).entries());
    let packed = packed.map_err(|_| broken())?;
    Ok(([(CONTENT_TYPE, "application/gzip")], packed).into_response())
}

/// A folder outside a repository has no changes.
async fn changes(State(stage): Shared, Query(params): Params) -> Response {
    let Some((conversation, _)) = place(&stage, path_of(&params)) else {
        return ok(json!([]));
    };
    let mut changes = lock(&conversation.workspace).changes();
    for change in changes.as_array_mut().into_iter().flatten() {
        change["status"] = match change["status"].as_str() {
            Some("A") => "ADDED".into(),
            Some("D") => "DELETED".into(),
            _ => "UPDATED".into(),
        };
    }
    ok(changes)
}

/// The only commit of a rehearsed repository: the cloned files.
const COMMIT: &str = "5f0c1d3a9b7e42d68f1c0a5e3b9d7c2f4e6a8b10";

async fn commits(State(stage): Shared, Query(params): Params) -> Response {
    let place = place(&stage, path_of(&params));
    let commit = place.map(|(conversation, _)| {
        json!({
            "sha": COMMIT, "short_sha": &COMMIT[..7], "subject": "Tally words", "author": "Rehearsal",
            "timestamp": conversation.standing().created_at,
        })
    });
    let commits: Vec<_> = commit.into_iter().collect();
    ok(json!({"commits": commits, "has_more": false}))
}

/// Git's error message.
fn no_such_commit() -> Response {
    detail(StatusCode::BAD_REQUEST, "fatal: bad object")
}

async fn changed(State(stage): Shared, Path(sha): Path<String>, Query(params): Params) -> Response {
    let Some((conversation, _)) = place(&stage, path_of(&params)) else {
        return ok(json!([]));
    };
    if !COMMIT.starts_with(&sha) {
        return no_such_commit();
    }
    let files = lock(&conversation.workspace);
    let added = |path| json!({"status": "ADDED", "path": path});
    ok(files.cloned().map(added).collect::<Vec<_>>())
}

async fn diff(State(stage): Shared, Query(params): Params) -> Answer {
    let (conversation, path) = place(&stage, path_of(&params)).ok_or_else(not_found)?;
    let files = lock(&conversation.workspace);
    if let Some(sha) = params.get("commit") {
        let added = json!({"original": "", "modified": files.cloned_text(&path)});
        return match COMMIT.starts_with(sha.as_str()) {
            true => Ok(ok(added)),
            false => Err(no_such_commit()),
        };
    }
    // The content of binary files is not returned.
    if let Err(Unreadable::Binary) = files.text(&path) {
        return Ok(ok(json!({"original": "", "modified": ""})));
    }
    files.git_diff(&path).map(ok).ok_or_else(broken)
}

/// Executes nothing. Clients list files with `ls`: it is answered from the files, and any other command with a notice.
async fn command(State(stage): Shared, body: Bytes) -> Response {
    let body = parsed(&body);
    let Some(command) = body["command"].as_str() else {
        return missing(&["body", "command"], &body);
    };
    let (stdout, stderr, exit_code) = match listed_folder(command) {
        Some(folder) => match place(&stage, &folder) {
            Some((conversation, path)) => (names(&conversation, &path), String::new(), 0),
            None => {
                let message = format!("{command}: No such file or directory\n");
                (String::new(), message, 2)
            }
        },
        None => {
            let message = "This is a rehearsal: the command was not executed.\n";
            (String::new(), message.to_owned(), 126)
        }
    };
    ok(json!({
        "id": new_id(), "command_id": new_id(), "order": 0, "kind": "BashOutput",
        "timestamp": clock::utc(), "exit_code": exit_code, "stdout": stdout, "stderr": stderr,
    }))
}

/// The folder that an `ls` lists; `None` for any other command.
fn listed_folder(command: &str) -> Option<String> {
    let (_, folder) = command.strip_prefix("ls ")?.split_once("-- ")?;
    let folder = folder.trim().trim_matches('\'').replace(r"'\''", "'");
    Some(folder.trim_end_matches('/').to_owned())
}

/// The output of `ls`.
fn names(conversation: &Conversation, path: &str) -> String {
    let names = lock(&conversation.workspace).list(path);
    let inside = |name: &String| {
        let name = name.strip_prefix(path).unwrap_or(name);
        format!("{}\n", name.trim_start_matches('/'))
    };
    names.iter().map(inside).collect()
}
