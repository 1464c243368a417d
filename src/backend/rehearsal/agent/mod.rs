//! The agent of one running conversation: 0.62's state machine around a script instead of a model.
//!
//! One task owns all of it. It waits for the user, for the end of a "model call" and for the end of "commands", and each
//! of these is handled at once, so that no two of them mix. Its oddities are the real server's. `steps` is what the
//! agent does by itself, `wishes` what the user makes of its state.

mod steps;
mod wishes;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};

use super::conversation::{Conversation, Status};
use super::event;
use super::execution::{self, Execution};
use super::script::{Act, Asks, Script};
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
                () = until(next) => self.advance(),
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
                if matches!(wanted.as_str(), "user_confirmed" | "user_rejected") {
                    let yes = wanted == "user_confirmed";
                    self.tally.answered(&self.conversation.id, yes);
                }
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
        // Whatever was pending is forgotten, and nothing says so.
        if let Some(pending) = self.pending.take()
            && self.state == "awaiting_user_confirmation"
        {
            self.note(&pending, Answer::Ignored);
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
        self.think();
    }

    fn think(&mut self) {
        self.thinking.get_or_insert(Instant::now() + self.pace);
    }

    fn set_state(&mut self, state: &str) {
        state.clone_into(&mut self.state);
        self.conversation.append(event::state(state, ""));
    }
}

/// Waits for a time. What is due already takes no timer, whose ticks are a millisecond: a rehearsal without pace is quick.
async fn until(time: Option<Instant>) {
    match time {
        Some(time) if time > Instant::now() => sleep_until(time).await,
        Some(_) => tokio::task::yield_now().await,
        None => std::future::pending().await,
    }
}
