//! The user's control of an agent: pause, stop, approve and reject.

use super::{Agent, Answer, Pending};
use crate::{event, execution, script::Act};

impl Agent {
    pub(super) fn change_state(&mut self, wanted: &str) {
        if wanted == self.state {
            return;
        }
        match (wanted, self.plan.pending.take()) {
            ("user_confirmed", Some(mut pending)) => {
                let act = answered(&mut pending, "confirmed");
                self.note(&pending, Answer::Approved);
                let id = self.emit(act.event.clone());
                self.set_state(wanted);
                self.plan.pending = Some(Pending { id, ..pending });
                self.execute(id, act);
            }
            ("user_rejected", Some(mut pending)) => {
                let act = answered(&mut pending, "rejected");
                self.note(&pending, Answer::Rejected);
                let id = self.emit(act.event);
                // The observation arrives before the state, as recorded.
                let events = vec![event::state(wanted, ""), execution::rejected(id)];
                self.conversation.append_in_order(events, &[1, 0]);
                self.set_state("awaiting_user_input");
            }
            (_, pending) => {
                self.plan.pending = pending;
                if matches!(wanted, "stopped" | "error") {
                    self.reset();
                }
                self.set_state(wanted);
            }
        }
    }

    /// Drops the pending action and emits an event for it. A running command continues: its output arrives late.
    pub(super) fn reset(&mut self) {
        if let Some(pending) = self.plan.pending.take() {
            self.emit(execution::not_executed(pending.id));
        }
        self.thinking = None;
    }

    pub(super) fn note(&mut self, pending: &Pending, answer: Answer) {
        if pending.asked {
            let name = execution::name(&pending.act.event);
            self.plan.answers.push((name, answer));
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
