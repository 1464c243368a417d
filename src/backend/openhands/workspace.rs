//! Routes that ask the runtime of a conversation: files, changes, exports.
//!
//! A runtime does one thing at a time: while a command runs, files and git wait for it
//! (`protocol/v0.md` section 8). While it starts, most of these routes break instead of saying so.

use super::dto;
use super::routes::{self, Answer};
use crate::backend::http::{
    Body, Call, LIST_FRESH, NO_REPOSITORY, Patience, Rest, conversation_id, file_name,
    workspace_path,
};
use crate::backend::{
    BackendError, ChangedFile, ChangedText, FileText, Microagent, Runtime, Upload,
};
use reqwest::{Method, Response, multipart};
use serde_json::Value;
use std::{sync::Arc, time::Duration};
use tokio::time::sleep;

/// Until what may be a mishap is asked once more.
const ONCE_MORE: Duration = Duration::from_millis(500);

/// The workspace of one conversation.
pub(super) struct Workspace<'a> {
    rest: &'a Arc<Rest>,
    id: &'a str,
}

impl<'a> Workspace<'a> {
    /// Nothing is asked yet; an id that could be anything else is refused.
    pub(super) fn of(rest: &'a Arc<Rest>, id: &'a str) -> Answer<Self> {
        Ok(Self {
            rest,
            id: conversation_id(id)?,
        })
    }

    /// Names in a directory. One that does not exist is empty.
    pub(super) async fn list_files(&self, directory: &str) -> Answer<Vec<String>> {
        let directory = workspace_path(directory)?;
        // An empty path is not the same as none.
        let query = (!directory.is_empty()).then_some(("path", directory));
        let answer = self
            .ask("list-files", query.as_slice(), Duration::ZERO)
            .await?;
        Ok(dto::files(&answer, directory))
    }

    /// Text of a file. Missing ones and directories are told apart by the words of a 500.
    pub(super) async fn read_file(&self, path: &str) -> Answer<FileText> {
        match self
            .ask(
                "select-file",
                &[("file", workspace_path(path)?)],
                Duration::ZERO,
            )
            .await
        {
            Ok(answer) => match answer.get("code").and_then(Value::as_str) {
                Some(text) => Ok(FileText::Text(text.to_owned())),
                None => Err(BackendError::Unexpected("a file without text".to_owned())),
            },
            Err(BackendError::Refused(said)) if said.contains("binary file") => {
                Ok(FileText::Binary)
            }
            Err(BackendError::Refused(said)) if said.contains("File not found") => {
                Ok(FileText::Missing)
            }
            Err(BackendError::Refused(said)) if said.contains("is a directory") => {
                Err(BackendError::Invalid("This is a directory.".to_owned()))
            }
            Err(error) => Err(error),
        }
    }

    /// Files that differ from the repository.
    ///
    /// That there is none, 0.62 also says when its shell has lost what git printed (`git_handler.py`), which a busy
    /// machine makes it do: it is believed when it is said twice. Nothing to differ from is no failure.
    pub(super) async fn changes(&self) -> Answer<Vec<ChangedFile>> {
        let ask = || self.ask("git/changes", &[], LIST_FRESH);
        let none = |error: &BackendError| matches!(error, BackendError::Refused(said) if said == NO_REPOSITORY);
        let mut answer = ask().await;
        if answer.as_ref().is_err_and(none) {
            sleep(ONCE_MORE).await;
            answer = ask().await;
        }
        match answer {
            Ok(answer) => Ok(dto::changes(&answer)),
            Err(error) if none(&error) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Old and new text of a changed file.
    pub(super) async fn change(&self, path: &str) -> Answer<ChangedText> {
        match self
            .ask(
                "git/diff",
                &[("path", workspace_path(path)?)],
                Duration::ZERO,
            )
            .await
        {
            Ok(answer) => Ok(ChangedText::of(&answer)),
            Err(BackendError::Unexpected(_)) => Err(BackendError::Refused(
                "it shows no change of a file that is deleted, missing or larger than 1 MB"
                    .to_owned(),
            )),
            Err(error) => Err(error),
        }
    }

    /// All events as the server exports them.
    pub(super) async fn trajectory(&self) -> Answer<Value> {
        let answer = self.ask("trajectory", &[], Duration::ZERO).await?;
        let mut answer = Arc::unwrap_or_clone(answer);
        Ok(answer
            .get_mut("trajectory")
            .map(Value::take)
            .unwrap_or(answer))
    }

    /// Microagents that the conversation knows.
    pub(super) async fn microagents(&self) -> Answer<Vec<Microagent>> {
        Ok(dto::microagents(
            &*self.ask("microagents", &[], LIST_FRESH).await?,
        ))
    }

    /// The whole workspace as a zip archive, unread.
    pub(super) async fn archive(&self) -> Answer<Response> {
        let path = ["api", "conversations", self.id, "zip-directory"];
        match self
            .rest
            .open(Call {
                patience: Patience::Transfer,
                ..Call::runtime(&path)
            })
            .await
        {
            Ok(archive) => Ok(archive),
            Err(error) => Err(self.why(error).await),
        }
    }

    /// Puts files into the root of the workspace; answers the names that were taken.
    pub(super) async fn upload(&self, files: Vec<Upload>) -> Answer<Vec<String>> {
        let mut form = multipart::Form::new();
        for file in files {
            let name = file_name(&file.name)?.to_owned();
            let length = file.bytes.len() as u64;
            form = form.part(
                "files",
                multipart::Part::stream_with_length(file.bytes, length).file_name(name),
            );
        }
        let path = ["api", "conversations", self.id, "upload-files"];
        let call = Call {
            method: Method::POST,
            body: Body::Form(form),
            patience: Patience::Transfer,
            ..Call::runtime(&path)
        };
        let answer = match self.rest.json(call).await {
            Ok(answer) => answer,
            Err(error) => return Err(self.why(error).await),
        };
        // It answers paths on its own machine; a person knows the names.
        let name = |path: String| path.rsplit('/').next().unwrap_or_default().to_owned();
        let taken: Vec<String> = dto::texts(&answer["uploaded_files"])
            .into_iter()
            .map(name)
            .collect();
        match answer
            .pointer("/skipped_files/0/reason")
            .and_then(Value::as_str)
        {
            Some(reason) if taken.is_empty() => Err(BackendError::Refused(reason.to_owned())),
            _ => Ok(taken),
        }
    }

    async fn ask(
        &self,
        route: &str,
        query: &[(&str, &str)],
        fresh: Duration,
    ) -> Answer<Arc<Value>> {
        let mut path = vec!["api", "conversations", self.id];
        path.extend(route.split('/'));
        match self
            .rest
            .shared(
                Call {
                    query,
                    ..Call::runtime(&path)
                },
                fresh,
            )
            .await
        {
            Ok(answer) => Ok(answer),
            Err(error) => Err(self.why(error).await),
        }
    }

    /// An internal error of a runtime that is not up (yet) means just that.
    async fn why(&self, error: BackendError) -> BackendError {
        if !matches!(
            error,
            BackendError::Unexpected(_) | BackendError::Refused(_)
        ) {
            return error;
        }
        match routes::conversation(self.rest, self.id).await {
            Ok(Some(info)) if info.runtime != Runtime::Running => BackendError::NotRunning,
            _ => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::stub::{ID, at};
    use super::*;
    use axum::{Json, Router, http::StatusCode, routing::get};
    use serde_json::json;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Asks for the changes of a workspace whose runtime says `times` times that there is no repository.
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
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
            .await
            .unwrap();
        let rest = Rest::new(at(listener.local_addr().unwrap().port())).unwrap();
        tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
        let workspace = Workspace::of(&rest, ID).unwrap();
        workspace.changes().await.unwrap()
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
