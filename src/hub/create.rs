//! Creates conversations: new ones and forks.

use super::changes::Since;
use super::message::ActorMessage;
use super::{Commands, HubResult, check_id, invalid, known, lock, now};
use crate::backend::{Backend, NewConversation, Runtime};
use crate::conversation::{Body, Tags};
use crate::journal::{ConversationMeta, Outgoing};
use crate::live::LastMessage;
use crate::people::{AuditAction, Caller};
use std::sync::Arc;
use tokio::time::Instant;

impl Commands {
    /// Creates a conversation on the backend `on` (empty: the first), holds it at once, and returns its id.
    ///
    /// The second click of a double click gets the conversation of the first one.
    ///
    /// Errors: [`super::HubError::Invalid`] for a folder without its full path, or one that the backend cannot start in.
    pub async fn create(&self, by: &Caller, on: &str, new: NewConversation) -> HubResult<String> {
        let (at, creations) = (Instant::now(), &self.catalogue.creations);
        let request = format!("{:?} {on:?} {new:?}", by.signature());
        let _turn = creations.turns.take(request.clone()).await;
        if let Some(id) = creations.repeated(&request, at) {
            return Ok(id);
        }
        let id = self.create_new(by, on, new).await?;
        lock(&creations.last).push((request, at, id.clone()));
        Ok(id)
    }

    async fn create_new(&self, by: &Caller, on: &str, new: NewConversation) -> HubResult<String> {
        let given = |text: Option<String>| {
            let text = text.map(|text| text.trim().to_owned());
            text.filter(|text| !text.is_empty())
        };
        let new = NewConversation {
            message: new.message.trim().to_owned(),
            images: new.images,
            repository: given(new.repository),
            branch: given(new.branch),
            folder: given(new.folder),
            instructions: given(new.instructions),
        };
        let folder = new.folder.as_ref();
        if folder.is_some_and(|folder| !folder.starts_with('/')) {
            return invalid("Enter the full path of the folder, starting with a slash.");
        }
        let action = AuditAction::new("create").exactly(&new.message);
        self.audit.record_made(by, action, |id: &String| Some(id.as_str()), async {
            let label = self.catalogue.backends.connected_as(on)?.target.label();
            let backend = self.catalogue.backends.attach(&label).await?;
            let can = backend.capabilities();
            let is_cloned = new.repository.is_some();
            if (is_cloned && !can.repositories) || (new.folder.is_some() && !can.folders) {
                return invalid(format!(
                    "{label} cannot start in this repository or folder. Leave both empty, or choose another backend."
                ));
            }
            let place = new.repository.clone().or_else(|| new.folder.clone());
            let branch = new.branch.clone();
            let opening = (!new.message.is_empty())
                .then(|| Outgoing::opening(&new.message, new.images.clone(), by.signature()));
            let _creation = self.catalogue.creations.start(&label);
            let id = backend.create(new).await?;
            self.catalogue.store_creator(&id, by.signature(), None).await?;
            self.add_created(&id, opening, &label, place, branch).await?;
            self.tasks.tracker.spawn(self.clone().hold_to_its_promise(id.clone(), backend));
            Ok(id)
        })
        .await
    }

    /// Says on the page of a new conversation that it does not ask for approval as the settings say, if so.
    async fn hold_to_its_promise(self, id: String, backend: Arc<dyn Backend>) {
        let stopping = self.tasks.stopping.clone();
        let checked = stopping.run_until_cancelled(backend.keep_promise(&id));
        match checked.await {
            Some(Ok(Some(said))) => {
                tracing::error!(
                    conversation = id,
                    said,
                    "another approval policy than promised"
                );
                if let Ok(handle) = self.actors.handle(&id).await {
                    // If the actor has ended, no user is watching.
                    let _ = handle.tell(ActorMessage::Failed(said)).await;
                }
            }
            Some(Err(error)) => {
                tracing::info!(conversation = id, %error, "when it asks for approval could not be read");
            }
            Some(Ok(None)) | None => {}
        }
    }

    /// Adds a new conversation. Its creator was stored before, because access must be known before its first events.
    async fn add_created(
        &self,
        id: &str,
        opening: Option<Outgoing>,
        label: &str,
        repository: Option<String>,
        branch: Option<String>,
    ) -> HubResult {
        check_id(id)?;
        let (at, runtime) = (now(), Runtime::Starting.word().to_owned());
        let meta = ConversationMeta {
            id: id.to_owned(),
            backend: label.to_owned(),
            title: String::new(),
            runtime,
            repository,
            branch,
            tags: Tags::default(),
            created_at: at,
            updated_at: at,
        };
        self.journal.describe(vec![meta]).await?;
        if let Some(opening) = opening {
            self.journal.take_message(id, opening).await?;
            self.catalogue.list.changes.note(id, Since::CREATED);
        }
        let starts = ActorMessage::RuntimeIs(Runtime::Starting);
        self.actors.handle(id).await?.tell(starts).await
    }

    /// Forks a conversation, and returns the id of the fork.
    pub async fn fork(&self, by: &Caller, id: &str) -> HubResult<String> {
        self.fork_to(by, id, None).await
    }

    /// The last message of a person, if a fork can begin before it.
    pub async fn last_message(&self, id: &str) -> HubResult<Option<LastMessage>> {
        if !self.catalogue.backend_of(id).await?.capabilities().fork_at {
            return Ok(None);
        }
        let last = self.journal.last_said(id).await?;
        Ok(last.and_then(|(row, before, item)| match item.body {
            Body::Message(message) if before.is_some() => Some(LastMessage {
                row,
                attached: !(message.images.is_empty() && message.files.is_empty()),
                text: message.text,
            }),
            _ => None,
        }))
    }

    /// Forks a conversation before the last message of a person, which has this row, and sends another one there. Returns the
    /// id of the fork. A message that cannot be sent there is its draft.
    ///
    /// Errors: [`super::HubError::Invalid`] for an empty message, and if the row has no such message (any more).
    pub async fn say_instead(
        &self,
        by: &Caller,
        id: &str,
        row: i64,
        text: &str,
    ) -> HubResult<String> {
        if text.trim().is_empty() {
            return invalid("Write a message first.");
        }
        let last = self.journal.last_said(id).await?;
        let before = last
            .filter(|(known, ..)| *known == row)
            .and_then(|(_, before, _)| before);
        let Some(before) = before else {
            return invalid(
                "This is no longer the last message that can be changed. Reload the page.",
            );
        };
        let copy = self.fork_to(by, id, Some(&before)).await?;
        if let Err(error) = self.say(by, &copy, "", text, Vec::new(), Vec::new()).await {
            tracing::info!(conversation = copy, %error, "a changed message was not sent");
            self.keep_draft(by, &copy, text).await?;
        }
        Ok(copy)
    }

    async fn fork_to(&self, by: &Caller, id: &str, upto: Option<&str>) -> HubResult<String> {
        let of = known(&self.journal, id).await?.meta;
        let backend = self.catalogue.backend_of(id).await?;
        self.audit
            .record(by, AuditAction::new("fork").within(id), async {
                let _creation = self.catalogue.creations.start(&of.backend);
                let copy = backend.fork(id, upto).await?;
                self.catalogue
                    .store_creator(&copy, by.signature(), Some(id))
                    .await?;
                self.add_created(&copy, None, &of.backend, of.repository, None)
                    .await?;
                Ok(copy)
            })
            .await
    }
}
