//! Commands of users: messages, answers and controls.
//!
//! Long because each has its errors and its audit entry.

use super::message::{ActorMessage, Answer, Reply};
use super::{
    Actors, AuditTrail, Catalogue, HubError, HubResult, Insights, Seen, Tasks, check_id, invalid,
};
use crate::journal::{Journal, NewTouch, Outgoing};
use crate::live::{Decision, SessionView, Steering};
use crate::people::{AuditAction, Caller};
use std::sync::Arc;

/// The commands of users.
#[derive(Clone)]
pub struct Commands {
    pub(super) journal: Journal,
    pub(super) audit: Arc<AuditTrail>,
    pub(super) catalogue: Arc<Catalogue>,
    pub(super) actors: Arc<Actors>,
    pub(super) seen: Arc<Seen>,
    pub(super) insights: Arc<Insights>,
    pub(super) tasks: Tasks,
}

impl Commands {
    /// Sends a message, and starts a stopped sandbox for it. A repeated `client_id` has no effect; an empty one (a plain
    /// form) is replaced by a new one.
    ///
    /// # Errors
    /// [`HubError::Invalid`] for an empty message or an invalid id, [`HubError::OutboxFull`], [`HubError::Stopped`]
    /// if the sandbox is down and its backend cannot start it; while an approval is pending also those of
    /// [`Self::answer`], because the message rejects it.
    pub async fn say(
        &self,
        by: &Caller,
        id: &str,
        client_id: &str,
        text: &str,
        images: Vec<String>,
        files: Vec<String>,
    ) -> HubResult {
        let message = new_message(by, client_id, text, images, files)?;
        self.send(by, id, message, false).await
    }

    /// Sends a message like [`Self::say`], unless an approval is pending.
    ///
    /// # Errors
    /// [`HubError::Invalid`] for an empty message or an invalid id, [`HubError::OutboxFull`],
    /// [`HubError::AnswerFirst`] while an approval is pending, [`HubError::Stopped`] if the sandbox is down and its
    /// backend cannot start it.
    pub async fn say_alone(
        &self,
        by: &Caller,
        id: &str,
        client_id: &str,
        text: &str,
        images: Vec<String>,
        files: Vec<String>,
    ) -> HubResult {
        let message = new_message(by, client_id, text, images, files)?;
        self.send(by, id, message, true).await
    }

    async fn send(&self, by: &Caller, id: &str, message: Outgoing, alone: bool) -> HubResult {
        self.catalogue.needs_agent(id).await?;
        if self.journal.has_message(id, &message.client_id).await? {
            return Ok(());
        }
        let handle = self.actors.handle(id).await?;
        // While an approval is pending, the message rejects the action that its author has seen. That needs the connection.
        let session = Arc::clone(&handle.session.borrow());
        check_budget(&session)?;
        let asked = session.approval.as_ref().map(|approval| &approval.token);
        let unanswered = session
            .approval
            .as_ref()
            .filter(|approval| !approval.answering);
        if alone && unanswered.is_some() {
            return Err(HubError::AnswerFirst);
        }
        // What is audited as a message rejects nothing, even if an answer that is on its way turns out not to be sent.
        let rejected = unanswered.map(|approval| &approval.token);
        let seen = rejected.filter(|token| self.seen.has_seen(by, token));
        let seen = seen.cloned();
        let action = match unanswered {
            Some(approval) => AuditAction::new("reject")
                .within(id)
                .hashed(&approval.token)
                .detail("with a message"),
            None => AuditAction::new("send").within(id).exactly(&message.text),
        };
        let action = action.stores_first();
        let message = Box::new(message);
        let said = self.audit.record(by, action, async {
            let _watching = match asked {
                Some(_) => Some(handle.linked().await?),
                None => None,
            };
            let said = |reply| ActorMessage::Say {
                message,
                seen,
                alone,
                reply,
            };
            handle.ask(said).await
        });
        if said.await? {
            self.wake(by, id, &handle);
        }
        // Who writes to it wants it back.
        self.catalogue.list.bring_back(id).await
    }

    /// Retries a failed message, or discards it.
    ///
    /// Errors: [`HubError::Invalid`] while the message is being sent; if it is to be sent again, [`HubError::AnswerFirst`] while an
    /// approval is pending, and [`HubError::Stopped`] if its sandbox cannot be started from here.
    pub async fn resolve_failed(
        &self,
        by: &Caller,
        id: &str,
        client_id: &str,
        again: bool,
    ) -> HubResult {
        let client_id = client_id.to_owned();
        let handle = self.actors.handle(id).await?;
        let session = Arc::clone(&handle.session.borrow());
        if !session.outbox.iter().any(|one| one.client_id == client_id) {
            return Err(HubError::NotFound("message"));
        }
        let action = match again {
            true => "send again",
            false => "discard message",
        };
        let action = AuditAction::new(action).within(id).exactly(&client_id);
        let message = client_id.clone();
        let asked = handle.ask(|reply| ActorMessage::ResolveFailed {
            client_id,
            again,
            reply,
        });
        if self.audit.record(by, action, asked).await? {
            self.wake(by, id, &handle);
        }
        if !again {
            self.journal.take_comments_out(id, &message).await?;
        }
        Ok(())
    }

    /// Approves or rejects what `token` names, if the user saw it long enough. The first answer wins. Repeating the
    /// same answer is harmless. Where a second person has to approve, the first approval is stored and nothing is sent.
    ///
    /// # Errors
    /// The answer does not count ([`HubError::Superseded`], [`HubError::TooSoon`], [`HubError::AnsweredBefore`]), was
    /// not sent ([`HubError::Disconnected`], [`HubError::NotSent`]), its outcome is unknown ([`HubError::Indeterminate`]), or it
    /// needs a touch of a passkey ([`HubError::NeedsTouch`]).
    pub async fn answer(
        &self,
        by: &Caller,
        id: &str,
        token: &str,
        decision: Decision,
        reason: &str,
    ) -> HubResult {
        self.answer_touching(by, id, token, (decision, reason), None)
            .await
    }

    /// The same with what a passkey of the user has signed for it.
    ///
    /// # Errors
    /// As [`Self::answer`]; [`HubError::NeedsTouch`] if the approval needs a touch, and this is none, or not one for it.
    pub async fn answer_touching(
        &self,
        by: &Caller,
        id: &str,
        token: &str,
        decision: (Decision, &str),
        touch: Option<NewTouch>,
    ) -> HubResult {
        // Checked now, and not when the connection is there.
        let seen = self.seen.has_seen(by, token);
        self.decide(by, id, token, decision, (seen, "", touch))
            .await
    }

    /// Rejects what `token` names, and asks for it with another command or code instead. If exactly that is asked within ten
    /// minutes, it is approved once.
    ///
    /// # Errors
    /// As [`Self::answer_touching`], and [`HubError::Invalid`] if the pending action cannot be amended, or not in this way or by
    /// this caller.
    pub async fn amend(
        &self,
        by: &Caller,
        id: &str,
        token: &str,
        text: &str,
        touch: Option<NewTouch>,
    ) -> HubResult {
        if !by.is_in_person() {
            return invalid("Nothing was sent: amend it on the page, logged in with a browser.");
        }
        let seen = self.seen.has_seen(by, token);
        self.catalogue.needs_agent(id).await?;
        let action = AuditAction::new("amend").within(id).hashed(token);
        let answer = Answer {
            token: token.to_owned(),
            decision: Decision::Reject,
            reason: String::new(),
            by: by.signature().to_owned(),
            caller: Some(Box::new(by.clone())),
            seen,
            rule: None,
            amendment: None,
            touch: touch.map(Box::new),
        };
        self.decided(by, id, action.stores_first(), |reply| ActorMessage::Amend {
            answer,
            text: text.to_owned(),
            reply,
        })
        .await
    }

    /// Approves or rejects from a notification of the pending action, which the user has `seen` long enough or not.
    ///
    /// # Errors
    /// As [`Self::answer`].
    pub async fn answer_from_notification(
        &self,
        by: &Caller,
        id: &str,
        token: &str,
        decision: Decision,
        seen: bool,
    ) -> HubResult {
        self.decide(
            by,
            id,
            token,
            (decision, ""),
            (seen, "from notification", None),
        )
        .await
    }

    async fn decide(
        &self,
        by: &Caller,
        id: &str,
        token: &str,
        (decision, reason): (Decision, &str),
        (seen, whence, touch): (bool, &str, Option<NewTouch>),
    ) -> HubResult {
        self.catalogue.needs_agent(id).await?;
        if decision == Decision::Approve {
            check_budget(&self.actors.handle(id).await?.session.borrow())?;
        }
        let action = match decision {
            Decision::Approve => "approve",
            Decision::Reject => "reject",
        };
        let action = AuditAction::new(action).within(id).hashed(token);
        let action = action.detail(whence).stores_first();
        let answer = Answer {
            token: token.to_owned(),
            decision,
            reason: reason.trim().to_owned(),
            by: by.signature().to_owned(),
            caller: Some(Box::new(by.clone())),
            seen,
            rule: None,
            amendment: None,
            touch: touch.map(Box::new),
        };
        self.decided(by, id, action, |reply| ActorMessage::Answer {
            answer,
            reply,
        })
        .await
    }

    /// Sends a decision to the actor of a conversation, and waits for its outcome.
    async fn decided(
        &self,
        by: &Caller,
        id: &str,
        action: AuditAction,
        message: impl FnOnce(Reply<()>) -> ActorMessage,
    ) -> HubResult {
        self.audit
            .record(by, action, async {
                let handle = self.actors.handle(id).await?;
                let _watching = handle.linked().await?;
                handle.ask(message).await.map_err(|error| match error {
                    // It may have left before.
                    HubError::Closed => HubError::Indeterminate("the connection ended".to_owned()),
                    error => error,
                })
            })
            .await
    }

    /// Pauses after the current step, resumes, or stops the agent. During an approval only Stop: "resume" may approve.
    ///
    /// # Errors
    /// [`HubError::Stopped`] without a sandbox, [`HubError::AnswerFirst`] while an approval is pending, and if the command
    /// was not sent ([`HubError::Disconnected`], [`HubError::NotSent`]) or has an unknown outcome
    /// ([`HubError::Indeterminate`]).
    pub async fn steer(&self, by: &Caller, id: &str, order: Steering) -> HubResult {
        self.catalogue.needs_agent(id).await?;
        let action = match order {
            Steering::Pause => "pause",
            Steering::Resume => "resume",
            Steering::Stop => "stop",
        };
        let handle = self.actors.handle(id).await?;
        if order == Steering::Resume {
            check_budget(&handle.session.borrow())?;
        }
        if handle.is_already(order) {
            return Ok(());
        }
        self.audit
            .record(by, AuditAction::new(action).within(id), async {
                let handle = self.actors.handle(id).await?;
                let _watching = handle.linked().await?;
                let steered = |reply| ActorMessage::Steer { order, reply };
                handle.ask(steered).await
            })
            .await
    }

    /// Reconnects to the backend at once.
    pub async fn retry(&self, id: &str) -> HubResult {
        self.actors
            .handle(id)
            .await?
            .tell(ActorMessage::Retry)
            .await
    }

    /// Stores a user's draft, in a conversation or for a new one ([`super::NEW_DRAFT`]); empty text removes it.
    pub async fn keep_draft(&self, by: &Caller, id: &str, text: &str) -> HubResult {
        check_id(id)?;
        Ok(self.journal.keep_draft(id, by.person, text).await?)
    }

    /// A user's draft.
    pub async fn draft(&self, by: &Caller, id: &str) -> HubResult<String> {
        check_id(id)?;
        Ok(self.journal.draft(id, by.person).await?)
    }
}

/// Checks that no budget of the conversation is used up, so that its agent may go on.
///
/// Errors: [`HubError::Invalid`].
fn check_budget(session: &SessionView) -> HubResult {
    match &session.budget {
        Some(_) => invalid(
            "Nothing was sent: a budget of this conversation is used up. It has to be lifted first.",
        ),
        None => Ok(()),
    }
}

/// A message as it is taken: with a new id if it has none.
fn new_message(
    by: &Caller,
    client_id: &str,
    text: &str,
    images: Vec<String>,
    files: Vec<String>,
) -> HubResult<Outgoing> {
    if text.trim().is_empty() && images.is_empty() {
        return invalid("Write a message first.");
    }
    if client_id.len() > 100 || Outgoing::is_ours(client_id) {
        return invalid("The message has an invalid id. Reload the page.");
    }
    let client_id = match client_id {
        "" => format!("form-{:032x}", rand::random::<u128>()),
        given => given.to_owned(),
    };
    Ok(Outgoing {
        images,
        files,
        ..Outgoing::waiting(client_id, text, by.signature())
    })
}
