//! Files and changes of a conversation's workspace. Nothing of it is kept: it is read when it is shown.

use super::{Hub, HubError, check_id, compute};
use crate::backend::{Archive, BackendError, ChangedFile, Commit, FileText, Microagent, Upload};
use crate::live::{FileEntry, FileShown};
use crate::people::{Caller, Deed};
use crate::render::{DiffView, diff_of_texts, file_view};

/// Larger files are not shown: no browser reads them in comfort.
const LARGEST: usize = 1 << 20;

impl Hub {
    /// What is in a directory (`""` is the root), directories first.
    pub async fn list_files(&self, id: &str, directory: &str) -> Result<Vec<FileEntry>, HubError> {
        check_id(id)?;
        let names = self.backend_of(id).await?.list_files(id, directory).await?;
        let folder = directory.trim_end_matches('/');
        let mut entries: Vec<FileEntry> = names
            .iter()
            .map(|name| {
                let plain = name.trim_end_matches('/');
                // Some backends answer paths instead of names.
                let short = plain.rsplit('/').next().unwrap_or(plain).to_owned();
                let path = if folder.is_empty() {
                    short.clone()
                } else {
                    format!("{folder}/{short}")
                };
                FileEntry {
                    name: short,
                    path,
                    directory: name.ends_with('/'),
                }
            })
            .collect();
        entries.sort_by_key(|entry| !entry.directory);
        Ok(entries)
    }

    /// A file.
    pub async fn read_file(&self, id: &str, path: &str) -> Result<FileShown, HubError> {
        Ok(match self.file_text(id, path).await? {
            FileText::Binary => FileShown::Binary,
            FileText::Missing => FileShown::Missing,
            FileText::Text(text) if text.len() > LARGEST => FileShown::TooLarge(text.len() as u64),
            FileText::Text(text) => {
                let path = path.to_owned();
                FileShown::Text(compute(move || file_view(&path, &text, 1)).await?)
            }
        })
    }

    /// Text of a file, as it is in the workspace.
    pub async fn file_text(&self, id: &str, path: &str) -> Result<FileText, HubError> {
        check_id(id)?;
        Ok(self.backend_of(id).await?.read_file(id, path).await?)
    }

    /// Files that differ from the repository, or that a commit changed.
    pub async fn changes(
        &self,
        id: &str,
        commit: Option<&str>,
    ) -> Result<Vec<ChangedFile>, HubError> {
        check_id(id)?;
        Ok(self.backend_of(id).await?.changes(id, commit).await?)
    }

    /// The repository's newest commits, newest first.
    pub async fn commits(&self, id: &str) -> Result<Vec<Commit>, HubError> {
        check_id(id)?;
        Ok(self.backend_of(id).await?.commits(id).await?)
    }

    /// How a file differs: as it is now, or by a commit.
    pub async fn change(
        &self,
        id: &str,
        commit: Option<&str>,
        path: &str,
    ) -> Result<DiffView, HubError> {
        check_id(id)?;
        let texts = self.backend_of(id).await?.change(id, commit, path).await?;
        let path = path.to_owned();
        compute(move || diff_of_texts(&path, &texts.original, &texts.modified)).await
    }

    /// Microagents and skills that the conversation knows.
    pub async fn microagents(&self, id: &str) -> Result<Vec<Microagent>, HubError> {
        check_id(id)?;
        Ok(self.backend_of(id).await?.microagents(id).await?)
    }

    /// The whole workspace as one file, as it comes, and how it is packed.
    pub async fn archive(&self, id: &str) -> Result<(Archive, reqwest::Response), HubError> {
        check_id(id)?;
        let backend = self.backend_of(id).await?;
        let packed = backend.capabilities().archive;
        let packed = packed.ok_or(BackendError::Unsupported)?;
        Ok((packed, backend.archive(id).await?))
    }

    /// Puts files into the workspace; answers the names that were taken.
    pub async fn upload(
        &self,
        by: &Caller,
        id: &str,
        files: Vec<Upload>,
    ) -> Result<Vec<String>, HubError> {
        check_id(id)?;
        let named = files.into_iter().map(|file| {
            // A browser may send a path; only the name counts.
            let name = file
                .name
                .rsplit(['/', '\\'])
                .next()
                .unwrap_or_default()
                .to_owned();
            Upload { name, ..file }
        });
        let files: Vec<Upload> = named
            .filter(|file| !file.name.is_empty() && file.name != "..")
            .collect();
        if files.is_empty() {
            return Err(HubError::Invalid("Choose a file first.".to_owned()));
        }
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        let deed = Deed::new("upload").within(id).detail(&names.join(", "));
        self.noted(by, deed, async {
            Ok(self.backend_of(id).await?.upload(id, files).await?)
        })
        .await
    }
}
