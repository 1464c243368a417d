//! Beginning conversations: new ones, and copies that go their own way.

use super::room::Input;
use super::{Hub, HubError, check_id, now, view};
use crate::backend::{NewConversation, Runtime};
use crate::conversation::Tags;
use crate::journal::{Described, Outgoing};
use crate::people::{Caller, Deed};

impl Hub {
    /// Makes a conversation on the backend with this label (the first if it is empty) and answers its id. It is
    /// held at once, so that its first words are not missed.
    pub async fn create(
        &self,
        by: &Caller,
        backend: &str,
        new: NewConversation,
    ) -> Result<String, HubError> {
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
        if new
            .folder
            .as_ref()
            .is_some_and(|folder| !folder.starts_with('/'))
        {
            return Err(HubError::Invalid(
                "A folder begins with a slash: give its whole path.".to_owned(),
            ));
        }
        let deed = Deed::new("create").exactly(&new.message);
        self.noted(by, deed, self.create_described(by, backend, new))
            .await
    }

    async fn create_described(
        &self,
        by: &Caller,
        backend: &str,
        new: NewConversation,
    ) -> Result<String, HubError> {
        let connected = self
            .connected_as(backend)
            .ok_or(HubError::NotFound("backend"))?;
        let label = connected.target.label();
        let backend = self.attach(&label).await?;
        let can = backend.capabilities();
        if (new.repository.is_some() && !can.repositories) || (new.folder.is_some() && !can.folders)
        {
            return Err(HubError::Invalid(format!(
                "{label} cannot begin there. Leave repository and folder empty, or choose another backend."
            )));
        }
        let (place, branch) = (
            new.repository.clone().or_else(|| new.folder.clone()),
            new.branch.clone(),
        );
        let opening = (!new.message.is_empty())
            .then(|| Outgoing::opening(&new.message, new.images.clone(), by.signature()));
        let id = backend.create(new).await?;
        self.begun(by, &id, opening, &label, place, branch).await?;
        Ok(id)
    }

    /// Takes a conversation in that was just made.
    async fn begun(
        &self,
        by: &Caller,
        id: &str,
        opening: Option<Outgoing>,
        label: &str,
        repository: Option<String>,
        branch: Option<String>,
    ) -> Result<(), HubError> {
        check_id(id)?;
        // First: whose it is must be known before its first words are.
        self.begun_by(id, by).await?;
        let (at, runtime) = (now(), view::word_of(Runtime::Starting).to_owned());
        let described = Described {
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
        self.journal().describe(vec![described]).await?;
        if let Some(opening) = opening {
            self.journal().take_message(id, opening).await?;
        }
        self.room(id)
            .await?
            .tell(Input::RuntimeIs(Runtime::Starting))
            .await
    }

    /// Makes a copy of a conversation that goes its own way, and answers its id.
    pub async fn fork(&self, by: &Caller, id: &str) -> Result<String, HubError> {
        check_id(id)?;
        let label = self.label_of(id).await?;
        let backend = self.backend_of(id).await?;
        let place = self
            .journal()
            .conversation(id)
            .await?
            .and_then(|known| known.described.repository);
        self.noted(by, Deed::new("fork").within(id), async {
            let copy = backend.fork(id).await?;
            self.begun(by, &copy, None, &label, place, None).await?;
            Ok(copy)
        })
        .await
    }
}
