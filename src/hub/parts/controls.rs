//! The three controls of a conversation, and the hub's hints beside the backend's status.

use crate::backend::{Command, Delivery};
use crate::conversation::{Body, Notice, Status, Tone};
use crate::hub::{HubError, HubResult};
use crate::live::Steering;
use std::time::{Duration, Instant};

/// A resumed agent that does nothing for this long will not (`docs/protocol/v0.md` section 6).
const RESUMED_AGENT_STIRS: Duration = Duration::from_secs(5);

/// The controls that were used, and the hub's own notice.
#[derive(Default)]
pub struct Controls {
    /// A pause was requested and has not taken effect.
    pausing: bool,
    /// A person has paused or stopped the agent, and it has not come to rest since.
    halting: bool,
    /// A resume was requested, and the agent has done nothing since.
    resumed_at: Option<Instant>,
    hint: Option<Notice>,
}

impl Controls {
    /// The command for a control. While an approval is `pending` only Stop: "resume" approves on some backends.
    ///
    /// Errors: [`HubError::Stopped`] without a sandbox, [`HubError::AnswerFirst`].
    pub fn steer(order: Steering, is_down: bool, pending: bool) -> HubResult<Command> {
        if is_down {
            return Err(HubError::Stopped);
        }
        match order {
            Steering::Stop => Ok(Command::Stop),
            _ if pending => Err(HubError::AnswerFirst),
            Steering::Pause => Ok(Command::Pause),
            Steering::Resume => Ok(Command::Resume),
        }
    }

    pub fn ordered(&mut self, order: Steering) {
        self.pausing = order == Steering::Pause;
        self.halting = order != Steering::Resume;
    }

    pub fn slow(&mut self, order: Steering) {
        let text = match order {
            Steering::Pause => "Pausing after the current step…",
            Steering::Resume => "Resuming…",
            Steering::Stop => "Stopping…",
        };
        self.say(Tone::Info, text);
    }

    /// The outcome of a control. Errors: [`HubError::NotSent`], and [`HubError::Indeterminate`] if nobody knows.
    pub fn on_delivery(&mut self, order: Steering, delivery: Delivery, now: Instant) -> HubResult {
        self.pausing &= order != Steering::Pause || matches!(delivery, Delivery::Confirmed);
        if matches!(delivery, Delivery::NotSent(_)) {
            self.halting = false;
        }
        match delivery {
            Delivery::Confirmed => {
                self.hint = None;
                self.resumed_at = (order == Steering::Resume).then_some(now);
                Ok(())
            }
            Delivery::NotSent(why) | Delivery::NotYet(why) => Err(HubError::NotSent(why)),
            Delivery::Unknown(why) => Err(HubError::Indeterminate(why)),
        }
    }

    /// Whether a person has halted the agent, so that nothing may be approved for them.
    pub fn is_halting(&self) -> bool {
        self.halting
    }

    pub fn on_event(&mut self, body: &Body) {
        if let Body::Status { status, .. } = body {
            self.halting &= status.can_pause() || *status == Status::AwaitingConfirmation;
        }
        match body {
            // It may run again within the same batch.
            Body::Status { status, .. } if !status.can_pause() => self.pausing = false,
            Body::Status { .. } | Body::Steered { .. } | Body::State(_) | Body::Nothing => {}
            // The agent stirs.
            _ => (self.resumed_at, self.hint) = (None, None),
        }
    }

    /// Handles the passing of time. Returns whether the notice has changed.
    pub fn on_tick(&mut self, now: Instant) -> bool {
        let since = |at| now.saturating_duration_since(at);
        let is_late = |at| since(at) >= RESUMED_AGENT_STIRS;
        let is_still = self.resumed_at.take_if(|at| is_late(*at)).is_some();
        if is_still {
            let text = "The agent has not resumed. Send it a message such as \"continue\".";
            self.say(Tone::Warning, text);
        }
        is_still
    }

    /// Whether a requested pause is still to come: it is over after a pause, or without a sandbox.
    pub fn is_pausing(&mut self, status: &Status, is_down: bool) -> bool {
        self.pausing &= !is_down && status.can_pause();
        self.pausing
    }

    /// Says something above the backend's own word.
    pub fn say(&mut self, tone: Tone, text: &str) {
        self.hint = Some(notice(tone, text));
    }

    pub fn hint(&self) -> Option<&Notice> {
        self.hint.as_ref()
    }
}

pub fn notice(tone: Tone, text: &str) -> Notice {
    Notice {
        tone,
        code: String::new(),
        text: text.to_owned(),
        remedy: None,
    }
}
