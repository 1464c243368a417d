//! The agent of one running conversation: 0.62's state machine around a script instead of a model.
//!
//! One task owns all of it. It waits for the user, for the end of a "model call" and for the end of "commands", and each
//! of these is handled at once, so that no two of them mix. Its oddities are the real server's: see `protocol` in the
//! project's notes on 0.62.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};

use super::conversation::{Conversation, Status};
use super::event;
use super::execution::{self, Execution};
use super::script::{Act, Asks, Effect, Failure, Script, Step};
use super::scripts;
use super::stats::Tally;

/// What reaches an agent from outside.
pub enum Input {
    /// A message of the user.
    Message {
        content: String,
        images: Value,
        files: Value,
    },
    /// The wish for another state; nothing is validated.
    State(String),
    /// Any other action of the user, as it came.
    Act { kind: String, args: Value },
    /// An observation of the user: it poisons the conversation.
    Observation(Value),
    /// The end; the answer comes when the last event is stored.
    Stop(oneshot::Sender<()>),
}

/// How the user answered an action that waited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    Approved,
    Rejected,
    /// Something else was said instead.
    Ignored,
}

/// An action without its observation yet.
struct Pending {
    id: i64,
    act: Act,
    asked: bool,
}

/// The agent and what it is about to do.
pub struct Agent {
    conversation: Arc<Conversation>,
    tally: Arc<Tally>,
    pace: Duration,
    settings: Asks,
    asks_by_settings: bool,
    state: String,
    /// A state wished for during a model call: it comes after the call.
    wanted: Option<String>,
    starting: Option<Instant>,
    initial: Option<(String, Value)>,
    thinking: Option<Instant>,
    executions: Vec<Execution>,
    pending: Option<Pending>,
    script: Script,
    answers: Vec<(String, Answer)>,
    calls: u64,
    messages: u64,
    poisoned: bool,
}

impl Agent {
    /// An agent for a conversation that starts (or starts again); `settings` are those of this moment.
    pub fn new(
        conversation: Arc<Conversation>,
        tally: Arc<Tally>,
        pace: Duration,
        settings: &Value,
        initial: Option<(String, Value)>,
    ) -> Self {
        let (known, _) = conversation.events(0, i64::MAX, false, usize::MAX);
        let messages = known
            .iter()
            .filter(|event| event["action"] == "message" && event["source"] == "user")
            .count();
        let analyzer = if settings["security_analyzer"].is_null() {
            Asks::Everything
        } else {
            Asks::High
        };
        Self {
            conversation,
            tally,
            pace,
            settings: analyzer,
            asks_by_settings: settings["confirmation_mode"] == true,
            state: String::from("loading"),
            wanted: None,
            starting: Some(Instant::now() + pace * 3),
            initial,
            thinking: None,
            executions: Vec::new(),
            pending: None,
            script: Script::new([]),
            answers: Vec::new(),
            calls: 0,
            messages: messages as u64,
            poisoned: false,
        }
    }

    /// Announces the start. Comes before [`Agent::run`], so that the start is stored when its request is answered.
    pub fn announce(&self) {
        self.conversation.append(event::state("loading", ""));
        let starting = json!({"status_update": true, "type": "info", "id": "STATUS$STARTING_RUNTIME", "message": ""});
        self.conversation.send(&starting);
        self.conversation.send(&starting);
    }

    /// Works until it is stopped.
    pub async fn run(mut self, mut inbox: UnboundedReceiver<Input>) {
        loop {
            let due = self.executions.iter().map(|execution| execution.due);
            let next = due.chain(self.starting).chain(self.thinking).min();
            tokio::select! {
                biased;
                input = inbox.recv() => match input {
                    Some(Input::Stop(done)) => {
                        self.reset();
                        self.set_state("stopped");
                        // Whoever stopped us may have gone.
                        let _ = done.send(());
                        return;
                    }
                    Some(input) => self.receive(input),
                    None => return,
                },
                () = sleep_until(next.unwrap_or_else(Instant::now)), if next.is_some() => self.advance(),
            }
        }
    }

    /// Does what is due first.
    fn advance(&mut self) {
        let now = Instant::now();
        if self.starting.is_some_and(|due| due <= now) {
            self.starting = None;
            self.ready();
        } else if let Some(position) = self
            .executions
            .iter()
            .position(|execution| execution.due <= now)
        {
            let execution = self.executions.remove(position);
            self.complete(execution);
        } else if self.thinking.is_some_and(|due| due <= now) {
            self.thinking = None;
            self.step();
            if let Some(wanted) = self.wanted.take() {
                self.change_state(&wanted);
            }
        }
    }

    fn ready(&mut self) {
        let conversation = self.conversation.clone();
        conversation.set_status(Status::Running);
        conversation.send(
            &json!({"status_update": true, "type": "info", "id": "STATUS$READY", "message": ""}),
        );
        let (known, _) = conversation.events(1, i64::MAX, false, 1);
        if known.is_empty() {
            conversation.append(scripts::system());
        }
        match self.initial.take() {
            Some((content, images)) => {
                conversation.append(event::user_message(&content, images, json!([])));
                conversation.append(event::change_state("running", "environment"));
                self.heard(&content);
            }
            None => {
                conversation.append(event::change_state("awaiting_user_input", "environment"));
                self.set_state("awaiting_user_input");
            }
        }
    }

    fn receive(&mut self, input: Input) {
        match input {
            Input::Message {
                content,
                images,
                files,
            } => {
                self.conversation
                    .append(event::user_message(&content, images, files));
                // During the start it is stored and never answered, as by the real server.
                if self.starting.is_none() {
                    self.heard(&content);
                }
            }
            Input::State(wanted) => {
                self.conversation
                    .append(event::change_state(&wanted, "user"));
                if self.thinking.is_some() {
                    self.wanted = Some(wanted);
                } else {
                    self.change_state(&wanted);
                }
            }
            Input::Act { kind, args } => {
                let act = execution::of_the_user(&kind, &args);
                let id = self.conversation.append(act.event.clone());
                if matches!(kind.as_str(), "run" | "read") {
                    self.execute(id, act);
                }
            }
            Input::Observation(observation) => {
                self.conversation.append(observation);
                self.poisoned = true;
            }
            Input::Stop(_) => unreachable!("the loop handles the end"),
        }
    }

    /// The agent reacts to a message that is already stored.
    fn heard(&mut self, content: &str) {
        let conversation = self.conversation.clone();
        let first = self.messages == 0;
        self.messages += 1;
        let recall = conversation.append(execution::recall(content, first));
        if let Some(script) = scripts::named(content) {
            self.script = script;
        } else if first {
            self.script = scripts::fitting(content);
        }
        if self.state == "awaiting_user_confirmation" {
            // Nobody answers the action any more, and nothing says so.
            self.answer(Answer::Ignored);
            self.pending = None;
        }
        let resumes = self.state != "running";
        if first {
            self.state = String::from("running");
            // The two overtake each other in about half of the recordings.
            let live: &[usize] = if content.len().is_multiple_of(2) {
                &[0, 1]
            } else {
                &[1, 0]
            };
            conversation.append_in_order(
                vec![execution::recalled(recall), event::state("running", "")],
                live,
            );
            conversation.set_title(&scripts::title(content));
        } else {
            if resumes {
                self.set_state("running");
            }
            conversation.append(json!({
                "observation": "null", "source": "environment", "message": "No observation", "content": "",
                "extras": {}, "cause": recall,
            }));
        }
        if self.pending.is_none() {
            self.think();
        }
    }

    fn think(&mut self) {
        self.thinking.get_or_insert(Instant::now() + self.pace);
    }

    /// The model has answered.
    fn step(&mut self) {
        self.calls += 1;
        if self.poisoned {
            return self.fail(&scripts::POISONED);
        }
        let honest = || Step::Say(scripts::honest_reply());
        match self.script.steps.pop_front().unwrap_or_else(honest) {
            Step::Act(act) => self.act(act),
            Step::Say(text) => {
                self.conversation
                    .append(event::with_metrics(event::agent_message(&text), self.calls));
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
                    self.conversation
                        .tell_sockets(&super::conversation::Out::Raw(frame.into()));
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
        act.event = event::with_metrics(event::with_call(act.event, self.calls), self.calls);
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

    fn execute(&mut self, cause: i64, act: Act) {
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
    fn complete(&mut self, execution: Execution) {
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
        let finish = event::with_metrics(
            event::with_call(event::finish(text), self.calls),
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

    fn set_state(&mut self, state: &str) {
        state.clone_into(&mut self.state);
        self.conversation.append(event::state(state, ""));
    }

    /// The user's wish comes true, whatever it is.
    fn change_state(&mut self, wanted: &str) {
        if wanted == self.state {
            return;
        }
        match (wanted, self.pending.take()) {
            ("user_confirmed", Some(mut pending)) => {
                self.pending = None;
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
    fn reset(&mut self) {
        if let Some(pending) = self.pending.take() {
            self.conversation
                .append(execution::not_executed(pending.id));
        }
        self.thinking = None;
    }

    fn answer(&mut self, answer: Answer) {
        if let Some(pending) = self.pending.take() {
            self.note(&pending, answer);
        }
    }

    fn note(&mut self, pending: &Pending, answer: Answer) {
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
