//! Clicks on a conversation as a whole: its name, its runtime, its policy, its model, its end.

use super::room::{Ending, Input, Room};
use super::{Hub, HubError, check_id};
use crate::backend::{BackendError, Profile, Runtime};
use crate::conversation::{Policy, Tags};
use crate::people::{Caller, Deed};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// How long a click waits for something that may have to wait for the running step.
pub(super) const A_MOMENT: Duration = Duration::from_millis(1500);

impl Hub {
    /// Asks the agent something beside its work, and answers what it says.
    pub async fn ask(&self, by: &Caller, id: &str, question: &str) -> Result<String, HubError> {
        check_id(id)?;
        let question = question.trim();
        if question.is_empty() {
            return Err(HubError::Invalid("Write a question first.".to_owned()));
        }
        let backend = self.backend_of(id).await?;
        let deed = Deed::new("side question").within(id).exactly(question);
        self.noted(by, deed, async { Ok(backend.ask(id, question).await?) })
            .await
    }

    /// Says when the agent has to ask, and who judges what is risky (`None`: nobody).
    pub async fn set_policy(
        &self,
        by: &Caller,
        id: &str,
        policy: Policy,
        analyzer: Option<String>,
    ) -> Result<(), HubError> {
        let room = self.room(id).await?;
        let backend = self.backend_of(id).await?;
        let deed = Deed::new("set policy")
            .within(id)
            .detail(&format!("{policy:?} {analyzer:?}"));
        let conversation = id.to_owned();
        let work = async move {
            backend.set_analyzer(&conversation, analyzer).await?;
            backend.set_policy(&conversation, policy).await
        };
        self.noted(
            by,
            deed,
            at_once(room, "The policy could not be changed", work),
        )
        .await
    }

    /// Models that a conversation can be given.
    pub async fn profiles(&self, id: &str) -> Result<Vec<Profile>, HubError> {
        check_id(id)?;
        Ok(self.backend_of(id).await?.profiles().await?)
    }

    /// Gives a conversation the model of a profile.
    pub async fn switch_profile(&self, by: &Caller, id: &str, name: &str) -> Result<(), HubError> {
        let room = self.room(id).await?;
        let backend = self.backend_of(id).await?;
        let deed = Deed::new("switch model").within(id).detail(name);
        let (conversation, name) = (id.to_owned(), name.to_owned());
        let work = async move { backend.switch_profile(&conversation, &name).await };
        self.noted(
            by,
            deed,
            at_once(room, "The model could not be changed", work),
        )
        .await
    }

    /// Gives a conversation another title: 1 to 200 characters.
    pub async fn rename(&self, by: &Caller, id: &str, title: &str) -> Result<(), HubError> {
        let title = title.trim();
        if !(1..=200).contains(&title.chars().count()) {
            return Err(HubError::Invalid(
                "A title has 1 to 200 characters.".to_owned(),
            ));
        }
        let room = self.room(id).await?;
        let deed = Deed::new("rename").within(id).detail(title);
        let backend = self.backend_of(id).await?;
        let (conversation, given) = (id.to_owned(), title.to_owned());
        self.noted(by, deed, async {
            let work = async move { backend.rename(&conversation, &given).await };
            at_once(Arc::clone(&room), "It could not be renamed", work).await?;
            room.tell(Input::Renamed(title.to_owned())).await
        })
        .await
    }

    /// Gives a conversation these labels instead of those it has, as [`Tags::read`] takes them.
    pub async fn set_tags(&self, by: &Caller, id: &str, tags: &str) -> Result<(), HubError> {
        let tags = Tags::read(tags).map_err(HubError::Invalid)?;
        let room = self.room(id).await?;
        let labels: Vec<_> = tags.labels().collect();
        let deed = Deed::new("set tags").within(id).detail(&labels.join(", "));
        let backend = self.backend_of(id).await?;
        let (conversation, given) = (id.to_owned(), tags.clone());
        self.noted(by, deed, async {
            let work = async move { backend.set_tags(&conversation, given).await };
            at_once(Arc::clone(&room), "The tags could not be changed", work).await?;
            room.tell(Input::Tagged(tags)).await
        })
        .await
    }

    /// Removes a conversation for good, here and at the backend.
    pub async fn delete(&self, by: &Caller, id: &str) -> Result<(), HubError> {
        check_id(id)?;
        if self.journal().conversation(id).await?.is_none() {
            return Err(HubError::NotFound("conversation"));
        }
        let deed = Deed::new("delete").within(id);
        self.noted(by, deed, self.delete_known(id)).await
    }

    async fn delete_known(&self, id: &str) -> Result<(), HubError> {
        match self.backend_of(id).await?.delete(id).await {
            Ok(()) | Err(BackendError::NotFound(_)) => {}
            Err(error) => return Err(error.into()),
        }
        let room = super::lock(&self.0.rooms).remove(id);
        if let Some(room) = room {
            // A task that has ended by itself is what we want.
            let _ = room.tell(Input::End(Ending::Deleted)).await;
            room.inputs.closed().await;
        }
        self.journal().forget(id).await?;
        self.forget_summary(id);
        Ok(())
    }

    /// Wakes a stopped conversation.
    pub async fn start(&self, by: &Caller, id: &str) -> Result<(), HubError> {
        let room = self.room(id).await?;
        self.noted(by, Deed::new("start").within(id), async {
            self.backend_of(id).await?.start(id).await?;
            room.tell(Input::Started).await
        })
        .await
    }

    /// Ends a conversation's runtime; its history stays.
    pub async fn stop(&self, by: &Caller, id: &str) -> Result<(), HubError> {
        let room = self.room(id).await?;
        self.noted(by, Deed::new("shut down").within(id), async {
            self.backend_of(id).await?.stop(id).await?;
            room.tell(Input::RuntimeIs(Runtime::Stopped)).await
        })
        .await
    }
}

/// Does something that may have to wait for the running step: nobody waits for it longer than a moment, and if it
/// fails later the conversation says so.
async fn at_once(
    room: Arc<Room>,
    failure: &'static str,
    work: impl Future<Output = Result<(), BackendError>> + Send + 'static,
) -> Result<(), HubError> {
    let mut work = tokio::spawn(work);
    match timeout(A_MOMENT, &mut work).await {
        Ok(Ok(outcome)) => Ok(outcome?),
        Ok(Err(_)) => Err(HubError::Closed),
        Err(_) => {
            tokio::spawn(async move {
                if let Ok(Err(error)) = work.await {
                    let (_, why) = HubError::from(error).for_people();
                    // Without the task nobody looks.
                    let _ = room.tell(Input::Failed(format!("{failure}. {why}"))).await;
                }
            });
            Ok(())
        }
    }
}
