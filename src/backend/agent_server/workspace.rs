//! Files and changes of a conversation's workspace, a directory on the server's machine.
//!
//! No route lists files, so a shell command does (`docs/protocol/v1.md` section 4). Nothing here waits for a step.

use super::{AgentServer, dto};
use crate::backend::dto as shared_dto;
use crate::backend::error::if_found;
use crate::backend::http::{Body, Call, LIST_FRESH, TimeoutClass, file_name, workspace_path};
use crate::backend::json::text;
use crate::backend::{
    Answer, BackendError, ChangedFile, ChangedText, Commit, FileText, Microagent, Upload,
    WorkspaceApi,
};
use async_trait::async_trait;
use reqwest::{Method, Response, multipart};
use serde_json::{Value, json};
use std::sync::Arc;

impl AgentServer {
    /// The absolute path of a conversation's directory. Errors: `NotFound` if the conversation has none.
    async fn folder(&self, id: &str) -> Answer<String> {
        let info = self.server.known(id).await?;
        let folder = info.and_then(|info| info.repository);
        let missing = || BackendError::NotFound("the folder of this conversation".to_owned());
        let folder = folder.ok_or_else(missing)?;
        if folder.starts_with('/') {
            return Ok(folder);
        }
        // A sandbox that is a process has "." in the directory of its server.
        let own = self.server.own_folder.get_or_try_init(async || {
            let printed = self.printed("pwd", None).await?;
            Ok(printed.trim_end_matches('\n').to_owned())
        });
        let folder = folder.trim_start_matches("./").trim_start_matches('.');
        Ok(absolute(own.await?, folder))
    }

    /// What a command prints.
    async fn printed(&self, command: &str, cwd: Option<&str>) -> Answer<String> {
        let call = Call::new(Method::POST, &["api", "bash", "execute_bash_command"])
            .json(json!({ "command": command, "cwd": cwd, "timeout": 20 }))
            .within(TimeoutClass::Slow);
        let output = self.server.rest.json(call).await?;
        Ok(text(&output["stdout"]))
    }

    /// A request about the directory's Git repository. The response is empty if there is no repository.
    async fn git(&self, id: &str, route: &[&str]) -> Answer<Arc<Value>> {
        let folder = self.folder(id).await?;
        self.git_in(&folder, route).await
    }

    async fn git_in(&self, folder: &str, route: &[&str]) -> Answer<Arc<Value>> {
        let call = Call::get(&[&["api", "git"], route].concat())
            .query("path", folder)
            .within(TimeoutClass::Slow);
        self.server.rest.shared(call, LIST_FRESH).await
    }
}

#[async_trait]
impl WorkspaceApi for AgentServer {
    /// Empty if the directory does not exist.
    async fn list_files(&self, id: &str, directory: &str) -> Answer<Vec<String>> {
        let directory = absolute(&self.folder(id).await?, workspace_path(directory)?);
        let command = format!("ls -1Ap -- {}", quoted(&directory));
        let listed = self.printed(&command, Some("/")).await?;
        Ok(listed.lines().map(str::to_owned).collect())
    }

    /// The server confines this route to the workspace.
    async fn read_file(&self, id: &str, path: &str) -> Answer<FileText> {
        // A missing conversation is not a missing file.
        self.folder(id).await?;
        let parts = workspace_path(path)?.split('/');
        let mut route = vec!["workspace"];
        route.extend(parts.filter(|part| !part.is_empty()));
        let call = Call::conversation(Method::GET, id, &route)?
            .missing("this file")
            .within(TimeoutClass::Slow);
        match self.server.rest.bytes(call).await {
            Ok(bytes) => Ok(match std::str::from_utf8(&bytes) {
                Ok(text) if !bytes.contains(&0) => FileText::Text(text.to_owned()),
                _ => FileText::Binary(Some(bytes)),
            }),
            Err(BackendError::NotFound(_)) => Ok(FileText::Missing),
            Err(error) => Err(error),
        }
    }

    /// Files go into the root of the workspace.
    async fn upload(&self, id: &str, files: Vec<Upload>) -> Answer<Vec<String>> {
        let (folder, mut taken) = (self.folder(id).await?, Vec::new());
        for file in files {
            let name = file_name(&file.name)?.to_owned();
            let length = file.bytes.len() as u64;
            let part = multipart::Part::stream_with_length(file.bytes, length);
            let form = multipart::Form::new().part("file", part.file_name(name.clone()));
            let call = Call {
                body: Body::Form(form),
                ..Call::new(Method::POST, &["api", "file", "upload"])
            };
            let call = call.query("path", &*absolute(&folder, &name));
            let call = call.within(TimeoutClass::Transfer);
            self.server.rest.json(call).await?;
            taken.push(name);
        }
        Ok(taken)
    }

    /// Without the `format` parameter the server returns a patch.
    async fn archive(&self, id: &str) -> Answer<Response> {
        let call = Call::get(&["api", "file", "archive"])
            .query("path", &*self.folder(id).await?)
            .query("format", "tar.gz")
            .within(TimeoutClass::Transfer)
            .missing("the folder of this conversation");
        self.server.rest.open(call).await
    }

    async fn changes(&self, id: &str, commit: Option<&str>) -> Answer<Vec<ChangedFile>> {
        let told = match commit {
            None => self.git(id, &["changes"]).await?,
            Some(commit) => self.git(id, &["commits", sha(commit)?, "changes"]).await?,
        };
        Ok(shared_dto::changes(&told))
    }

    async fn change(&self, id: &str, commit: Option<&str>, path: &str) -> Answer<ChangedText> {
        let file = absolute(&self.folder(id).await?, workspace_path(path)?);
        let call = Call::get(&["api", "git", "diff"])
            .query("path", &*file)
            .query("commit", commit.map(sha).transpose()?)
            .within(TimeoutClass::Slow);
        Ok(shared_dto::change(&self.server.rest.json(call).await?))
    }

    /// None on a server that does not list them (1.34 and before).
    async fn commits(&self, id: &str) -> Answer<Vec<Commit>> {
        let folder = self.folder(id).await?;
        let told = if_found(self.git_in(&folder, &["commits"]).await)?;
        Ok(told.map(|told| dto::commits(&told)).unwrap_or_default())
    }

    async fn microagents(&self, id: &str) -> Answer<Vec<Microagent>> {
        let call = Call::conversation(Method::GET, id, &[])?.query("include_skills", "true");
        let info = self.server.rest.shared(call, LIST_FRESH).await?;
        Ok(dto::skills(&info))
    }
}

/// The absolute path of what is in a directory.
fn absolute(folder: &str, path: &str) -> String {
    format!("{}/{path}", folder.trim_end_matches('/'))
}

/// Validates a commit's hash before it is put into a URL.
fn sha(commit: &str) -> Answer<&str> {
    let is_hex = commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    let hash = ((4..=64).contains(&commit.len()) && is_hex).then_some(commit);
    hash.ok_or_else(|| BackendError::NotFound("this commit".to_owned()))
}

/// Quotes text as one shell word.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::{quoted, sha};

    #[test]
    fn only_a_hash_goes_into_an_address() {
        assert_eq!(sha("29cb2ce").ok(), Some("29cb2ce"));
        for odd in ["", "abc", "../../x", "--help", "29cb2ce/changes"] {
            assert!(sha(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn a_name_stays_one_word_for_the_shell() {
        assert_eq!(quoted("a'; rm -rf / #"), r"'a'\''; rm -rf / #'");
    }
}
