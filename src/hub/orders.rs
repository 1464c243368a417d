//! Clicks: what people ask of a conversation, and what becomes of it.

use super::approval::Answered;
use super::room::{Ending, Input, Room};
use super::{Hub, HubError, check_id, now};
use crate::backend::{BackendError, LineState, Profile, Runtime};
use crate::conversation::Policy;
use crate::journal::{Outgoing, OutgoingState};
use crate::live::{Decision, SessionView, Steering};
use crate::people::{Caller, Deed};
use rand::Rng;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// How long a click waits for a line that is being taken.
const LINE: Duration = Duration::from_secs(10);
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
            Ok(()) | Err(crate::backend::BackendError::NotFound(_)) => {}
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
            room.tell(Input::RuntimeIs(Runtime::Starting)).await
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

    /// Says something. The same `client_id` a second time does nothing; an empty one (a plain form) is
    /// replaced by a new one.
    pub async fn say(
        &self,
        by: &Caller,
        id: &str,
        client_id: &str,
        text: &str,
        images: Vec<String>,
        files: Vec<String>,
    ) -> Result<(), HubError> {
        if text.trim().is_empty() && images.is_empty() {
            return Err(HubError::Invalid("Write something first.".to_owned()));
        }
        if client_id.len() > 100 {
            return Err(HubError::Invalid(
                "The message has no usable id. Reload the page.".to_owned(),
            ));
        }
        let client_id = match client_id {
            "" => format!("form-{:032x}", rand::rng().random::<u128>()),
            given => given.to_owned(),
        };
        let message = Box::new(Outgoing {
            client_id,
            text: text.to_owned(),
            images,
            files,
            at: now(),
            by: by.signature().to_owned(),
            state: OutgoingState::Waiting,
            why: String::new(),
            sent_after: 0,
        });
        let room = self.room(id).await?;
        let deed = Deed::new("send").within(id).exactly(text);
        self.noted(by, deed, room.ask(|reply| Input::Say { message, reply }))
            .await
    }

    /// Tries a failed message once more, or gives it up.
    pub async fn settle(
        &self,
        by: &Caller,
        id: &str,
        client_id: &str,
        again: bool,
    ) -> Result<(), HubError> {
        let client_id = client_id.to_owned();
        let room = self.room(id).await?;
        let action = if again {
            "send again"
        } else {
            "give up message"
        };
        let deed = Deed::new(action).within(id).exactly(&client_id);
        let asked = room.ask(|reply| Input::Settle {
            client_id,
            again,
            reply,
        });
        self.noted(by, deed, asked).await
    }

    /// Approves or rejects exactly what `token` names. The first answer wins; the same again is harmless.
    pub async fn answer(
        &self,
        by: &Caller,
        id: &str,
        token: &str,
        decision: Decision,
        reason: &str,
    ) -> Result<(), HubError> {
        let action = match decision {
            Decision::Approve => "approve",
            Decision::Reject => "reject",
        };
        let deed = Deed::new(action).within(id).hashed(token);
        let answer = Answered {
            token: token.to_owned(),
            decision,
            reason: reason.trim().to_owned(),
            by: by.signature().to_owned(),
        };
        self.noted(by, deed, async {
            let (room, _watching) = self.room_with_line(id).await?;
            room.ask(|reply| Input::Answer { answer, reply }).await
        })
        .await
    }

    /// Pauses after the step, goes on, or stops the agent. While something waits only stopping is possible:
    /// "go on" would be a yes on some backends.
    pub async fn steer(&self, by: &Caller, id: &str, order: Steering) -> Result<(), HubError> {
        let action = match order {
            Steering::Pause => "pause",
            Steering::Resume => "resume",
            Steering::Stop => "stop",
        };
        self.noted(by, Deed::new(action).within(id), async {
            let (room, _watching) = self.room_with_line(id).await?;
            room.ask(|reply| Input::Steer { order, reply }).await
        })
        .await
    }

    /// The room of a conversation, once it is clear whether there is a line. Who clicks on a plain page
    /// follows nothing, and the line may have been let go meanwhile: it is taken again.
    async fn room_with_line(&self, id: &str) -> Result<(Arc<Room>, Arc<()>), HubError> {
        let room = self.room(id).await?;
        let watching = Arc::clone(&room.watching);
        let mut session = room.session.clone();
        let is_clear = |session: &Arc<SessionView>| {
            !matches!(session.line, LineState::Idle | LineState::Connecting)
                || matches!(session.runtime, Runtime::Stopped | Runtime::Error)
        };
        // If it takes longer than this the order itself says that there is no line.
        let _ = timeout(LINE, session.wait_for(is_clear)).await;
        Ok((room, watching))
    }

    /// Tries the line to the backend at once.
    pub async fn retry(&self, id: &str) -> Result<(), HubError> {
        self.room(id).await?.tell(Input::Retry).await
    }

    /// Keeps what somebody typed and did not send; empty text removes it.
    pub async fn keep_draft(&self, by: &Caller, id: &str, text: &str) -> Result<(), HubError> {
        check_id(id)?;
        Ok(self.journal().keep_draft(id, by.person, text).await?)
    }

    /// What somebody typed and did not send.
    pub async fn draft(&self, by: &Caller, id: &str) -> Result<String, HubError> {
        check_id(id)?;
        Ok(self.journal().draft(id, by.person).await?)
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
