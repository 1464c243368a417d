//! Clicks: what people say, answer and steer, and what becomes of it.

use super::approval::Answered;
use super::room::{Input, Room};
use super::{Hub, HubError, check_id, now};
use crate::backend::{LineState, Runtime};
use crate::journal::{Outgoing, OutgoingState};
use crate::live::{Decision, SessionView, Steering};
use crate::people::{Caller, Deed};
use rand::Rng;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// How long a click waits for a line that is being taken.
const LINE: Duration = Duration::from_secs(10);

impl Hub {
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
        self.noted(by, deed, async {
            // While something waits the words are an answer, too, and that needs the line.
            let asks = room.session.borrow().approval.is_some();
            let _watching = if asks {
                Some(self.room_with_line(id).await?)
            } else {
                None
            };
            room.ask(|reply| Input::Say { message, reply }).await
        })
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
