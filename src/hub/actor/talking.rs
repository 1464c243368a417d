//! Messages: taken, sent one at a time, and given up when they cannot be sent.
//!
//! Long because a message may reject first, and may wait for a sandbox that is started for it.

use super::state::ConversationActor;
use crate::backend::{Command, ConnectionState, Delivery, Runtime};
use crate::clock::now;
use crate::conversation::{Status, Tone};
use crate::hub::error::sentence;
use crate::hub::message::{Answer, Sent};
use crate::hub::outgoing::REASON;
use crate::hub::parts::link::LinkEvent;
use crate::hub::parts::outbox::Blocked;
use crate::hub::{HubError, HubResult, view};
use crate::journal::{JournalError, Outgoing, OutgoingState};

impl ConversationActor {
    /// Takes over from a former task of this conversation, which may have ended at any moment.
    pub(super) async fn take_over(&mut self) {
        for client_id in self.outbox.leaving() {
            let why =
                "This may not have gone through. The connection ended while it was being sent.";
            self.mark(&client_id, OutgoingState::Indeterminate, why)
                .await;
        }
        self.settle_opening().await;
    }

    /// The first message is on its way only while nobody has said anything: otherwise the agent has it, or a person decides.
    async fn settle_opening(&mut self) {
        let Some(opening) = self.outbox.opening() else {
            return;
        };
        let (client_id, by, state) = (opening.client_id.clone(), opening.by.clone(), opening.state);
        match self.journal().first_said(self.id()).await {
            Ok(None) => {}
            Ok(Some((row, first))) if self.outbox.is_opening(&first) => {
                self.sign(vec![row], &by).await;
                self.mark(&client_id, OutgoingState::Done, "").await;
            }
            Ok(Some(_)) if state == OutgoingState::Waiting => {
                let why =
                    "This may not have gone through. The conversation began with other words.";
                self.mark(&client_id, OutgoingState::Indeterminate, why)
                    .await;
            }
            Ok(Some(_)) => {}
            Err(error) => {
                tracing::warn!(conversation = self.id(), %error, "whether the agent has the first message is not known");
            }
        }
    }

    /// A person has started the sandbox. If the first session of 0.x never came up, the first message is sent now.
    pub(super) async fn started(&mut self) {
        if let Some(opening) = self.outbox.opening() {
            let client_id = opening.client_id.clone();
            self.mark(&client_id, OutgoingState::Waiting, "").await;
        }
        self.sandbox.retry();
        self.runtime_is(LinkEvent::Started).await;
    }

    /// The sandbox could not be started: the messages that wait for it have failed, and say why.
    pub(super) async fn not_started(&mut self, why: &str) {
        self.sandbox.waking = false;
        if self.is_asleep() {
            for client_id in self.outbox.waiting() {
                self.mark(&client_id, OutgoingState::Failed, why).await;
            }
        }
    }

    /// Whether the sandbox is stopped or has failed, whatever the backend still reports.
    fn is_asleep(&self) -> bool {
        !view::is_up(self.runtime())
    }

    /// Whether messages can wait for a sandbox that has to be started.
    fn check_can_wake(&self) -> HubResult {
        match self.capabilities().runtimes {
            _ if self.link.runtime() == Runtime::Gone => Err(HubError::SandboxGone),
            true => Ok(()),
            false => Err(HubError::Stopped),
        }
    }

    /// A message is about to wait for the sandbox. Answers whether that still has to be started: once for all that wait.
    fn wake(&mut self) -> bool {
        let do_others_wait = !self.link.is_down() && !self.outbox.waiting().is_empty();
        let is_under_way = self.sandbox.waking || do_others_wait;
        self.sandbox.waking |= !is_under_way;
        !is_under_way
    }

    /// Takes a message; while an approval is pending it rejects first. Answers whether the sandbox has to be started.
    pub(super) async fn take_message(
        &mut self,
        message: Outgoing,
        seen: Option<String>,
        alone: bool,
    ) -> HubResult<bool> {
        // What has arrived may have changed what is pending.
        self.catch_up().await;
        self.settle_unsure().await?;
        let client_id = &message.client_id;
        if self.journal().has_message(self.id(), client_id).await? {
            return Ok(false);
        }
        self.outbox.check_has_room(&message)?;
        if self.is_asleep() {
            self.check_can_wake()?;
            let wakes = self.wake();
            let kept = self.keep_message(message).await;
            self.sandbox.waking &= kept.is_ok() || !wakes;
            return kept.map(|()| wakes);
        }
        let open = self.approval.pending().filter(|pending| pending.is_open());
        if let Some(token) = open.map(|pending| pending.token().to_owned()) {
            if alone {
                return Err(HubError::AnswerFirst);
            }
            let seen = seen.as_ref() == Some(&token);
            let rejected = self.reject_for(&token, &message.text, &message.by, seen);
            match rejected.await {
                // Nothing is pending any more, or something that the person has not seen.
                Err(HubError::Superseded) if self.approval.pending().is_none() => {}
                Err(HubError::Superseded) => return Err(HubError::TooSoon),
                rejected => rejected?,
            }
        }
        self.keep_message(message).await?;
        Ok(false)
    }

    /// Sends the reason of a rejection to an agent whose backend does not accept one in the rejection itself.
    pub(super) async fn say_reason(&mut self, answer: &Answer) {
        let client_id = format!("{REASON}{}", answer.token);
        let message = Outgoing {
            sent_after: self.log.seq(),
            ..Outgoing::waiting(client_id, &answer.reason, &answer.by)
        };
        if let Err(error) = self.keep_message(message).await {
            tracing::error!(conversation = self.id(), %error, "a reason could not be stored");
        }
    }

    async fn keep_message(&mut self, message: Outgoing) -> HubResult {
        let taken = self.journal().take_message(self.id(), message.clone());
        let taken = taken.await;
        if let Err(JournalError::Indeterminate(_)) = taken {
            self.in_flight.unsure.messages.push_back(message.clone());
        }
        if taken? {
            self.outbox.push(message);
            self.followers.is_changed = true;
            for client_id in self.outbox.given_up() {
                self.mark(&client_id, OutgoingState::Done, "").await;
                self.journal()
                    .take_comments_out(self.id(), &client_id)
                    .await?;
            }
        }
        Ok(())
    }

    /// A person tries a message again, or gives it up. Answers whether the sandbox has to be started for it.
    pub(super) async fn resolve_failed(&mut self, client_id: &str, again: bool) -> HubResult<bool> {
        self.outbox.check_failed(client_id)?;
        if !again {
            self.mark(client_id, OutgoingState::Done, "").await;
            return Ok(false);
        }
        let wakes = if self.is_asleep() {
            self.check_can_wake()?;
            self.wake()
        } else if self.approval.pending().is_some() {
            return Err(HubError::AnswerFirst);
        } else {
            false
        };
        self.outbox.renew(client_id, now());
        self.mark(client_id, OutgoingState::Waiting, "").await;
        Ok(wakes)
    }

    /// Sends the oldest waiting message, if the agent accepts it now.
    pub(super) async fn send_next(&mut self) {
        if self.outbox.next().is_some() {
            // An agent that has just asked for approval does not accept it.
            self.catch_up().await;
        }
        if self.outbox.next().is_some_and(Outgoing::is_opening) && self.can_send_message() {
            self.settle_opening().await;
        }
        let Some(message) = self
            .outbox
            .next()
            .filter(|_| self.can_send_message())
            .cloned()
        else {
            return;
        };
        // It was taken a while ago: its author may have lost the right since.
        let sharings = &self.context.list.sharings;
        match sharings.may_still_send(&message, self.id()).await {
            Ok(true) => {}
            Ok(false) => {
                let why = format!("{} can no longer send messages here.", message.by);
                let (id, failed) = (&message.client_id, OutgoingState::Failed);
                self.mark(id, failed, &why).await;
                return;
            }
            Err(error) => {
                tracing::error!(conversation = self.id(), %error, "whether a message may be sent is not known");
                return;
            }
        }
        // It is on the disk as "sending" before it leaves: a crash in between leaves it indeterminate.
        let client_id = message.client_id;
        if !self.mark(&client_id, OutgoingState::Sending, "").await {
            return;
        }
        let command = Command::Say {
            text: message.text,
            images: message.images,
            files: message.files,
        };
        match self.order(command) {
            Some(outcome) => self.report(outcome, Sent::Message { client_id }),
            None => {
                self.mark(&client_id, OutgoingState::Waiting, "").await;
            }
        }
    }

    /// Whether a message can be sent: the connection is live, the agent is ready and no action is pending.
    fn can_send_message(&self) -> bool {
        let session = self.log.session();
        let started = self.link.runtime() == Runtime::Running && session.status != Status::Loading;
        let waits = session.pending.is_some() || session.status == Status::AwaitingConfirmation;
        self.is_live() && started && !waits
    }

    /// Starts the run that reads a message, if what should have done so after storing it was interrupted.
    pub(super) async fn start_run(&mut self) {
        // An order that is on its way may be the one that stores the message and starts the run.
        if self.outbox.unread().is_none() || self.in_flight.orders > 0 {
            return;
        }
        // A user who has paused the agent since then decides when it continues.
        let is_over = self.link.is_down() || self.log.session().status == Status::Paused;
        if is_over {
            self.all_read().await;
        } else if self.can_send_message()
            && let Some(outcome) = self.order(Command::Resume)
        {
            self.report(outcome, Sent::Run);
        }
    }

    /// Nothing has to be done any more for messages that are on the timeline: one run reads all of them.
    pub(super) async fn all_read(&mut self) {
        while let Some(message) = self.outbox.unread() {
            let client_id = message.client_id.clone();
            self.mark(&client_id, OutgoingState::Done, "").await;
        }
    }

    /// The outcome of a run that reads messages. Unknown, it is ordered again, which a running agent ignores.
    pub(super) async fn run_started(&mut self, delivery: Delivery) {
        match delivery {
            Delivery::Unknown(_) | Delivery::NotYet(_) => return,
            Delivery::NotSent(why) if self.outbox.unread().is_some() => {
                let text = format!(
                    "The agent has not read the last message. {}",
                    sentence(&why)
                );
                self.controls.say(Tone::Bad, &text);
            }
            Delivery::NotSent(_) | Delivery::Confirmed => {}
        }
        self.all_read().await;
    }

    pub(super) async fn message_sent(&mut self, client_id: &str, delivery: Delivery) {
        if let Some((state, why)) = self.outbox.on_delivery(client_id, delivery) {
            self.mark(client_id, state, &why).await;
        }
    }

    /// Messages that can no longer be sent have failed, and say so.
    pub(super) async fn give_up_waiting(&mut self) {
        let blocked = match self.link.state() {
            _ if self.sandbox.waking => return,
            _ if self.link.is_down() => Blocked::Stopped,
            ConnectionState::Refused { .. } => Blocked::Refused,
            ConnectionState::Reconnecting { .. } => Blocked::Away,
            _ if self.is_asleep() => Blocked::Failed,
            _ => return,
        };
        for (client_id, why) in self.outbox.expired(blocked, now()) {
            self.mark(&client_id, OutgoingState::Failed, why).await;
        }
    }
}
