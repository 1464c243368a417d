//! Imports: the trajectory of a file becomes a conversation of the journal, without a backend.
//!
//! It has the label [`IMPORTED`] in place of a backend's: nothing is asked about it, and nothing can be sent to it.
//! Invariant: a file is imported as a whole or not at all. A conversation that is being imported is known to nobody, and
//! is forgotten at the next start if the server ends meanwhile.

mod file;

use super::{Hub, HubError, HubResult, compute, lock, view};
use crate::backend::{BackendError, Runtime};
use crate::clock::now;
use crate::conversation::Tags;
use crate::journal::{ConversationMeta, Entry};
use crate::live::IMPORTED;
use crate::people::{AuditAction, Caller};
use crate::wire::standard_json;
use bytes::Bytes;
use rand::Rng;
use std::borrow::Cow;
use std::ops::Range;

/// The runtime of a conversation that is being imported, in the journal's word.
const IMPORTING: &str = "importing";
/// Events that are stored in one transaction, and their bytes: few enough that a click in between is not delayed.
const BATCH: usize = 256;
const BATCH_BYTES: usize = 1 << 20;
/// Longest title that is made of a file's name, in characters.
const TITLE: usize = 200;

impl Hub {
    /// Imports a trajectory of 0.x or 1.x, or an export of Handrail; returns the id of the new conversation. The name of
    /// the file becomes the title, unless the trajectory has one.
    ///
    /// # Errors
    /// [`HubError::Invalid`] with the place of the fault in the file.
    pub async fn import(&self, by: &Caller, name: &str, file: Bytes) -> HubResult<String> {
        // Files are written by Python.
        let file = compute(move || match standard_json(&file) {
            Cow::Borrowed(_) => file.clone(),
            Cow::Owned(changed) => changed.into(),
        })
        .await?;
        let copy = file.clone();
        let events = compute(move || file::events(&copy)).await?;
        let events = events.map_err(HubError::Invalid)?;
        let id = format!("{:032x}", rand::rng().random::<u128>());
        let detail = format!("{} events", events.len());
        let action = AuditAction::new("import").within(&id).detail(&detail);
        self.audited(by, action, async {
            let imported = self.store_import(&id, name, file, events).await;
            if let Err(error) = imported {
                if let Err(error) = self.journal().forget(&id).await {
                    tracing::error!(%error, "a part of an import remains until the next start");
                }
                return Err(error);
            }
            self.store_creator(&id, by.signature(), None).await?;
            self.met([id.clone()]);
            let known = self.known(&id).await?;
            self.summary_is(view::summary(&known), None);
            Ok(id.clone())
        })
        .await
    }

    async fn store_import(
        &self,
        id: &str,
        name: &str,
        file: Bytes,
        events: Vec<Range<usize>>,
    ) -> HubResult {
        let at = now();
        let mut meta = ConversationMeta {
            id: id.to_owned(),
            backend: IMPORTED.to_owned(),
            title: String::new(),
            runtime: IMPORTING.to_owned(),
            repository: None,
            branch: None,
            tags: Tags::default(),
            created_at: at,
            updated_at: at,
        };
        self.journal().describe(vec![meta.clone()]).await?;
        let mut events = events.into_iter().peekable();
        while events.peek().is_some() {
            let mut bytes = 0;
            let mut some = Vec::new();
            while bytes < BATCH_BYTES
                && some.len() < BATCH
                && let Some(event) = events.next()
            {
                bytes += event.len();
                some.push(event);
            }
            let (file, journal) = (file.clone(), self.journal().clone());
            let entry = move |event: Range<usize>| -> Entry {
                journal.entry(String::from_utf8_lossy(&file[event]).into_owned())
            };
            let entries = compute(move || some.into_iter().map(entry).collect()).await?;
            self.journal().append(id, entries, true, at).await?;
        }
        let known = self.known(id).await?;
        if known.session.title.is_empty() {
            meta.title = title_of(name);
        }
        meta.runtime = view::word_of(Runtime::Stopped).to_owned();
        self.journal().describe(vec![meta]).await?;
        Ok(())
    }

    /// Forgets what a former process did not import to its end.
    pub(super) async fn forget_unfinished_imports(&self) -> HubResult {
        for known in self.journal().conversations(IMPORTED).await? {
            if known.meta.runtime == IMPORTING {
                self.journal().forget(&known.meta.id).await?;
            }
        }
        Ok(())
    }

    /// Whether a conversation was imported.
    pub(super) fn is_imported(&self, id: &str) -> bool {
        let summaries = lock(&self.0.list.summaries);
        summaries
            .get(id)
            .is_some_and(|summary| summary.is_imported())
    }

    /// Refuses what needs an agent in a conversation that was imported.
    pub(super) fn needs_agent(&self, id: &str) -> HubResult {
        match self.is_imported(id) {
            true => Err(HubError::Imported),
            false => Ok(()),
        }
    }

    /// Deletes a conversation at its backend, if it has one.
    pub(super) async fn delete_upstream(&self, id: &str) -> HubResult {
        if self.is_imported(id) {
            return Ok(());
        }
        match self.backend_of(id).await?.delete(id).await {
            Ok(()) | Err(BackendError::NotFound(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives an imported conversation another title. No backend reports it, so it is stored here.
    pub(super) async fn rename_import(&self, id: &str, title: &str) -> HubResult {
        let mut meta = self.known(id).await?.meta;
        meta.title = title.to_owned();
        Ok(self.journal().describe(vec![meta]).await?)
    }
}

/// A title of a file's name: without its folder and its ending.
fn title_of(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
    let name: String = name.trim().chars().map(plain).take(TITLE).collect();
    name
}
