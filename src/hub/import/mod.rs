//! Imports: the trajectories of a file become conversations of the journal, without a backend.
//!
//! They have the label [`IMPORTED`] in place of a backend's: nothing is asked about them, and nothing can be sent to them.
//! Invariant: a file is imported as a whole or not at all. A conversation that is being imported is known to nobody, and
//! is forgotten at the next start if the server ends meanwhile.

mod file;
mod numbering;

use super::{Catalogue, HubError, HubResult, compute, known, view};
use crate::backend::{BackendError, Runtime};
use crate::clock::now;
use crate::conversation::Tags;
use crate::journal::{ConversationMeta, IMPORTING, Journal, JournalError};
use crate::live::IMPORTED;
use crate::people::{AuditAction, Caller};
use crate::wire::reading_cost;
use bytes::Bytes;
use file::Trajectory;
use numbering::Numbering;

/// Events that are stored in one transaction, and their bytes: few enough that a click in between is not delayed.
const BATCH: usize = 256;
const BATCH_BYTES: usize = 1 << 20;
/// Longest title that is made of a file's name, in characters.
const TITLE: usize = 200;

impl Catalogue {
    /// Imports the trajectories of a file of 0.x or 1.x, or an export of Handrail; returns the ids of the new conversations,
    /// at least one. A trajectory without a title gets its name in the file, or that of the file.
    ///
    /// # Errors
    /// [`HubError::Invalid`] with the place of the fault in the file.
    pub async fn import(&self, by: &Caller, name: &str, file: Bytes) -> HubResult<Vec<String>> {
        let trajectories = compute(move || file::trajectories(file)).await?;
        let trajectories = trajectories.map_err(HubError::Invalid)?;
        let ids = trajectories
            .iter()
            .map(|_| format!("{:032x}", rand::random::<u128>()));
        let ids: Vec<String> = ids.collect();
        let events: usize = trajectories
            .iter()
            .map(|trajectory| trajectory.events.len())
            .sum();
        let detail = match ids.len() {
            1 => format!("{events} events"),
            many => format!("{many} conversations, {events} events"),
        };
        let action = AuditAction::new("import").within(&ids[0]).detail(&detail);
        self.audit.record(by, action, async {
            let imported = self.store_imports(&ids, name, trajectories).await;
            if let Err(error) = imported {
                for id in &ids {
                    if let Err(error) = self.journal.forget(id).await {
                        tracing::error!(%error, "a part of an import remains until the next start");
                    }
                }
                return Err(error);
            }
            for id in &ids {
                self.store_creator(id, by.signature(), None).await?;
            }
            for id in &ids {
                let known = known(&self.journal, id).await?;
                self.list.summary_is(view::summary(&known), Some(known.seq), None);
            }
            Ok(ids.clone())
        })
        .await
    }

    /// Stores all trajectories of a file. They are known to nobody before all are stored.
    async fn store_imports(
        &self,
        ids: &[String],
        name: &str,
        trajectories: Vec<Trajectory>,
    ) -> HubResult {
        let mut metas = Vec::with_capacity(ids.len());
        for (number, (id, trajectory)) in ids.iter().zip(trajectories).enumerate() {
            let title = match (trajectory.name.is_empty(), ids.len()) {
                (false, _) => short(&trajectory.name),
                (true, 1) => title_of(name),
                (true, _) => format!("{} ({})", title_of(name), number + 1),
            };
            metas.push(self.store_import(id, title, trajectory.events).await?);
        }
        self.journal.describe(metas).await?;
        Ok(())
    }

    /// Stores a trajectory; returns what makes it known.
    async fn store_import(
        &self,
        id: &str,
        title: String,
        events: Vec<Bytes>,
    ) -> HubResult<ConversationMeta> {
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
        self.journal.describe(vec![meta.clone()]).await?;
        let count = events.len();
        let mut events = events.into_iter().peekable();
        let (mut numbering, mut stored) = (Numbering::default(), 0);
        while events.peek().is_some() {
            let mut bytes = 0;
            let mut some = Vec::new();
            while bytes < BATCH_BYTES
                && some.len() < BATCH
                && let Some(event) = events.next()
            {
                bytes += reading_cost(&event);
                some.push(event);
            }
            let journal: Journal = self.journal.clone();
            let entries = compute(move || {
                let text = |event: Bytes| String::from_utf8_lossy(&event).into_owned();
                let numbered = some
                    .into_iter()
                    .map(|event| numbering.entry(text(event), |raw| journal.entry(raw)));
                let entries: Vec<_> = numbered.collect();
                (numbering, entries)
            });
            let (back, entries) = entries.await?;
            numbering = back;
            stored += self.journal.append(id, entries, true, at).await?.new.len();
        }
        // Invariant: an import is whole.
        if stored != count {
            tracing::error!(stored, count, "an import was not stored as a whole");
            return Err(HubError::Invalid(format!(
                "Nothing was imported: {} of the {count} events could not be told apart.",
                count - stored
            )));
        }
        let known = known(&self.journal, id).await?;
        if known.session.title.is_empty() {
            meta.title = title;
        }
        meta.runtime = Runtime::Stopped.word().to_owned();
        Ok(meta)
    }

    /// Forgets what a former process did not import to its end.
    pub(super) async fn forget_unfinished_imports(&self) -> HubResult {
        for id in self.journal.unfinished_imports().await? {
            match self.journal.forget(&id).await {
                Ok(()) => {}
                Err(JournalError::Full(error)) => {
                    tracing::warn!(%error, "an unfinished import is deleted at the next start");
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Whether a conversation was imported.
    pub(super) async fn is_imported(&self, id: &str) -> HubResult<bool> {
        let line = self.list.line_of(id).await?;
        Ok(line.is_some_and(|line| line.is_imported()))
    }

    /// Refuses what needs an agent in a conversation that was imported.
    pub(super) async fn needs_agent(&self, id: &str) -> HubResult {
        match self.is_imported(id).await? {
            true => Err(HubError::Imported),
            false => Ok(()),
        }
    }

    /// Deletes a conversation at its backend, if it has one.
    pub(super) async fn delete_upstream(&self, id: &str) -> HubResult {
        if self.is_imported(id).await? {
            return Ok(());
        }
        match self.backend_of(id).await?.delete(id).await {
            Ok(()) | Err(BackendError::NotFound(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives an imported conversation another title. No backend reports it, so it is stored here.
    pub(super) async fn rename_import(&self, id: &str, title: &str) -> HubResult {
        let mut meta = known(&self.journal, id).await?.meta;
        meta.title = title.to_owned();
        Ok(self.journal.describe(vec![meta]).await?)
    }
}

/// A title of a file's name: without its folder and its ending.
fn title_of(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    short(name.rsplit_once('.').map_or(name, |(stem, _)| stem))
}

/// A name as a title.
fn short(name: &str) -> String {
    let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
    name.trim().chars().map(plain).take(TITLE).collect()
}
