//! Files and changes of a conversation's workspace. Nothing of it is kept: it is read when it is shown.

use super::{AuditTrail, Catalogue, HubResult, check_id, compute, invalid};
use crate::backend::{Archive, BackendError, ChangedFile, Commit, FileText, Microagent, Upload};
use crate::live::{FileEntry, FileShown};
use crate::people::{AuditAction, Caller};
use crate::render::{DiffView, Picture, change_of_texts, file_view};
use std::sync::Arc;

/// Larger files are not shown: no browser reads them in comfort.
pub(super) const LARGEST: usize = 1 << 20;

/// The workspaces of the conversations.
pub struct Workspace {
    pub(super) audit: Arc<AuditTrail>,
    pub(super) catalogue: Arc<Catalogue>,
}

impl Workspace {
    /// The entries of a directory (`""` is the root), directories first.
    pub async fn list_files(&self, id: &str, directory: &str) -> HubResult<Vec<FileEntry>> {
        let backend = self.catalogue.backend_of(id).await?;
        let names = backend.list_files(id, directory).await?;
        let folder = match directory.trim_end_matches('/') {
            "" => String::new(),
            folder => format!("{folder}/"),
        };
        let entry = |name: &String| {
            let plain = name.trim_end_matches('/');
            // Some backends answer paths instead of names.
            let short = plain.rsplit('/').next().unwrap_or(plain);
            FileEntry {
                name: short.to_owned(),
                path: format!("{folder}{short}"),
                directory: name.ends_with('/'),
            }
        };
        let mut entries: Vec<FileEntry> = names.iter().map(entry).collect();
        entries.sort_by_key(|entry| !entry.directory);
        Ok(entries)
    }

    /// A file.
    pub async fn read_file(&self, id: &str, path: &str) -> HubResult<FileShown> {
        Ok(match self.file_text(id, path).await? {
            FileText::Binary(bytes) => FileShown::Binary {
                picture: (bytes.as_ref()).is_some_and(|bytes| Picture::kind_of(bytes).is_some()),
                bytes: bytes.map(|bytes| bytes.len() as u64),
            },
            FileText::Missing => FileShown::Missing,
            FileText::Text(text) if text.len() > LARGEST => FileShown::TooLarge(text.len() as u64),
            FileText::Text(text) => {
                let path = path.to_owned();
                FileShown::Text(compute(move || file_view(&path, &text, 1)).await?)
            }
        })
    }

    /// Text of a file, as it is in the workspace.
    pub async fn file_text(&self, id: &str, path: &str) -> HubResult<FileText> {
        let backend = self.catalogue.backend_of(id).await?;
        Ok(backend.read_file(id, path).await?)
    }

    /// Files that differ from the repository, or that a commit changed.
    pub async fn changes(&self, id: &str, commit: Option<&str>) -> HubResult<Vec<ChangedFile>> {
        let backend = self.catalogue.backend_of(id).await?;
        Ok(backend.changes(id, commit).await?)
    }

    /// The repository's newest commits, newest first.
    pub async fn commits(&self, id: &str) -> HubResult<Vec<Commit>> {
        Ok(self.catalogue.backend_of(id).await?.commits(id).await?)
    }

    /// The diff of a file: of its uncommitted changes, or in a commit.
    ///
    /// Errors: [`super::HubError::Invalid`] for a file of more than 1 MB.
    pub async fn change(&self, id: &str, commit: Option<&str>, path: &str) -> HubResult<DiffView> {
        let backend = self.catalogue.backend_of(id).await?;
        let texts = backend.change(id, commit, path).await?;
        if texts.original.len().max(texts.modified.len()) > LARGEST {
            let text = "This file is larger than 1 MB, so its change is not shown. Download the workspace to see it.";
            return invalid(text);
        }
        let path = path.to_owned();
        compute(move || change_of_texts(&path, &texts.original, &texts.modified)).await
    }

    /// Microagents and skills that the conversation knows.
    pub async fn microagents(&self, id: &str) -> HubResult<Vec<Microagent>> {
        Ok(self.catalogue.backend_of(id).await?.microagents(id).await?)
    }

    /// The whole workspace as one file, as it comes, and how it is packed.
    ///
    /// Errors: [`BackendError::Unsupported`] if the backend packs none.
    pub async fn archive(&self, id: &str) -> HubResult<(Archive, reqwest::Response)> {
        let backend = self.catalogue.backend_of(id).await?;
        let packed = backend.capabilities().archive;
        let packed = packed.ok_or(BackendError::Unsupported)?;
        Ok((packed, backend.archive(id).await?))
    }

    /// Puts files into the workspace; answers the names that were taken. Errors: [`super::HubError::Invalid`] without a file.
    pub async fn upload(&self, by: &Caller, id: &str, new: Vec<Upload>) -> HubResult<Vec<String>> {
        check_id(id)?;
        let named = new.into_iter().map(|file| {
            // A browser may send a path; only the name counts.
            let name = file.name.rsplit(['/', '\\']).next().unwrap_or_default();
            let name = name.to_owned();
            Upload { name, ..file }
        });
        let named = named.filter(|file| !file.name.is_empty() && file.name != "..");
        let files: Vec<Upload> = named.collect();
        if files.is_empty() {
            return invalid("Choose a file first.");
        }
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        let action = AuditAction::new("upload").detail(&names.join(", "));
        let uploaded = async {
            let backend = self.catalogue.backend_of(id).await?;
            Ok(backend.upload(id, files).await?)
        };
        self.audit.record(by, action.within(id), uploaded).await
    }
}
