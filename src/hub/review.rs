//! The review: the changed files of a conversation, each with its diff. Nothing of it is kept.

use super::workspace::LARGEST;
use super::{HubError, HubResult, Workspace, compute};
use crate::backend::{BackendError, ChangedFile, ChangedText, FileText};
use crate::conversation::Kind;
use crate::live::{Part, ReviewView, ReviewedChange, ReviewedFile};
use crate::render::{DiffLimits, DiffView, Picture, change_within, recorded_changes};
use futures_util::StreamExt;
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::iter;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Edits that are read from the journal at a time; it may return fewer.
const EDITS: u32 = 200;
/// How often they are read.
const PAGES: usize = 8;
/// Files of a part. Each costs a request, and 0.62 answers eight a second.
const FILES: usize = 20;
/// Requests for files at a time.
const AT_ONCE: usize = 2;
/// How files end that are pictures.
const PICTURES: [&str; 6] = [".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif"];

/// What the workspace has of a changed file.
enum Read {
    Texts(ChangedText),
    Picture(String),
    Unshown(String),
}

impl Workspace {
    /// A part of the files that differ from the repository, or that a commit changed, behind `from` files, with their diffs.
    /// Together they have at most as many lines and bytes as the diff of one file. What cannot be shown says why.
    pub async fn review(
        &self,
        id: &str,
        commit: Option<&str>,
        from: usize,
    ) -> HubResult<ReviewView> {
        let all = self.changes(id, commit).await?;
        let count = all.len();
        let part = Part::of_size(FILES, all, from, |_| false);
        let read = |file: ChangedFile| -> BoxFuture<'_, HubResult<(ChangedFile, Read)>> {
            async move {
                let read = self.read_change(id, commit, &file).await?;
                Ok((file, read))
            }
            .boxed()
        };
        let reads: Vec<_> = part.entries.into_iter().map(read).collect();
        let mut reads = iter(reads).buffered(AT_ONCE);
        let (mut files, mut room) = (Vec::new(), DiffLimits::PAGE);
        while let Some(read) = reads.next().await {
            let (file, read) = read?;
            let shown = match read {
                Read::Texts(texts) => {
                    let path = file.path.clone();
                    let draw = move || change_within(&path, &texts.original, &texts.modified, room);
                    let view = compute(draw).await?;
                    room = room.behind(&view);
                    ReviewedChange::Diff(view)
                }
                Read::Picture(tag) => ReviewedChange::Picture(tag),
                Read::Unshown(why) => ReviewedChange::Unshown(why),
            };
            files.push(ReviewedFile {
                path: file.path,
                status: file.status,
                shown,
            });
        }
        Ok(ReviewView {
            files,
            more: part.more,
            count,
        })
    }

    /// What the recorded edits have changed, or what they have changed in `only` one file, and whether these are all of them.
    /// This needs no sandbox.
    pub async fn recorded_changes(
        &self,
        id: &str,
        only: Option<String>,
    ) -> HubResult<(ReviewView, bool)> {
        let (mut rows, mut before, mut older) = (Vec::new(), None, true);
        for _ in 0..PAGES {
            let page = self
                .catalogue
                .journal
                .rows(id, before, Some(Kind::Edit), EDITS);
            let page = page.await?;
            before = page.rows.first().map(|row| (row.pos, row.id));
            rows.splice(0..0, page.rows);
            older = page.older;
            if !older {
                break;
            }
        }
        let changes = compute(move || recorded_changes(&rows, only.as_deref())).await?;
        let file = |(view, is_new): (DiffView, bool)| ReviewedFile {
            path: view.path.clone(),
            status: if is_new { "A" } else { "M" }.to_owned(),
            shown: ReviewedChange::Diff(view),
        };
        let files: Vec<_> = changes.into_iter().map(file).collect();
        let view = ReviewView {
            more: 0,
            count: files.len(),
            files,
        };
        Ok((view, !older))
    }

    /// Errors: those that concern all files.
    async fn read_change(
        &self,
        id: &str,
        commit: Option<&str>,
        file: &ChangedFile,
    ) -> HubResult<Read> {
        let name = file.path.to_lowercase();
        let ends_as_one = PICTURES.iter().any(|end| name.ends_with(end));
        let is_there = !file.status.trim_start().starts_with('D');
        if ends_as_one && is_there {
            return self.read_picture(id, &file.path).await;
        }
        let backend = self.catalogue.backend_of(id).await?;
        match backend.change(id, commit, &file.path).await {
            Ok(texts) if texts.original.len().max(texts.modified.len()) > LARGEST => {
                Ok(Read::Unshown(
                    "It is larger than 1 MB. Download the workspace to see it.".to_owned(),
                ))
            }
            Ok(texts) => Ok(Read::Texts(texts)),
            Err(error) if !concerns_one(&error) => Err(error.into()),
            Err(_) if is_there => self.read_picture(id, &file.path).await,
            Err(_) => Ok(Read::Unshown(
                "OpenHands does not show what was deleted.".to_owned(),
            )),
        }
    }

    /// A file that has no lines to show.
    async fn read_picture(&self, id: &str, path: &str) -> HubResult<Read> {
        Ok(match self.file_text(id, path).await {
            Ok(FileText::Binary(Some(bytes))) if Picture::kind_of(&bytes).is_some() => {
                let mut tag = DefaultHasher::new();
                bytes.hash(&mut tag);
                Read::Picture(format!("{:016x}", tag.finish()))
            }
            Ok(FileText::Binary(_)) => Read::Unshown("It is not a text file.".to_owned()),
            Ok(FileText::Missing) => Read::Unshown("It is no longer there.".to_owned()),
            Ok(FileText::Text(_)) => {
                Read::Unshown("OpenHands does not show its change.".to_owned())
            }
            Err(HubError::Backend(error)) if concerns_one(&error) => {
                Read::Unshown("OpenHands cannot read it.".to_owned())
            }
            Err(error) => return Err(error),
        })
    }
}

/// Whether other files may be shown all the same.
fn concerns_one(error: &BackendError) -> bool {
    error.is_lasting() || matches!(error, BackendError::NotFound(_) | BackendError::Invalid(_))
}
