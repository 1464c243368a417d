//! Clicks: what people ask of a conversation, and what becomes of it.

use super::approval::Answered;
use super::keeper::Keeper;
use super::room::{Ending, Input, Reply, Room, Sent};
use super::{Hub, HubError, check_id, now, view};
use crate::backend::{Command, Delivery, LineState, NewConversation, Runtime};
use crate::journal::{Described, Outgoing, OutgoingState};
use crate::live::{Decision, SessionView, Steering};
use crate::people::{Caller, Deed};
use rand::Rng;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// How long a click waits for a line that is being taken.
const LINE: Duration = Duration::from_secs(10);

impl Hub {
    /// Makes a conversation and answers its id. It is held at once, so that its first words are not missed.
    pub async fn create(
        &self,
        by: &Caller,
        message: &str,
        repository: &str,
        branch: &str,
        instructions: &str,
    ) -> Result<String, HubError> {
        let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let new = NewConversation {
            message: message.trim().to_owned(),
            images: Vec::new(),
            repository: given(repository),
            branch: given(branch),
            instructions: given(instructions),
        };
        let deed = Deed::new("create").exactly(&new.message);
        self.noted(by, deed, self.create_described(by, new)).await
    }

    async fn create_described(
        &self,
        by: &Caller,
        new: NewConversation,
    ) -> Result<String, HubError> {
        let backend = self.backend();
        let (repository, branch) = (new.repository.clone(), new.branch.clone());
        let message = new.message.clone();
        let id = backend.create(new).await?;
        check_id(&id)?;
        // First: whose it is must be known before its first words are.
        self.begun_by(&id, by, &message).await?;
        let (at, runtime) = (now(), view::word_of(Runtime::Starting).to_owned());
        let described = Described {
            id: id.clone(),
            backend: backend.label(),
            title: String::new(),
            runtime,
            repository,
            branch,
            created_at: at,
            updated_at: at,
        };
        self.journal().describe(vec![described]).await?;
        self.room(&id)
            .await?
            .tell(Input::RuntimeIs(Runtime::Starting))
            .await?;
        Ok(id)
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
        self.noted(by, deed, async {
            self.backend().rename(id, title).await?;
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
        match self.backend().delete(id).await {
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
            self.backend().start(id).await?;
            room.tell(Input::RuntimeIs(Runtime::Starting)).await
        })
        .await
    }

    /// Ends a conversation's runtime; its history stays.
    pub async fn stop(&self, by: &Caller, id: &str) -> Result<(), HubError> {
        let room = self.room(id).await?;
        self.noted(by, Deed::new("shut down").within(id), async {
            self.backend().stop(id).await?;
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
        let (token, reason) = (token.to_owned(), reason.trim().to_owned());
        let name = by.signature().to_owned();
        self.noted(by, deed, async {
            let (room, _watching) = self.room_with_line(id).await?;
            room.ask(|reply| Input::Answer {
                token,
                decision,
                reason,
                by: name,
                reply,
            })
            .await
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

impl Keeper {
    pub(super) fn steer(&mut self, order: Steering, reply: Reply<()>) {
        let refusal = if matches!(self.runtime, Runtime::Stopped | Runtime::Error) {
            Some(HubError::Stopped)
        } else if self.session.pending.is_some() && order != Steering::Stop {
            Some(HubError::AnswerFirst)
        } else {
            None
        };
        let command = match order {
            Steering::Pause => Command::Pause,
            Steering::Resume => Command::Resume,
            Steering::Stop => Command::Stop,
        };
        let ordered = match refusal {
            Some(refusal) => Err(refusal),
            None => self.order(command).ok_or(HubError::LineDown),
        };
        match ordered {
            Ok(outcome) => self.report(outcome, Sent::Steering { order, reply }),
            // Who asked may be gone by now.
            Err(error) => drop(reply.send(Err(error))),
        }
    }

    /// What became of an order.
    pub(super) async fn delivered(&mut self, sent: Sent, delivery: Delivery) {
        self.orders = self.orders.saturating_sub(1);
        match sent {
            Sent::Message { client_id } => self.message_sent(&client_id, delivery).await,
            Sent::Answer {
                token,
                decision,
                reason,
                by,
                reply,
            } => {
                let answer = Answered {
                    token,
                    decision,
                    reason,
                    by,
                };
                self.answered(answer, reply, delivery).await;
            }
            Sent::Steering { order, reply } => {
                let outcome = match delivery {
                    Delivery::Confirmed => {
                        self.hint = None;
                        self.resumed_at = (order == Steering::Resume).then(Instant::now);
                        Ok(())
                    }
                    Delivery::NotSent(why) | Delivery::NotYet(why) => Err(HubError::NotSent(why)),
                    Delivery::Unknown(why) => Err(HubError::Indeterminate(why)),
                };
                // Who asked may be gone by now.
                let _ = reply.send(outcome);
            }
        }
    }
}
