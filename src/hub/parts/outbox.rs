//! Messages on their way: taken once, sent once, and gone when they are on the timeline.
//!
//! A message waits here while it would be lost (the sandbox starts, `docs/protocol/v0.md` section 4) or do harm (0.62
//! drops a pending action when a message comes, 1.x carries it out).

use crate::backend::Delivery;
use crate::conversation::{Actor, Body, LogItem, Status};
use crate::hub::error::sentence;
use crate::hub::outgoing::OPENING;
use crate::hub::support::invalid;
use crate::hub::{HubError, HubResult};
use crate::journal::{Outgoing, OutgoingState as State};

/// A message that waits for a connection has failed after this long, in milliseconds.
const EXPIRES_AFTER: i64 = 30_000;

/// Most messages of a conversation that are to be sent, and bytes of all of them: every page shows their texts. A single
/// one may have any size that a request may have. Those that have failed do not count, and have the same limits: beyond
/// them the oldest are given up.
const MOST_MESSAGES: usize = 50;
const MOST_BYTES: usize = 8 << 20;

/// The messages of a conversation that are not on its timeline.
pub struct Outbox {
    messages: Vec<Outgoing>,
}

/// Why waiting messages cannot be sent now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocked {
    Stopped,
    /// The sandbox did not come up.
    Failed,
    Refused,
    /// The connection is being tried again.
    Away,
}

impl Outbox {
    pub fn new(messages: Vec<Outgoing>) -> Self {
        Self { messages }
    }

    pub fn messages(&self) -> &[Outgoing] {
        &self.messages
    }

    /// Errors: [`HubError::OutboxFull`] if no more messages can wait.
    pub fn check_has_room(&self, for_one: &Outgoing) -> HubResult {
        let to_send = self.messages.iter().filter(|message| !has_failed(message));
        let sizes: Vec<usize> = to_send.map(bytes).collect();
        let all: usize = sizes.iter().sum();
        let is_large = !sizes.is_empty() && all + bytes(for_one) > MOST_BYTES;
        if is_large || sizes.len() >= MOST_MESSAGES {
            return Err(HubError::OutboxFull);
        }
        Ok(())
    }

    /// The oldest failed messages that are beyond the limits.
    pub fn given_up(&self) -> Vec<String> {
        let (mut count, mut size) = (0, 0);
        let newest_first = self.messages.iter().rev();
        let failed = newest_first.filter(|message| has_failed(message));
        let beyond = failed.filter(|message| {
            (count, size) = (count + 1, size + bytes(message));
            count > MOST_MESSAGES || (count > 1 && size > MOST_BYTES)
        });
        beyond.map(|message| message.client_id.clone()).collect()
    }

    pub fn push(&mut self, message: Outgoing) {
        self.messages.push(message);
    }

    /// The oldest message that waits, unless one is on its way: they arrive in order.
    pub fn next(&self) -> Option<&Outgoing> {
        let is_on_its_way =
            |message: &Outgoing| matches!(message.state, State::Sending | State::Unread);
        let mut messages = self.messages.iter();
        let next = messages.find(|message| message.state == State::Waiting)?;
        (!self.messages.iter().any(is_on_its_way)).then_some(next)
    }

    /// The message that a new event proves to have arrived, if it does: nothing else proves it.
    pub fn on_event(&self, seq: i64, item: &LogItem) -> Option<&Outgoing> {
        match (&item.body, item.from) {
            // An agent that acts has read what its conversation was begun with, in whatever words that is on the timeline.
            (Body::Message(_) | Body::Call(_), Actor::Agent) => self.opening(),
            (Body::Message(said), Actor::Human) => {
                let text = said.text.trim();
                let fits = self.messages.iter().filter(|message| {
                    was_sent(message) && seq > message.sent_after && is_said(message, text)
                });
                // Of two with the same words the one that is known to have arrived.
                fits.min_by_key(|message| message.state == State::Indeterminate)
            }
            _ => None,
        }
    }

    /// The message that is on the timeline, perhaps without a run that reads it.
    pub fn unread(&self) -> Option<&Outgoing> {
        let mut messages = self.messages.iter();
        messages.find(|message| message.state == State::Unread)
    }

    /// Refuses answers while a message is being sent: the message would discard (0.62) or execute (1.x) the pending
    /// action.
    ///
    /// Errors: [`HubError::Invalid`] while a message is being sent.
    pub fn check_none_leaves(&self) -> HubResult {
        let mut messages = self.messages.iter();
        if messages.any(|message| message.state == State::Sending) {
            let why = "Nothing was sent: a message is being delivered and may change the pending action. Review \
                       it again.";
            return invalid(why);
        }
        Ok(())
    }

    /// The new state of a message after its delivery, with the reason. `None` if its event came before.
    pub fn on_delivery(&self, client_id: &str, delivery: Delivery) -> Option<(State, String)> {
        let message = self.get(client_id)?;
        match message.state {
            State::Sending => {}
            State::Unread if matches!(delivery, Delivery::Confirmed) => {
                return Some((State::Done, String::new()));
            }
            _ => return None,
        }
        Some(match delivery {
            Delivery::Confirmed => (State::Sent, String::new()),
            Delivery::NotSent(why) => (State::Failed, sentence(&why)),
            // The connection was lost, or the agent still starts, and we did not know it yet.
            Delivery::NotYet(_) => (State::Waiting, String::new()),
            Delivery::Unknown(why) => {
                let why = format!("This may not have gone through. {}", sentence(&why));
                (State::Indeterminate, why)
            }
        })
    }

    /// The messages that are being sent.
    pub fn leaving(&self) -> Vec<String> {
        let sending = self.messages.iter();
        let sending = sending.filter(|message| message.state == State::Sending);
        sending.map(|message| message.client_id.clone()).collect()
    }

    /// Something is to be sent or on its way, like an opening until its agent has it or its sandbox has failed.
    pub fn is_sending(&self, has_failed: bool) -> bool {
        let is_under_way = |message: &Outgoing| {
            let under_way = [State::Waiting, State::Sending, State::Unread];
            under_way.contains(&message.state) || (message.is_opening() && !has_failed)
        };
        self.messages.iter().any(is_under_way)
    }

    /// Waiting messages that can no longer be sent at `now` (milliseconds since the Unix epoch), and why.
    pub fn expired(&self, blocked: Blocked, now: i64) -> Vec<(String, &'static str)> {
        let why = match blocked {
            Blocked::Stopped => "The sandbox is stopped.",
            Blocked::Failed => "The sandbox failed to start.",
            Blocked::Refused | Blocked::Away => "Disconnected from OpenHands.",
        };
        let at_once = matches!(blocked, Blocked::Stopped | Blocked::Refused);
        let is_late = |message: &&Outgoing| at_once || now - message.at > EXPIRES_AFTER;
        let told = |message: &Outgoing| (message.client_id.clone(), why);
        self.can_expire().filter(is_late).map(told).collect()
    }

    pub fn waiting(&self) -> Vec<String> {
        let waiting = self.can_expire();
        waiting.map(|message| message.client_id.clone()).collect()
    }

    /// Waiting messages. The first message of a conversation can wait until a person starts the sandbox.
    fn can_expire(&self) -> impl Iterator<Item = &Outgoing> {
        let messages = self.messages.iter();
        messages.filter(|message| message.state == State::Waiting && !message.is_opening())
    }

    /// Whether a person may decide what becomes of a message.
    ///
    /// Errors: [`HubError::NotFound`], and [`HubError::Invalid`] while it is being sent.
    pub fn check_failed(&self, client_id: &str) -> HubResult {
        let message = self.get(client_id).ok_or(HubError::NotFound("message"))?;
        match has_failed(message) {
            true => Ok(()),
            false => invalid("This message is still being sent. Wait a moment."),
        }
    }

    /// A person has asked at `now` for a message to be sent again.
    pub fn renew(&mut self, client_id: &str, now: i64) {
        let messages = self.messages.iter_mut();
        for message in messages.filter(|message| message.client_id == client_id) {
            message.at = now;
        }
    }

    /// Notes how far a message is, as of the event `seq`.
    pub fn mark(&mut self, client_id: &str, state: State, why: &str, seq: i64) {
        let messages = self.messages.iter_mut();
        for message in messages.filter(|message| message.client_id == client_id) {
            message.state = state;
            why.clone_into(&mut message.why);
            message.sent_after = seq;
        }
        self.messages.retain(|message| message.state != State::Done);
    }

    /// What the conversation was begun with, while its agent has not read it.
    pub fn opening(&self) -> Option<&Outgoing> {
        self.get(OPENING)
    }

    /// Whether the first message of a person on the timeline is what the conversation was begun with.
    pub fn is_opening(&self, first: &LogItem) -> bool {
        match (&first.body, self.opening()) {
            (Body::Message(said), Some(opening)) => is_said(opening, said.text.trim()),
            _ => false,
        }
    }

    fn get(&self, client_id: &str) -> Option<&Outgoing> {
        let mut messages = self.messages.iter();
        messages.find(|message| message.client_id == client_id)
    }
}

/// Whether an event shows that the agent runs, and has read all messages before it.
pub fn shows_a_run(item: &LogItem) -> bool {
    match (&item.body, item.from) {
        (Body::Message(_) | Body::Call(_), Actor::Agent) => true,
        (Body::Status { status, .. }, _) => *status == Status::Running,
        _ => false,
    }
}

/// Whether a person has to decide what becomes of a message.
fn has_failed(message: &Outgoing) -> bool {
    matches!(message.state, State::Failed | State::Indeterminate)
}

fn bytes(message: &Outgoing) -> usize {
    let files = message.images.iter().chain(&message.files);
    message.text.len() + files.map(String::len).sum::<usize>()
}

fn was_sent(message: &Outgoing) -> bool {
    let state = message.state;
    message.is_opening() || matches!(state, State::Sending | State::Sent | State::Indeterminate)
}

/// Whether a text is that of a message. Some backends name its files behind it.
fn is_said(message: &Outgoing, said: &str) -> bool {
    let text = message.text.trim();
    said == text || (!message.files.is_empty() && said.starts_with(text))
}
