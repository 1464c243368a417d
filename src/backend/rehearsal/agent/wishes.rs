//! What the user makes of an agent's state: pause, stop, yes and no.

use super::super::script::Act;
use super::super::{event, execution};
use super::{Agent, Answer, Pending};

impl Agent {
    /// The user's wish comes true, whatever it is.
    pub(super) fn change_state(&mut self, wanted: &str) {
        if wanted == self.state {
            return;
        }
        match (wanted, self.pending.take()) {
            ("user_confirmed", Some(mut pending)) => {
                let act = answered(&mut pending, "confirmed");
                self.note(&pending, Answer::Approved);
                let id = self.conversation.append(act.event.clone());
                self.set_state(wanted);
                self.pending = Some(Pending {
                    id,
                    act: act.clone(),
                    asked: pending.asked,
                });
                self.execute(id, act);
            }
            ("user_rejected", Some(mut pending)) => {
                let act = answered(&mut pending, "rejected");
                self.note(&pending, Answer::Rejected);
                let id = self.conversation.append(act.event);
                // The observation overtakes the state, as recorded.
                let said = execution::rejected(id);
                self.conversation
                    .append_in_order(vec![event::state(wanted, ""), said], &[1, 0]);
                self.set_state("awaiting_user_input");
            }
            ("stopped" | "error", pending) => {
                self.pending = pending;
                self.reset();
                self.set_state(wanted);
            }
            (_, pending) => {
                self.pending = pending;
                self.set_state(wanted);
            }
        }
    }

    /// Gives up the pending action and says so. A command that runs goes on: its output comes late.
    pub(super) fn reset(&mut self) {
        if let Some(pending) = self.pending.take() {
            self.conversation
                .append(execution::not_executed(pending.id));
        }
        self.thinking = None;
    }

    pub(super) fn note(&mut self, pending: &Pending, answer: Answer) {
        if pending.asked {
            self.answers
                .push((execution::name(&pending.act.event), answer));
        }
    }
}

/// The action as it is emitted again after the answer: without its thought.
fn answered(pending: &mut Pending, confirmation: &str) -> Act {
    let args = &mut pending.act.event["args"];
    args["thought"] = "".into();
    if !args["confirmation_state"].is_null() {
        args["confirmation_state"] = confirmation.into();
    }
    pending.act.clone()
}
