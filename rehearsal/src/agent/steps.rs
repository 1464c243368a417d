//! What an agent does on its own: one step of its script per model call.

use std::time::Duration;

use tokio::time::Instant;

use super::{Agent, Pending};
use crate::execution::{self, Execution};
use crate::script::{Act, Asks, Effect, Failure, Step};
use crate::{conversation::Out, event, model, scripts, sync::lock};

impl Agent {
    /// Handles the response of the model.
    pub(super) fn step(&mut self) {
        if self.poisoned {
            self.plan.calls += 1;
            return self.fail(&scripts::POISONED);
        }
        match self.plan.next_step() {
            Step::Act(act) => self.act(act),
            Step::Together(acts) => {
                for act in acts.into_iter().rev() {
                    self.plan.script.steps.push_front(Step::Act(act));
                }
                self.step();
            }
            Step::Say(text) => {
                let message = event::agent_message(&text);
                self.emit(model::called(message, self.plan.calls));
                self.set_state("awaiting_user_input");
            }
            Step::Finish(text) => self.finish(&text),
            Step::Report => {
                let report = self.plan.report();
                self.finish(&report);
            }
            Step::Fail(failure) => self.fail(&failure),
            Step::Events(events) => {
                for event in events {
                    self.emit(event);
                }
                self.think();
            }
            Step::Frames(frames) => {
                for frame in frames {
                    self.conversation.tell_sockets(&Out::Raw(frame.into()));
                }
                self.think();
            }
        }
    }

    fn act(&mut self, mut act: Act) {
        let asks = match self.plan.script.asks {
            Asks::BySettings => self.settings,
            Asks::Rated => Some(Asks::Everything),
            own => Some(own),
        };
        if asks == Some(Asks::Everything) && act.event["args"]["security_risk"].is_i64() {
            act.event["args"]["security_risk"] = (-1).into();
        }
        let asked = execution::can_wait(&act.event)
            && match asks {
                Some(Asks::Everything) => true,
                Some(_) => act.event["args"]["security_risk"] == 2,
                None => false,
            };
        // An action without a confirmation state (edit, read, browse) is executed before the user answers.
        let held = asked && !act.event["args"]["confirmation_state"].is_null();
        if held {
            act.event["args"]["confirmation_state"] = "awaiting_confirmation".into();
        }
        if asked {
            self.set_state("awaiting_user_confirmation");
        }
        act.event = model::called(act.event, self.plan.calls);
        let id = self.emit(act.event.clone());
        if matches!(act.effect, Effect::Nothing) {
            return self.think();
        }
        self.plan.pending = Some(Pending {
            id,
            act: act.clone(),
            asked,
        });
        if !held {
            self.execute(id, act);
        }
    }

    pub(super) fn execute(&mut self, cause: i64, act: Act) {
        let name = execution::name(&act.event);
        self.tally.executed(&self.conversation.id, &name);
        // Edits and reads complete at once, whatever the pace.
        let pace = match act.effect {
            Effect::Editor => Duration::ZERO,
            _ => self.pace,
        };
        self.executions.push(Execution {
            due: Instant::now() + pace + act.lasts,
            cause,
            act,
        });
    }

    /// Handles the end of a command.
    pub(super) fn complete(&mut self, execution: Execution) {
        let conversation = &self.conversation;
        let mut files = lock(&conversation.workspace);
        let observation = execution::observe(&execution, &mut files, &conversation.id);
        drop(files);
        conversation.append(observation);
        let expected = self.plan.pending.as_ref().map(|pending| pending.id);
        if expected != Some(execution.cause) || self.state == "awaiting_user_confirmation" {
            return;
        }
        self.plan.pending = None;
        if self.state == "user_confirmed" {
            self.set_state("running");
        }
        if self.state == "running" {
            self.think();
        }
    }

    fn finish(&mut self, text: &str) {
        self.emit(model::called(event::finish(text), self.plan.calls));
        self.set_state("finished");
    }

    fn fail(&mut self, failure: &Failure) {
        let tell_status = || {
            if let Some(id) = failure.status {
                let status = event::status("error", id, failure.reason);
                self.conversation.send(&status);
            }
        };
        let reason = match failure.state {
            "error" => failure.reason,
            _ => "",
        };
        let state = event::state(failure.state, reason);
        if failure.status_first {
            tell_status();
            self.emit(state);
        } else {
            self.emit(state);
            tell_status();
        }
        failure.state.clone_into(&mut self.state);
    }
}
