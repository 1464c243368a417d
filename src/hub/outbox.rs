//! Messages on their way: taken once, sent once, and gone when they are on the timeline.
//!
//! A message waits here while it would be lost (the runtime starts, `protocol/v0.md` section 4) or do
//! harm (0.62 drops an action that waits when a message comes, 1.x carries it out).

use super::HubError;
use super::keeper::Keeper;
use super::line::Held;
use super::room::{Reply, Sent};
use super::view;
use crate::backend::{Command, Delivery, LineState, Runtime};
use crate::conversation::Status;
use crate::journal::{Outgoing, OutgoingState};

/// A message that waits for the line (not for a starting runtime) has failed after this long, in
/// milliseconds: a person should not wonder for longer.
const PATIENCE: i64 = 30_000;

/// Id of the message that a conversation is begun with.
const OPENING: &str = "opening";

impl Outgoing {
    /// The message that a conversation was begun with just now: the backend has taken it.
    pub(super) fn opening(text: &str, images: Vec<String>, by: &str) -> Self {
        Self {
            client_id: OPENING.to_owned(),
            text: text.to_owned(),
            images,
            files: Vec::new(),
            at: super::now(),
            by: by.to_owned(),
            state: OutgoingState::Sent,
            why: String::new(),
            sent_after: 0,
        }
    }

    /// Whether a conversation was begun with it.
    pub(super) fn is_opening(&self) -> bool {
        self.client_id == OPENING
    }
}

impl Keeper {
    /// A person has started the runtime. 0.x says only in the session that it makes for a new conversation what that
    /// was begun with: if that one never came up, nobody has said it, and we do.
    pub(super) async fn started(&mut self) {
        if self.outbox.iter().any(Outgoing::is_opening) {
            self.mark(OPENING, OutgoingState::Waiting, "").await;
        }
        self.looking.outdated = self.looking.asking;
        self.runtime_is(Runtime::Starting).await;
    }

    /// A person says something. While something waits it is a rejection with this reason, then the message.
    pub(super) async fn say(&mut self, message: Outgoing, reply: Reply<()>) {
        let outcome = self.take_message(message).await;
        // Who asked may be gone by now; what becomes of it is on the page.
        let _ = reply.send(outcome);
    }

    async fn take_message(&mut self, message: Outgoing) -> Result<(), HubError> {
        let id = self.described.id.clone();
        if self
            .hub
            .journal()
            .has_message(&id, &message.client_id)
            .await?
        {
            return Ok(());
        }
        if matches!(self.runtime, Runtime::Stopped | Runtime::Error) {
            return Err(HubError::Stopped);
        }
        let open = self.approval.as_ref().filter(|waiting| waiting.is_open());
        if let Some(token) = open.map(|waiting| waiting.view().token) {
            self.reject_for(&token, &message.text, &message.by).await?;
        }
        if self
            .hub
            .journal()
            .take_message(&id, message.clone())
            .await?
        {
            self.outbox.push(message);
        }
        Ok(())
    }

    /// Says why something was rejected, to an agent whose backend has no room for it in the rejection.
    pub(super) async fn say_reason(&mut self, token: &str, reason: &str, by: &str) {
        let message = Outgoing {
            client_id: format!("reason-{token}"),
            text: reason.to_owned(),
            images: Vec::new(),
            files: Vec::new(),
            at: super::now(),
            by: by.to_owned(),
            state: OutgoingState::Waiting,
            why: String::new(),
            sent_after: self.seq,
        };
        match self
            .hub
            .journal()
            .take_message(&self.described.id, message.clone())
            .await
        {
            Ok(true) => self.outbox.push(message),
            Ok(false) => {}
            Err(error) => {
                tracing::error!(conversation = self.id(), %error, "a reason could not be stored")
            }
        }
    }

    /// A person tries a message again, or gives it up.
    pub(super) async fn settle(&mut self, client_id: &str, again: bool) -> Result<(), HubError> {
        let found = self
            .outbox
            .iter()
            .find(|message| message.client_id == client_id)
            .map(|message| message.state);
        let state = found.ok_or(HubError::NotFound("message"))?;
        if !matches!(state, OutgoingState::Failed | OutgoingState::Indeterminate) {
            return Err(HubError::Invalid(
                "This message is on its way. Wait a moment.".to_owned(),
            ));
        }
        if !again {
            self.mark(client_id, OutgoingState::Done, "").await;
            return Ok(());
        }
        if matches!(self.runtime, Runtime::Stopped | Runtime::Error) {
            return Err(HubError::Stopped);
        }
        if self.approval.is_some() {
            return Err(HubError::AnswerFirst);
        }
        if let Some(message) = self
            .outbox
            .iter_mut()
            .find(|message| message.client_id == client_id)
        {
            message.at = super::now();
        }
        self.mark(client_id, OutgoingState::Waiting, "").await;
        Ok(())
    }

    /// Something is to be sent or on its way. What a conversation was begun with is, until its agent has it or its runtime
    /// has failed: then only a person's start brings it further.
    pub(super) fn is_sending(&self) -> bool {
        let failed = view::runtime_now(&self.session, self.runtime) == Runtime::Error;
        let under_way = |message: &Outgoing| {
            matches!(
                message.state,
                OutgoingState::Waiting | OutgoingState::Sending
            ) || (message.is_opening() && !failed)
        };
        self.orders > 0 || self.outbox.iter().any(under_way)
    }

    /// Sends the oldest message that waits, if the agent hears it now. One at a time, so that they arrive
    /// in order.
    pub(super) async fn send_what_waits(&mut self) {
        let sending = self
            .outbox
            .iter()
            .any(|message| message.state == OutgoingState::Sending);
        let next = self
            .outbox
            .iter()
            .find(|message| message.state == OutgoingState::Waiting)
            .cloned();
        let Some(message) = next.filter(|_| !sending && self.agent_hears()) else {
            return;
        };
        // It is on the disk as "sending" before it leaves: a crash in between leaves it indeterminate.
        if !self
            .mark(&message.client_id, OutgoingState::Sending, "")
            .await
        {
            return;
        }
        let Outgoing {
            client_id,
            text,
            images,
            files,
            ..
        } = message;
        match self.order(Command::Say {
            text,
            images,
            files,
        }) {
            Some(outcome) => self.report(outcome, Sent::Message { client_id }),
            None => {
                self.mark(&client_id, OutgoingState::Waiting, "").await;
            }
        }
    }

    /// A message would neither be lost nor do harm now.
    fn agent_hears(&self) -> bool {
        let live = self.line.as_ref().is_some_and(Held::is_live);
        let started = self.runtime == Runtime::Running && self.session.status != Status::Loading;
        let waits =
            self.session.pending.is_some() || self.session.status == Status::AwaitingConfirmation;
        live && started && !waits
    }

    /// What became of a message.
    pub(super) async fn message_sent(&mut self, client_id: &str, delivery: Delivery) {
        let still_sending = self.outbox.iter().any(|message| {
            message.client_id == client_id && message.state == OutgoingState::Sending
        });
        if !still_sending {
            // It has come back on the timeline before it was confirmed.
            return;
        }
        match delivery {
            Delivery::Confirmed => self.mark(client_id, OutgoingState::Sent, "").await,
            Delivery::NotSent(why) => self.mark(client_id, OutgoingState::Failed, &why).await,
            // The line was lost, or the agent still starts, and we did not know it yet.
            Delivery::NotYet(_) => self.mark(client_id, OutgoingState::Waiting, "").await,
            Delivery::Unknown(why) => {
                let why = format!("It may or may not have arrived: {why}");
                self.mark(client_id, OutgoingState::Indeterminate, &why)
                    .await
            }
        };
    }

    /// Messages that can no longer be sent have failed, and say so.
    pub(super) async fn give_up_waiting(&mut self) {
        let now = super::now();
        let stopped = matches!(self.runtime, Runtime::Stopped | Runtime::Error);
        let refused = matches!(self.line_state, LineState::Refused { .. });
        let away = matches!(self.line_state, LineState::Reconnecting { .. });
        let failed: Vec<String> = self
            .outbox
            .iter()
            .filter(|message| message.state == OutgoingState::Waiting)
            // What a conversation was begun with can wait until somebody starts it.
            .filter(|message| !message.is_opening())
            .filter(|message| stopped || refused || (away && now - message.at > PATIENCE))
            .map(|message| message.client_id.clone())
            .collect();
        for client_id in failed {
            let why = if stopped {
                "The conversation has stopped."
            } else {
                "The line to the backend is down."
            };
            self.mark(&client_id, OutgoingState::Failed, why).await;
        }
    }

    /// Notes how far a message is. `false` when it could not be stored.
    pub(super) async fn mark(&mut self, client_id: &str, state: OutgoingState, why: &str) -> bool {
        let sent_after = self.seq;
        let stored = self
            .hub
            .journal()
            .mark_message(&self.described.id, client_id, state, why, sent_after)
            .await;
        if let Err(error) = &stored {
            tracing::error!(conversation = self.id(), %error, "how far a message is could not be stored");
            if state == OutgoingState::Sending {
                return false;
            }
        }
        for message in self
            .outbox
            .iter_mut()
            .filter(|message| message.client_id == client_id)
        {
            message.state = state;
            why.clone_into(&mut message.why);
            message.sent_after = sent_after;
        }
        self.outbox
            .retain(|message| message.state != OutgoingState::Done);
        stored.is_ok()
    }
}
