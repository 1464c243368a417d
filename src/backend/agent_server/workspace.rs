//! Files and changes of a conversation's workspace: a folder on the server's machine.
//!
//! The server lists no files, so a shell does (`protocol/v1.md` section 4); everything is asked beside the
//! conversation and waits for none of its steps.

use super::routes::Answer;
use super::{Server, dto};
use crate::backend::http::{
    Body, Call, LIST_FRESH, Missing, Patience, conversation_id, file_name, workspace_path,
};
use crate::backend::{
    BackendError, ChangedFile, ChangedText, Commit, FileText, Microagent, Upload,
};
use reqwest::{Method, Response, multipart};
use serde_json::{Value, json};
use std::sync::Arc;

/// The workspace of one conversation.
pub(super) struct Workspace<'a> {
    server: &'a Arc<Server>,
    id: &'a str,
    /// Its absolute path.
    folder: String,
}

impl<'a> Workspace<'a> {
    /// Asks where it is.
    pub(super) async fn of(server: &'a Arc<Server>, id: &'a str) -> Answer<Self> {
        let info = server.known(conversation_id(id)?).await?;
        let folder = info.and_then(|info| info.repository);
        let folder = folder
            .ok_or_else(|| BackendError::NotFound("the folder of this conversation".to_owned()))?;
        Ok(Self { server, id, folder })
    }

    /// Names in a directory, those of directories with a slash. One that does not exist is empty.
    pub(super) async fn list_files(&self, directory: &str) -> Answer<Vec<String>> {
        let directory = self.absolute(workspace_path(directory)?);
        let command = format!("ls -1Ap -- {}", quoted(&directory));
        let path = ["api", "bash", "execute_bash_command"];
        let body = json!({ "command": command, "cwd": "/", "timeout": 20 });
        let call = Call {
            patience: Patience::Slow,
            ..Call::send(Method::POST, &path, body)
        };
        let output = self.server.rest.json(call).await?;
        let listed = output
            .get("stdout")
            .and_then(Value::as_str)
            .unwrap_or_default();
        Ok(listed.lines().map(str::to_owned).collect())
    }

    /// Text of a file. The server confines this route to the workspace.
    pub(super) async fn read_file(&self, path: &str) -> Answer<FileText> {
        let mut route = vec!["api", "conversations", self.id, "workspace"];
        route.extend(
            workspace_path(path)?
                .split('/')
                .filter(|part| !part.is_empty()),
        );
        let call = Call {
            missing: Missing::Thing("this file"),
            patience: Patience::Slow,
            ..Call::get(&route)
        };
        match self.server.rest.bytes(call).await {
            Ok(bytes) if bytes.contains(&0) => Ok(FileText::Binary),
            Ok(bytes) => {
                Ok(String::from_utf8(bytes.to_vec()).map_or(FileText::Binary, FileText::Text))
            }
            Err(BackendError::NotFound(_)) => Ok(FileText::Missing),
            Err(error) => Err(error),
        }
    }

    /// All of it, packed by tar and gzip, unread. Without the format the server answers a patch.
    pub(super) async fn archive(&self) -> Answer<Response> {
        let query = [("path", self.folder.as_str()), ("format", "tar.gz")];
        let call = Call {
            query: &query,
            patience: Patience::Transfer,
            missing: Missing::Thing("the folder of this conversation"),
            ..Call::get(&["api", "file", "archive"])
        };
        self.server.rest.open(call).await
    }

    /// The repository's newest commits.
    pub(super) async fn commits(&self) -> Answer<Vec<Commit>> {
        Ok(dto::commits(&*self.git(&["commits"]).await?))
    }

    /// Files that differ from the repository, or that a commit changed.
    pub(super) async fn changes(&self, commit: Option<&str>) -> Answer<Vec<ChangedFile>> {
        let told = match commit {
            None => self.git(&["changes"]).await?,
            Some(commit) => self.git(&["commits", sha(commit)?, "changes"]).await?,
        };
        Ok(dto::changes(&told))
    }

    /// Something about the repository that the folder is in. Without a repository it is empty.
    async fn git(&self, route: &[&str]) -> Answer<Arc<Value>> {
        let query = [("path", self.folder.as_str())];
        let path = [&["api", "git"], route].concat();
        let call = Call {
            query: &query,
            patience: Patience::Slow,
            ..Call::get(&path)
        };
        self.server.rest.shared(call, LIST_FRESH).await
    }

    /// Old and new text of a changed file: as it is now, or by a commit.
    pub(super) async fn change(&self, commit: Option<&str>, path: &str) -> Answer<ChangedText> {
        let file = self.absolute(workspace_path(path)?);
        let mut query = vec![("path", file.as_str())];
        if let Some(commit) = commit {
            query.push(("commit", sha(commit)?));
        }
        let call = Call {
            query: &query,
            patience: Patience::Slow,
            ..Call::get(&["api", "git", "diff"])
        };
        Ok(ChangedText::of(&self.server.rest.json(call).await?))
    }

    /// Puts files into the root of the workspace; answers their names.
    pub(super) async fn upload(&self, files: Vec<Upload>) -> Answer<Vec<String>> {
        let mut taken = Vec::new();
        for file in files {
            let name = file_name(&file.name)?.to_owned();
            let target = self.absolute(&name);
            let query = [("path", target.as_str())];
            let length = file.bytes.len() as u64;
            let part =
                multipart::Part::stream_with_length(file.bytes, length).file_name(name.clone());
            let call = Call {
                method: Method::POST,
                query: &query,
                body: Body::Form(multipart::Form::new().part("file", part)),
                patience: Patience::Transfer,
                ..Call::get(&["api", "file", "upload"])
            };
            self.server.rest.json(call).await?;
            taken.push(name);
        }
        Ok(taken)
    }

    fn absolute(&self, path: &str) -> String {
        format!("{}/{path}", self.folder.trim_end_matches('/'))
    }
}

/// Skills that the agent was given.
pub(super) async fn skills(server: &Arc<Server>, id: &str) -> Answer<Vec<Microagent>> {
    let path = ["api", "conversations", conversation_id(id)?];
    let call = Call {
        query: &[("include_skills", "true")],
        ..Call::get(&path)
    };
    let info = server.rest.shared(call, LIST_FRESH).await?;
    let skills = info
        .pointer("/agent/agent_context/skills")
        .and_then(Value::as_array);
    let skill = |entry: &Value| {
        let text = |key: &str| {
            entry
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let words = entry
            .pointer("/trigger/keywords")
            .or_else(|| entry.pointer("/trigger/triggers"));
        let words = words.and_then(Value::as_array).into_iter().flatten();
        Microagent {
            name: text("name"),
            kind: "skill".to_owned(),
            triggers: words
                .filter_map(|word| word.as_str().map(str::to_owned))
                .collect(),
            content: text("content"),
        }
    };
    Ok(skills.into_iter().flatten().map(skill).collect())
}

/// A commit's hash, which goes into an address: only what the server takes for one.
fn sha(commit: &str) -> Answer<&str> {
    let is_hash =
        (4..=64).contains(&commit.len()) && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash
        .then_some(commit)
        .ok_or_else(|| BackendError::NotFound("this commit".to_owned()))
}

/// One word for a shell, whatever is in it.
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
