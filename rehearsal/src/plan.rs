//! What an agent has still to do: its script and the actions that are pending.

use crate::agent::Answer;
use crate::script::{Script, Step};
use crate::scripts;

/// The plan of an agent; `P` are its pending actions.
#[derive(Default)]
pub struct Plan<P> {
    pub script: Script,
    /// Actions without an observation yet.
    pub pending: P,
    /// What the user answered, by the name of the action.
    pub answers: Vec<(String, Answer)>,
    /// The number of model calls.
    pub calls: u64,
    /// The number of user messages.
    pub messages: u64,
}

impl<P> Plan<P> {
    /// Chooses the script for a user message. Returns whether it is the first one.
    pub fn take_message(&mut self, message: &str) -> bool {
        let is_first = self.messages == 0;
        self.messages += 1;
        if let Some(script) = scripts::named(message) {
            self.script = script;
        } else if is_first {
            self.script = scripts::fitting(message);
        }
        is_first
    }

    /// The result of the next model call.
    pub fn next_step(&mut self) -> Step {
        self.calls += 1;
        let step = self.script.steps.pop_front();
        step.unwrap_or_else(|| Step::Say(scripts::honest_reply()))
    }

    /// The final message about the answers so far, which are then forgotten.
    pub fn report(&mut self) -> String {
        scripts::report(&std::mem::take(&mut self.answers))
    }
}
