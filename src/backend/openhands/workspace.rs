//! Requests to the sandbox of a conversation: files, changes, archive.
//!
//! A sandbox does one thing at a time: a running command blocks files and Git (`docs/protocol/v0.md` section 8). While it
//! starts, most of these routes fail with an internal error instead of saying so.

use super::stored::conversation;
use super::{OpenHands, dto};
use crate::backend::dto as shared_dto;
use crate::backend::http::{
    Body, Call, LIST_FRESH, NO_REPOSITORY, TimeoutClass, file_name, workspace_path,
};
use crate::backend::json::texts;
use crate::backend::{
    Answer, BackendError, ChangedFile, ChangedText, FileText, Microagent, Runtime, Upload,
    WorkspaceApi,
};
use async_trait::async_trait;
use reqwest::{Method, Response, multipart};
use serde_json::Value;
use std::{sync::Arc, time::Duration};
use tokio::time::sleep;

/// Delay before the retry of an error that may be transient.
const ONCE_MORE: Duration = Duration::from_millis(500);

#[async_trait]
impl WorkspaceApi for OpenHands {
    /// Empty if the directory does not exist.
    async fn list_files(&self, id: &str, directory: &str) -> Answer<Vec<String>> {
        let directory = workspace_path(directory)?;
        // An empty `path` differs from a missing one.
        let path = Some(directory).filter(|path| !path.is_empty());
        let call = sandbox_get(id, &["list-files"])?.query("path", path);
        let answer = self.ask(id, call, Duration::ZERO).await?;
        Ok(dto::files(&answer, directory))
    }

    /// Missing files and directories are told apart by the message of a 500.
    async fn read_file(&self, id: &str, path: &str) -> Answer<FileText> {
        let call = sandbox_get(id, &["select-file"])?.query("file", workspace_path(path)?);
        match self.ask(id, call, Duration::ZERO).await {
            Ok(answer) => match answer["code"].as_str() {
                Some(text) => Ok(FileText::Text(text.to_owned())),
                None => Err(BackendError::unexpected("a file without text")),
            },
            Err(BackendError::Refused(said)) if said.contains("binary file") => {
                Ok(FileText::Binary(None))
            }
            Err(BackendError::Refused(said)) if said.contains("File not found") => {
                Ok(FileText::Missing)
            }
            Err(BackendError::Refused(said)) if said.contains("is a directory") => {
                Err(BackendError::invalid("This is a directory."))
            }
            Err(error) => Err(error),
        }
    }

    /// Files go into the root of the workspace.
    async fn upload(&self, id: &str, files: Vec<Upload>) -> Answer<Vec<String>> {
        let mut form = multipart::Form::new();
        for file in files {
            let name = file_name(&file.name)?.to_owned();
            let length = file.bytes.len() as u64;
            let part = multipart::Part::stream_with_length(file.bytes, length);
            form = form.part("files", part.file_name(name));
        }
        let call = Call {
            body: Body::Form(form),
            ..Call::conversation(Method::POST, id, &["upload-files"])?.in_sandbox()
        };
        let answer = self.rest.json(call.within(TimeoutClass::Transfer)).await;
        let answer = self.explained(id, answer).await?;
        // The server returns paths on its own machine; users know only the names.
        let name = |path: String| path.rsplit('/').next().unwrap_or_default().to_owned();
        let stored = texts(&answer["uploaded_files"]);
        match answer["skipped_files"][0]["reason"].as_str() {
            Some(reason) if stored.is_empty() => Err(BackendError::Refused(reason.to_owned())),
            _ => Ok(stored.into_iter().map(name).collect()),
        }
    }

    async fn archive(&self, id: &str) -> Answer<Response> {
        let call = sandbox_get(id, &["zip-directory"])?.within(TimeoutClass::Transfer);
        let archive = self.rest.open(call).await;
        self.explained(id, archive).await
    }

    /// Empty without a repository.
    ///
    /// 0.62 also reports a missing repository when its shell has lost Git's output (`git_handler.py`), which happens on a
    /// busy machine. The report therefore counts only if a retry confirms it.
    async fn changes(&self, id: &str, commit: Option<&str>) -> Answer<Vec<ChangedFile>> {
        if commit.is_some() {
            return Err(BackendError::Unsupported);
        }
        let route = ["git", "changes"];
        let none = |error: &BackendError| matches!(error, BackendError::Refused(said) if said == NO_REPOSITORY);
        let mut answer = self.ask(id, sandbox_get(id, &route)?, LIST_FRESH).await;
        if answer.as_ref().is_err_and(none) {
            sleep(ONCE_MORE).await;
            answer = self.ask(id, sandbox_get(id, &route)?, LIST_FRESH).await;
        }
        match answer {
            Ok(answer) => Ok(shared_dto::changes(&answer)),
            Err(error) if none(&error) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    async fn change(&self, id: &str, commit: Option<&str>, path: &str) -> Answer<ChangedText> {
        if commit.is_some() {
            return Err(BackendError::Unsupported);
        }
        let call = sandbox_get(id, &["git", "diff"])?.query("path", workspace_path(path)?);
        match self.ask(id, call, Duration::ZERO).await {
            Ok(answer) => Ok(shared_dto::change(&answer)),
            Err(BackendError::Unexpected(_)) => Err(BackendError::Refused(
                "it cannot show changes of a file that is deleted, missing or larger than 1 MB"
                    .to_owned(),
            )),
            Err(error) => Err(error),
        }
    }

    async fn microagents(&self, id: &str) -> Answer<Vec<Microagent>> {
        let call = sandbox_get(id, &["microagents"])?;
        Ok(dto::microagents(&*self.ask(id, call, LIST_FRESH).await?))
    }
}

/// A GET request to the sandbox. Errors: an invalid conversation id.
fn sandbox_get(id: &str, route: &[&str]) -> Answer<Call> {
    Ok(Call::conversation(Method::GET, id, route)?.in_sandbox())
}

impl OpenHands {
    async fn ask(&self, id: &str, call: Call, fresh: Duration) -> Answer<Arc<Value>> {
        let answer = self.rest.shared(call, fresh).await;
        self.explained(id, answer).await
    }

    /// Turns the internal error of a sandbox that is not running into `NotRunning`.
    async fn explained<T>(&self, id: &str, answer: Answer<T>) -> Answer<T> {
        let Err(BackendError::Unexpected(_) | BackendError::Refused(_)) = &answer else {
            return answer;
        };
        match conversation(&self.rest, id).await {
            Ok(Some(info)) if info.runtime != Runtime::Running => Err(BackendError::NotRunning),
            _ => answer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::stub::ID;
    use super::*;
    use crate::backend::tests::support::serve;
    use axum::{Json, Router, http::StatusCode, routing::get};
    use serde_json::json;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Requests the changes of a workspace whose sandbox reports `times` times that there is no repository.
    async fn changes_after(times: usize) -> Vec<ChangedFile> {
        let asked = Arc::new(AtomicUsize::new(0));
        let answer = move || async move {
            if asked.fetch_add(1, Ordering::Relaxed) < times {
                let said = json!({ "error": "Not a git repository" });
                (StatusCode::NOT_FOUND, Json(said))
            } else {
                let changes = json!([{ "status": "M", "path": "app.py" }]);
                (StatusCode::OK, Json(changes))
            }
        };
        let routes = Router::new().route("/api/conversations/{id}/git/changes", get(answer));
        let backend = OpenHands::new(serve(routes).await).unwrap();
        backend.changes(ID, None).await.unwrap()
    }

    #[tokio::test]
    async fn a_workspace_without_a_repository_has_no_changes() {
        assert_eq!(changes_after(2).await, []);
    }

    #[tokio::test]
    async fn that_there_is_no_repository_is_believed_when_it_is_said_twice() {
        assert_eq!(changes_after(1).await[0].path, "app.py");
    }
}
