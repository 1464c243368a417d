//! What an agent does by itself: one step of its script for each call of a model.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::super::conversation::Out;
use super::super::execution::{self, Execution};
use super::super::script::{Act, Asks, Effect, Failure, Step};
use super::super::{event, model, scripts};
use super::{Agent, Pending};

impl Agent {
    /// The model has answered.
    pub(super) fn step(&mut self) {
        self.calls += 1;
        if self.poisoned {
            return self.fail(&scripts::POISONED);
        }
        let honest = || Step::Say(scripts::honest_reply());
        match self.script.steps.pop_front().unwrap_or_else(honest) {
            Step::Act(act) => self.act(act),
            Step::Together(acts) => {
                for act in acts.into_iter().rev() {
                    self.script.steps.push_front(Step::Act(act));
                }
                self.step();
            }
            Step::Say(text) => {
                self.conversation
                    .append(model::with_metrics(event::agent_message(&text), self.calls));
                self.set_state("awaiting_user_input");
            }
            Step::Finish(text) => self.finish(&text),
            Step::Report => {
                let report = scripts::report(&self.answers);
                self.answers.clear();
                self.finish(&report);
            }
            Step::Fail(failure) => self.fail(&failure),
            Step::Events(events) => {
                for event in events {
                    self.conversation.append(event);
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
        let asks = match self.script.asks {
            Asks::BySettings if self.asks_by_settings => Some(self.settings),
            Asks::BySettings => None,
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
        act.event = model::with_metrics(model::with_call(act.event, self.calls), self.calls);
        let id = self.conversation.append(act.event.clone());
        if matches!(act.effect, Effect::Nothing) {
            return self.think();
        }
        self.pending = Some(Pending {
            id,
            act: act.clone(),
            asked,
        });
        if !held {
            self.execute(id, act);
        }
    }

    pub(super) fn execute(&mut self, cause: i64, act: Act) {
        self.tally
            .executed(&self.conversation.id, &execution::name(&act.event));
        // Editing and reading answer at once, whatever the pace.
        let pace = if matches!(act.effect, Effect::Editor) {
            Duration::ZERO
        } else {
            self.pace
        };
        self.executions.push(Execution {
            due: Instant::now() + pace + act.lasts,
            cause,
            act,
        });
    }

    /// A command has ended.
    pub(super) fn complete(&mut self, execution: Execution) {
        let observation = execution::observe(
            &execution,
            &mut self.conversation.workspace(),
            &self.conversation.id,
        );
        self.conversation.append(observation);
        let expected = self
            .pending
            .as_ref()
            .is_some_and(|pending| pending.id == execution.cause);
        if !expected || self.state == "awaiting_user_confirmation" {
            return;
        }
        self.pending = None;
        if self.state == "user_confirmed" {
            self.set_state("running");
        }
        if self.state == "running" {
            self.think();
        }
    }

    fn finish(&mut self, text: &str) {
        let finish = model::with_metrics(
            model::with_call(event::finish(text), self.calls),
            self.calls,
        );
        self.conversation.append(finish);
        self.set_state("finished");
    }

    fn fail(&mut self, failure: &Failure) {
        let frame = failure.status.map(|id| {
            json!({"status_update": true, "type": "error", "id": id, "message": failure.reason})
        });
        if let (Some(frame), true) = (&frame, failure.status_first) {
            self.conversation.send(frame);
        }
        failure.state.clone_into(&mut self.state);
        let reason = if failure.state == "error" {
            failure.reason
        } else {
            ""
        };
        self.conversation
            .append(event::state(failure.state, reason));
        if let (Some(frame), false) = (&frame, failure.status_first) {
            self.conversation.send(frame);
        }
    }
}
